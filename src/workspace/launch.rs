//! From a language server's specification to what is started for one root.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::config::{Evidence, ServerSpec};
use crate::lsp::{Launch, Program};
use crate::programs::{Java, JavaPlaces, find_java};

/// The oldest Java that jdtls runs on.
const LEAST_JAVA: u32 = 21;

/// A folder of our own for one language server on one root, ours alone while this is held.
///
/// Two jdtls on one data directory both start, and spoil each other's.
#[derive(Debug)]
pub(super) struct DataDir {
    path: PathBuf,
    clean_mark: PathBuf,
    _lock: File,
}

impl DataDir {
    /// Takes the first that nobody holds. What an unclean end left behind is thrown away.
    ///
    /// # Errors
    /// When none can be made.
    pub(super) fn take(cache: &Path, spec: &ServerSpec, root: &Path) -> io::Result<DataDir> {
        let base = cache.join("data");
        std::fs::create_dir_all(&base)?;
        for number in 0..64 {
            let name = format!("{}-{:016x}-{number}", spec.name, hash_of(root));
            let lock = File::create(base.join(format!("{name}.lock")))?;
            if rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            let (path, clean_mark) = (base.join(&name), base.join(format!("{name}.clean")));
            if !clean_mark.exists() && path.exists() {
                std::fs::remove_dir_all(&path)?;
            }
            let _ = std::fs::remove_file(&clean_mark);
            std::fs::create_dir_all(&path)?;
            return Ok(DataDir { path, clean_mark, _lock: lock });
        }
        Err(io::Error::other("too many language servers work on this folder"))
    }

    /// The language server ended in good order: what it left may be used again.
    pub(super) fn left_clean(&self) {
        let _ = File::create(&self.clean_mark);
    }
}

/// The cache folder of a checker on `root`.
pub(super) fn check_cache(cache: &Path, name: &str, root: &Path) -> PathBuf {
    cache.join("check").join(format!("{name}-{:016x}", hash_of(root)))
}

fn hash_of(root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    hasher.finish()
}

/// The settings of `spec` on `root`, where packages begin in the folders `source_roots`.
fn settings(spec: &ServerSpec, root: &Path, source_roots: &[String]) -> Value {
    let mut settings = spec.settings.clone();
    if spec.evidence == Evidence::Jdtls {
        merge(&mut settings, java_settings(root, source_roots));
    }
    settings
}

/// Whether `spec` must be told where packages begin on `root`: with a build file the source paths come from there, and
/// these would be ignored.
pub(super) fn needs_source_roots(spec: &ServerSpec, root: &Path) -> bool {
    spec.evidence == Evidence::Jdtls && !has_build_file(root)
}

/// How `spec` is started on `root`.
pub(super) fn launch(
    spec: &ServerSpec,
    root: &Path,
    program: PathBuf,
    data: Option<&DataDir>,
    source_roots: &[String],
) -> Launch {
    let data = data.map(|data| data.path.to_string_lossy().into_owned()).unwrap_or_default();
    let mut env: Vec<(OsString, OsString)> = spec.env.iter().map(|(key, value)| (key.into(), value.into())).collect();
    let settings = settings(spec, root, source_roots);
    let mut options = spec.initialization_options.clone();
    if spec.evidence == Evidence::Jdtls {
        env.extend(java_environment(spec, &program));
        // Without the capability it says nothing of where a class of a library is declared.
        let own = json!({ "settings": settings, "extendedClientCapabilities": { "classFileContentsSupport": true } });
        options.get_or_insert(own);
    }
    Launch {
        name: spec.name.clone(),
        program: Program {
            path: program,
            args: spec.args.iter().map(|word| word.replace("{data_dir}", &data).into()).collect(),
            env,
            directory: root.to_owned(),
        },
        root: root.to_owned(),
        initialization_options: options.unwrap_or_else(|| settings.clone()),
        settings,
        initialize_timeout: Duration::from_millis(spec.timeouts.initialize_ms),
    }
}

/// Whether `spec` needs a folder of its own.
pub(super) fn needs_data_dir(spec: &ServerSpec) -> bool {
    spec.args.iter().any(|word| word.contains("{data_dir}"))
}

/// Launchers find Java by JAVA_HOME or by PATH, so both lead to the same one.
fn java_environment(spec: &ServerSpec, launcher: &Path) -> Vec<(OsString, OsString)> {
    let mut env = Vec::new();
    let java = find_java(LEAST_JAVA, &JavaPlaces::of_this_machine().and_beside(launcher));
    if let Some(Java { home, .. }) = java {
        let mut path = home.join("bin").into_os_string();
        if let Some(others) = std::env::var_os("PATH") {
            path.push(":");
            path.push(others);
        }
        env.push(("PATH".into(), path));
        env.push(("JAVA_HOME".into(), home.into()));
    }
    // Its own launchers know different options; every Java reads these. The first keeps .project and .settings out of
    // the workspace.
    let own = format!("-Djava.import.generatesMetadataFilesAtProjectRoot=false -Xmx{}m", spec.memory_mb);
    let inherited = std::env::var("JAVA_TOOL_OPTIONS").unwrap_or_default();
    env.push(("JAVA_TOOL_OPTIONS".into(), format!("{inherited} {own}").trim().into()));
    env
}

