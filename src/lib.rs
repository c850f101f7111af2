//! `landfall`: a sidecar between a coding agent and the files it edits.

pub mod config;
pub mod dirs;
pub mod lsp;
pub mod replace;
pub mod syntax;
pub mod text;
pub mod workspace;
