//! How much memory there is for this process: that of the machine, or what a control group leaves of it.

use std::path::Path;

/// Bytes that this process and those it starts can use, `None` where it cannot be told.
pub(super) fn available_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| machine(&text));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    machine.into_iter().chain(limit(&groups, Path::new("/sys/fs/cgroup"))).min()
}

/// What the machine has, by proc_meminfo(5).
fn machine(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// The lowest limit of the control groups that `groups` names (cgroups(7), `/proc/self/cgroup`), mounted at `mount`.
///
/// A limit holds for the groups below too, so all above count. In a container the path is that of the host, and not there;
/// what is there is then the container's own group, as the topmost.
fn limit(groups: &str, mount: &Path) -> Option<u64> {
    let of_line = |line: &str| {
        let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
        let (top, file) = match controllers {
            "" => (mount.to_owned(), "memory.max"),
            several if several.split(',').any(|one| one == "memory") => (mount.join(several), "memory.limit_in_bytes"),
            _ => return None,
        };
        let below = Path::new(group.trim_start_matches('/'));
        // Without a limit there is a word in it, or a number larger than any machine.
        let read = |group: &Path| std::fs::read_to_string(top.join(group).join(file)).ok()?.trim().parse::<u64>().ok();
        below.ancestors().filter_map(read).min()
    };
    groups.lines().filter_map(of_line).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_memory() {
        assert_eq!(machine("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert_eq!(machine("nothing of the kind"), None);
        assert!(available_memory().is_none_or(|bytes| bytes > 16 << 20));
    }

    #[test]
    fn the_lowest_limit_on_the_way_up_counts() {
        let mount = tempfile::tempdir().expect("a folder");
        let put = |path: &str, text: &str| {
            let path = mount.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        let limit = |groups: &str| limit(groups, mount.path());
        assert_eq!(limit("0::/\n"), None, "no control groups at all");

        put("memory.max", "max\n");
        put("pod/memory.max", "3000\n");
        put("pod/one/memory.max", "max\n");
        put("pod/other/memory.max", "2000\n");
        assert_eq!(limit("0::/\n"), None);
        assert_eq!(limit("0::/pod/one\n"), Some(3000));
        assert_eq!(limit("0::/pod/other\n"), Some(2000));

        put("memory/memory.limit_in_bytes", "5000\n");
        put("memory/docker/x/memory.limit_in_bytes", "9223372036854771712\n");
        let former = "12:cpu,cpuacct:/pod\n4:memory:/docker/x\n0::/\n";
        assert_eq!(limit(former), Some(5000));
        put("memory/docker/x/memory.limit_in_bytes", "4000\n");
        assert_eq!(limit(former), Some(4000));
        assert_eq!(limit("4:memory:/path/of/the/host\n"), Some(5000), "as it is seen from within a container");
    }
}
