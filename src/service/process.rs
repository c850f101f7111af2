//! This process, seen from outside.

/// Resident memory of this process, by proc_pid_statm(5); 0 when it cannot be told. Bytes.
pub fn own_memory() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
    pages * rustix::param::page_size() as u64
}