fn java_settings(root: &Path, source_roots: &[String]) -> Value {
    let mut java = json!({ "autobuild": { "enabled": true } });
    if !has_build_file(root) {
        java["project"] = json!({ "sourcePaths": source_roots });
    }
    json!({ "java": java })
}

fn has_build_file(root: &Path) -> bool {
    ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", ".classpath"]
        .iter()
        .any(|name| root.join(name).exists())
}

/// The folders in which packages begin, relative to `root`, by what the files declare.
pub(super) fn source_roots(root: &Path, sources: &[PathBuf]) -> Vec<String> {
    let mut roots: Vec<String> = sources.iter().filter_map(|path| source_root(root, path)).collect();
    roots.sort();
    roots.dedup();
    roots
}

/// The folder in which the package of one file begins, relative to `root`.
pub(super) fn source_root(root: &Path, path: &Path) -> Option<String> {
    let text = head_of(path).ok()?;
    let folder = path.parent()?;
    let package = declared_package(&text).unwrap_or_default().replace('.', "/");
    let start = if package.is_empty() { folder } else { strip_end(folder, Path::new(&package))? };
    let relative = start.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    Some(if relative.is_empty() { ".".to_owned() } else { relative })
}

fn strip_end<'p>(folder: &'p Path, package: &Path) -> Option<&'p Path> {
    folder.ends_with(package).then(|| folder.ancestors().nth(package.components().count())).flatten()
}

/// As much of a file as its package declaration can be expected in.
fn head_of(path: &Path) -> io::Result<String> {
    use io::Read;
    let mut bytes = Vec::new();
    File::open(path)?.take(16 << 10).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The name in `package a.b;`, comments before it passed over.
fn declared_package(text: &str) -> Option<String> {
    let mut rest = text.trim_start_matches('\u{FEFF}').trim_start();
    loop {
        rest = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n')?.1
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/")?.1
        } else {
            break;
        }
        .trim_start();
    }
    let name = rest.strip_prefix("package")?.split_once(';')?.0;
    (name.starts_with(char::is_whitespace)).then(|| name.split_whitespace().collect())
}

/// Lays `over` over `under`, key by key.
fn merge(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                // What the user set stays.
                merge_entry(under, key, value);
            }
        }
        (under @ Value::Null, over) => *under = over,
        _ => {}
    }
}

fn merge_entry(under: &mut serde_json::Map<String, Value>, key: String, value: Value) {
    match under.get_mut(&key) {
        Some(present) => merge(present, value),
        None => {
            under.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_roots_come_from_what_the_files_declare() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("inside")).expect("made");
            std::fs::write(&path, text).expect("written");
            path
        };
        let sources = [
            put("src/main/java/app/x/A.java", "/* a */ // b\npackage app.x;\n"),
            put("src/main/java/app/B.java", "package app ;"),
            put("src/test/java/app/BTest.java", "\u{FEFF}package app;"),
            put("wrong/C.java", "package other;"),
            put("plain/D.java", "class D {}"),
            put("packaged/E.java", "packaged x;"),
        ];
        assert_eq!(source_roots(root, &sources), ["packaged", "plain", "src/main/java", "src/test/java"]);
        assert_eq!(source_roots(root, &[put("F.java", "class F {}")]), ["."]);
    }

    #[test]
    fn what_the_user_set_stays() {
        let mut settings = json!({ "java": { "autobuild": { "enabled": false } } });
        merge(&mut settings, json!({ "java": { "autobuild": { "enabled": true }, "project": 1 } }));
        assert_eq!(settings, json!({ "java": { "autobuild": { "enabled": false }, "project": 1 } }));
    }

    #[test]
    fn a_data_directory_is_held_by_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = crate::config::Servers::built_in().get("jdtls").expect("built in").clone();
        let take = || DataDir::take(folder.path(), &spec, Path::new("/w")).expect("taken");
        let first = take();
        std::fs::write(first.path.join("x"), "").expect("written");
        let second = take();
        assert_ne!(first.path, second.path);
        let path = first.path.clone();
        first.left_clean();
        drop(first);
        let again = take();
        assert!(again.path == path && path.join("x").exists(), "a clean one is used again");
        drop(again);
        assert!(!take().path.join("x").exists(), "an unclean one is not");
    }
}
