//! The patch parser, and the placing of hunks, on any patch and any text.
#![no_main]

#[path = "../invariants/patch.rs"]
mod invariants;

libfuzzer_sys::fuzz_target!(|data: &[u8]| invariants::hold(data));
