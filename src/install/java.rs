//! A Java that is new enough, wherever this machine keeps it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::commands::ask;
use super::find::{find_on_path, is_program};

const LIMIT: Duration = Duration::from_secs(10);

/// An installed Java.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Java {
    /// The folder with `bin/java` in it.
    pub home: PathBuf,
    /// Its major version (8, 17, 25).
    pub major: u32,
}

/// Where to look for a Java, in this order.
#[derive(Debug, Clone, Default)]
pub struct JavaPlaces {
    /// As JAVA_HOME says.
    pub home: Option<PathBuf>,
    /// `java` on PATH.
    pub on_path: Option<PathBuf>,
    /// Folders with one Java in each of their folders; the newest is taken.
    pub folders: Vec<PathBuf>,
}

impl JavaPlaces {
    /// JAVA_HOME, PATH and the folders in which packages put a Java.
    pub fn of_this_machine() -> JavaPlaces {
        JavaPlaces {
            home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
            on_path: find_on_path("java"),
            folders: ["/usr/lib/jvm", "/usr/java", "/Library/Java/JavaVirtualMachines"].map(PathBuf::from).to_vec(),
        }
    }

    /// The homes that these places name, resolved, each once.
    fn homes(&self) -> Vec<PathBuf> {
        let from_path = self.on_path.as_ref().and_then(|java| fs::canonicalize(java).ok());
        let from_path = from_path.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_path_buf);
        let below = self.folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let below = below.map(|entry| entry.path()).flat_map(|path| [path.join("Contents/Home"), path]);
        let mut homes = Vec::new();
        for home in self.home.clone().into_iter().chain(from_path).chain(below) {
            let home = fs::canonicalize(&home).unwrap_or(home);
            if is_program(&home.join("bin/java")) && !homes.contains(&home) {
                homes.push(home);
            }
        }
        homes
    }
}

/// Finds a Java of at least that major version: the one of JAVA_HOME or PATH when it will do, else the newest.
pub fn find_java(at_least: u32, places: &JavaPlaces) -> Option<Java> {
    let (chosen, others): (JavaPlaces, JavaPlaces) = (
        JavaPlaces { folders: Vec::new(), ..places.clone() },
        JavaPlaces { home: None, on_path: None, ..places.clone() },
    );
    let new_enough = |homes: Vec<PathBuf>| {
        homes
            .into_iter()
            .filter_map(|home| Some(Java { major: major_of(&home)?, home }))
            .filter(move |java| java.major >= at_least)
    };
    let first = new_enough(chosen.homes()).next();
    first.or_else(|| new_enough(others.homes()).max_by_key(|java| java.major))
}

/// The major version, by the `release` file that nearly every Java has, else by asking it.
fn major_of(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).unwrap_or_default();
    let line = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
    match line {
        Some(version) => major_in(version),
        None => {
            let printed = ask(Command::new(home.join("bin/java")).arg("-version"), LIMIT)?;
            major_in(printed.split("version ").nth(1)?)
        }
    }
}

/// The major version in `"25.0.3"`, `"21"` or `"1.8.0_392"`.
fn major_in(version: &str) -> Option<u32> {
    let numbers = version.trim().trim_start_matches('"');
    let mut parts = numbers.split(|letter: char| !letter.is_ascii_digit());
    match parts.next()?.parse().ok()? {
        1 => parts.next()?.parse().ok(),
        major => Some(major),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn java(home: &Path, release: Option<&str>, script: &str) -> PathBuf {
        fs::create_dir_all(home.join("bin")).unwrap();
        let program = home.join("bin/java");
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        if let Some(version) = release {
            fs::write(home.join("release"), format!("X=\"1\"\nJAVA_VERSION=\"{version}\"\n")).unwrap();
        }
        program
    }

    #[test]
    fn the_first_that_is_new_enough_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| fs::canonicalize(folder.path()).unwrap().join(name);
        let old = java(&at("jvm/17"), Some("17.0.15"), "");
        java(&at("jvm/21"), Some("21"), "");
        java(&at("jvm/25"), Some("25.0.3"), "");
        java(&at("own"), None, "#!/bin/sh\necho 'openjdk version \"22.0.1\" 2024-04-16' >&2\n");
        let jvm = vec![at("jvm")];
        let places = |home: Option<&str>, on_path: Option<&PathBuf>| JavaPlaces {
            home: home.map(at),
            on_path: on_path.cloned(),
            folders: jvm.clone(),
        };
        let cases = [
            (places(None, Some(&old)), 21, Some(("jvm/25", 25))),
            (places(None, Some(&old)), 17, Some(("jvm/17", 17))),
            (places(Some("own"), Some(&old)), 21, Some(("own", 22))),
            (places(Some("gone"), None), 21, Some(("jvm/25", 25))),
            (places(None, None), 26, None),
        ];
        for (places, at_least, expected) in cases {
            let found = find_java(at_least, &places);
            let expected = expected.map(|(home, major)| Java { home: at(home), major });
            assert_eq!(found, expected, "{places:?} at least {at_least}");
        }
    }

    #[test]
    fn major_versions_are_read() {
        for (text, major) in [
            ("\"25.0.3\"", Some(25)),
            ("21", Some(21)),
            ("\"1.8.0_392\"", Some(8)),
            ("\"22-ea\"", Some(22)),
            ("", None),
        ] {
            assert_eq!(major_in(text), major, "{text}");
        }
    }
}
