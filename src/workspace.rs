//! The owner of what lasts: one workspace's documents, language servers and diagnostics.

pub mod verdict;
