//! Python packages in an environment of their own, with a Java where one is needed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::commands::run_step;
use super::{InstallError, Progress};
use crate::config::JavaNeed;
use crate::programs::{JavaPlaces, find_java, find_on_path, is_program};

const MAX_DEPTH: usize = 8;

/// Installs `packages` into `folder/venv` and puts `command` into `folder/bin`.
pub(super) fn install(
    packages: &[String],
    java: Option<&JavaNeed>,
    command: &str,
    folder: &Path,
    progress: &mut dyn Progress,
) -> Result<(), InstallError> {
    let found = java.map(|need| find_java(need.at_least, &JavaPlaces::of_this_machine()));
    let mut wanted: Vec<&str> = packages.iter().map(String::as_str).collect();
    match (&found, java) {
        (Some(Some(java)), _) => progress.step(&format!("Java {} at {}", java.major, java.home.display())),
        (Some(None), Some(need)) => {
            progress.step(&format!("no Java {} or newer found: {} brings one", need.at_least, need.package));
            wanted.push(&need.package);
        }
        _ => {}
    }
    let python = fill_environment(&wanted, folder, progress)?;
    let home = match found {
        Some(Some(java)) => Some(java.home),
        Some(None) => Some(bundled_java(folder)?),
        None => None,
    };
    // Some packages finish their own install at the first start of the interpreter.
    run_step(clean(Command::new(&python).args(["-c", "pass"])), "the first start of Python", None)?;
    put_into_bin(command, home.as_deref(), folder)
}

fn fill_environment(packages: &[&str], folder: &Path, progress: &mut dyn Progress) -> Result<PathBuf, InstallError> {
    let python = find_on_path("python3").ok_or_else(|| InstallError::MissingTool {
        tool: "python3".to_string(),
        get: "Get Python 3 from your package manager (Debian: apt-get install python3 python3-venv)".to_string(),
    })?;
    let environment = folder.join("venv");
    progress.step("python3 -m venv");
    let hint = "On Debian and Ubuntu: apt-get install python3-venv; then run the same command again.";
    run_step(clean(Command::new(python).args(["-m", "venv"]).arg(&environment)), "python3 -m venv", Some(hint))?;
    let python = environment.join("bin/python");
    let what = format!("pip install {}", packages.join(" "));
    progress.step(&what);
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet"]).args(packages);
    run_step(clean(&mut pip), &what, Some("Check the network (pip's index) and run the same command again."))?;
    Ok(python)
}

/// Keeps what would send an install elsewhere out of the environment.
fn clean(command: &mut Command) -> &mut Command {
    let astray = ["VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_USER"];
    astray.into_iter().for_each(|name| {
        command.env_remove(name);
    });
    command
}

fn bundled_java(folder: &Path) -> Result<PathBuf, InstallError> {
    java_below(&folder.join("venv/lib"), MAX_DEPTH).ok_or_else(|| {
        InstallError::NotOffered("the Python package that should bring a Java has none for this machine".to_string())
    })
}

/// A folder with `bin/java` in it, at most `depth` folders down.
fn java_below(folder: &Path, depth: usize) -> Option<PathBuf> {
    if is_program(&folder.join("bin/java")) {
        return Some(folder.to_path_buf());
    }
    let depth = depth.checked_sub(1)?;
    let mut below: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    below.sort();
    below.iter().filter(|path| path.is_dir() && !path.is_symlink()).find_map(|path| java_below(path, depth))
}

/// Without a Java a link; with one a start script, since the program takes the Java that it finds on PATH.
fn put_into_bin(command: &str, java: Option<&Path>, folder: &Path) -> Result<(), InstallError> {
    let (bin, target) = (folder.join("bin"), folder.join("venv/bin").join(command));
    fs::create_dir_all(&bin).map_err(InstallError::disk("make the folder", &bin))?;
    let program = bin.join(command);
    let Some(java) = java else {
        return symlink(&target, &program).map_err(InstallError::disk("link", &program));
    };
    fs::write(&program, start_script(command, java, &target)).map_err(InstallError::disk("write", &program))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&program, mode).map_err(InstallError::disk("make executable", &program))
}

fn start_script(command: &str, java: &Path, target: &Path) -> String {
    let (java, target) = (quoted(java), quoted(target));
    format!(
        "#!/bin/sh\n\
         # Written by `landfall servers install`: starts {command} on a Java that is new enough.\n\
         JAVA_HOME={java}\n\
         if [ ! -x \"$JAVA_HOME/bin/java\" ]; then\n\
         \x20 echo \"{command}: the Java at $JAVA_HOME is gone; run: landfall servers install --again {command}\" >&2\n\
         \x20 exit 1\n\
         fi\n\
         PATH=\"$JAVA_HOME/bin:$PATH\"\n\
         export JAVA_HOME PATH\n\
         exec {target} \"$@\"\n"
    )
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn executable(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_start_script_puts_its_java_in_front() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("it's a folder");
        executable(&folder.join("venv/bin/server"), "#!/bin/sh\necho \"$JAVA_HOME|${PATH%%:*}|$*\"\n");
        executable(&folder.join("java/bin/java"), "");
        put_into_bin("server", Some(&folder.join("java")), &folder).unwrap();
        let run = || Command::new(folder.join("bin/server")).args(["-data", "a b"]).output().unwrap();
        let java = folder.join("java").display().to_string();
        assert_eq!(String::from_utf8_lossy(&run().stdout), format!("{java}|{java}/bin|-data a b\n"));
        fs::remove_dir_all(folder.join("java")).unwrap();
        let output = run();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("landfall servers install --again server"));
    }

    #[test]
    fn a_java_in_a_package_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("venv/lib/python3.11/site-packages/jdk/runtime");
        executable(&home.join("bin/java"), "");
        assert_eq!(bundled_java(folder.path()).unwrap(), home);
    }
}
