//! The binary, driven as a client drives it.

#[path = "../support/mod.rs"]
mod support;

mod allow_path;
mod bad_input;
mod bytes;
mod changes_cli;
mod checkers;
mod cli;
mod crash;
mod daemon;
mod daemon_bounds;
mod daemon_faults;
mod editing;
mod editor_scripted;
mod garbage;
mod harness;
mod hooks_broken;
mod http;
mod http_bounds;
mod http_security;
mod ledger;
mod logs;
mod loops;
mod navigation;
mod navigation_scripted;
mod numbers;
mod patching;
mod protocol;
mod races;
mod reading;
mod refusals;
mod report_cli;
mod search;
mod shell;
mod small_results;
mod sunk_runs;
mod symbol_edits;
mod tool_listing;
mod tool_search;
mod waiting;
mod workspace_file;
