//! `landfall`: a sidecar between a coding agent and the files it edits.
//!
//! It lands the agent's edits through a fault-tolerant replacer under per-file locks, keeps language servers warm, and
//! puts what they say of each edit into its result. **Every result says the truth about the disk**: whether the edit
//! landed, where, how it matched, and what the language server says now.
//!
//! # Rooms
//!
//! In reading order, lowest first. Arrows go down only: a lower room that wants to call up returns a fact or publishes
//! on a channel.
//!
//! | room | holds | may use |
//! |---|---|---|
//! | [`text`] | spans, lines, positions, encodings, hunks; pure | – |
//! | [`replace`] | the fault-tolerant replacer; pure, no clock | text |
//! | [`patch`] | patches read, and planned on one file's text; pure | replace, text |
//! | [`syntax`] | tree-sitter: the floor under every verdict, outlines; pure | text |
//! | [`temporaries`] | names of files that are about to become others; pure | – |
//! | [`search`] | files and lines by ripgrep's crates; blocking | temporaries |
//! | [`shell`] | one command line run, bounded in time and memory; blocking | – |
//! | [`config`], [`dirs`] | language servers as data, the user's folders | – |
//! | [`programs`] | programs of this machine, and a Java among them; blocking | – |
//! | [`install`] | the recipes that get a language server | programs, config, dirs |
//! | [`lsp`] | one language server seen by its client | text, config |
//! | [`workspace`] | what lasts: paths, file locks, documents, language servers, settling, symbols by name, navigation; `lsp_types` stop here | lsp, syntax, search, programs, text, config |
//! | [`landing`] | the only door by which we put bytes on disk | workspace, patch, replace, text |
//! | [`report`] | facts to words and structured results; pure | landing's, workspace's and replace's facts |
//! | [`picture`] | what a person is shown of sessions: HTML of ledgers and language servers; pure | the ledger's facts |
//! | [`tools`] | one file a tool | landing, workspace, report, search, shell |
//! | [`session`] | one agent: dispatch, what it has seen, reports still owed | tools, workspace |
//! | [`service`] | the process: its workspaces and the open sessions | session, workspace |
//! | [`mcp`] | the MCP face | session |
//! | [`lsp_face`] | the LSP face: a language server in front of the shared ones | service, workspace, report, syntax, text |
//! | [`hooks`] | the hook face: one file a harness | service, session, landing, workspace, patch, replace, report |
//! | [`daemon`] | the process that all sessions of a user share: its socket, and the client's side of it | mcp, hooks, lsp_face, service, programs, dirs |
//! | [`http`] | the HTTP face: MCP over HTTP behind a token, a page for people, probes, metrics | mcp, service, session, picture, report, workspace's facts |
//! | [`cli`] | one file a subcommand | all |
//!
//! `tools` and `session` know each other: a tool's `run` is given the [`session::Call`] it is part of.
//!
//! # The path of one edit: down, then back
//!
//! 1. [`mcp`] decodes; [`session::Session::call`] finds the tool, reads its arguments by the tool's own table of
//!    parameters (schema and generous reading come from the same table), picks the workspace, catches panics.
//! 2. `tools::edit` makes one call to [`landing::land`] after `workspace::paths` has resolved, recovered or refused the
//!    path.
//! 3. [`landing`] takes the file lock, reads, asks [`replace`], writes a temporary file beside the target and renames it,
//!    and hands the change to the workspace, still under the lock, so that language servers see changes in the order of
//!    the disk. Cancelling a call ends the wait, never the write.
//! 4. `Settling::wait` waits outside the lock for evidence about this version. What has not settled in time is owed to
//!    the session and stands on top of a later result, once.
//! 5. [`report`] renders, [`mcp`] sends.
//!
//! # Invariants
//!
//! - No byte reaches a file of the workspace but through [`landing`].
//! - `clean` and `problems` are said on evidence for this version only; silence, loading, a crash and a missing language
//!   server are four other sentences.
//! - The first line of a result of a changing tool is the state of the disk.
//! - stdout is the wire; logs go to stderr.
//! - What comes from a file or a language server is untrusted: it stays on its line, without control characters.

pub mod cli;
pub mod config;
pub mod daemon;
pub mod dirs;
pub mod hooks;
pub mod http;
pub mod install;
pub mod landing;
pub mod lsp;
pub mod lsp_face;
pub mod mcp;
pub mod patch;
pub mod picture;
pub mod programs;
pub mod replace;
pub mod report;
pub mod search;
pub mod service;
pub mod session;
pub mod shell;
pub mod syntax;
pub mod temporaries;
pub mod text;
pub mod tools;
pub mod workspace;
