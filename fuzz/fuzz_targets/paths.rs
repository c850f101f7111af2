//! The resolution of typed paths, on a workspace with links out of it and a neighbour nearly of its name.
#![no_main]

#[path = "../invariants/paths.rs"]
mod invariants;

libfuzzer_sys::fuzz_target!(|data: &[u8]| invariants::hold(data));
