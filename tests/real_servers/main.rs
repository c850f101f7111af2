//! Real language servers and compilers behind the real binary: what is installed runs, the rest is skipped with a line.

#[path = "../support/mod.rs"]
mod support;

mod daemon;
mod editors;
mod fix;
mod go;
mod hooks;
mod java;
mod kills;
mod navigation;
mod peer;
mod rename;
mod zig;
