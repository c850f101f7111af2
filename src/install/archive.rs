//! A program from its publisher's archive: address and checksum found, fetched, checked, unpacked.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::unpack::unpack;
use super::{InstallError, Progress};
use crate::programs::{ask, find_on_path};

const MAX_ARCHIVE: u64 = 256 << 20;
const MAX_UNPACKED: u64 = 1 << 30;
const MAX_INDEX: u64 = 4 << 20;
const CONNECT_LIMIT: Duration = Duration::from_secs(30);
const TOTAL_LIMIT: Duration = Duration::from_secs(20 * 60);
const ASK_LIMIT: Duration = Duration::from_secs(20);

/// Where address and checksum come from.
pub(super) enum Source<'r> {
    /// `servers.toml` itself: a template, and checksums by `arch-os`.
    Table { url: &'r str, sha256: &'r BTreeMap<String, String> },
    /// The publisher's index: a template of its address.
    Index(&'r str),
}

/// One archive, as an index describes it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Archive {
    #[serde(rename = "tarball")]
    url: String,
    #[serde(rename = "shasum")]
    sha256: String,
}

/// The version that the language server must match, as a command prints it.
pub(super) fn version_from(command: &[String]) -> Result<String, InstallError> {
    let missing = |tool: &str| InstallError::MissingTool {
        tool: tool.to_string(),
        get: format!("It decides which version fits: install {tool} and put it on PATH"),
    };
    let [tool, arguments @ ..] = command else { return Ok(String::new()) };
    let program = find_on_path(tool).ok_or_else(|| missing(tool))?;
    let printed = ask(Command::new(program).args(arguments), ASK_LIMIT).unwrap_or_default();
    let version = printed.lines().next().unwrap_or_default().trim();
    // It goes into an address.
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-+_".contains(letter);
    if version.is_empty() || !version.chars().all(plain) {
        let what = format!("`{}` did not print a version", command.join(" "));
        return Err(InstallError::NotOffered(format!("{what}; check that it runs")));
    }
    Ok(version.to_string())
}

/// Fetches the archive for this machine into `folder` and puts its `binary` into `folder/bin` as `command`.
pub(super) fn install(
    source: &Source<'_>,
    version: &str,
    binary: &str,
    command: &str,
    folder: &Path,
    progress: &mut dyn Progress,
) -> Result<(), InstallError> {
    let archive = source.archive(version, progress)?;
    progress.step(&format!("fetching {}", archive.url));
    let file = folder.join("archive");
    let found = download(&archive.url, &file, progress)?;
    if !found.eq_ignore_ascii_case(&archive.sha256) {
        return Err(InstallError::Checksum { url: archive.url, expected: archive.sha256, found });
    }
    progress.step("unpacking");
    let unpacked = folder.join("unpacked");
    unpack(&file, &unpacked, MAX_UNPACKED)?;
    fs::remove_file(&file).map_err(InstallError::disk("remove", &file))?;
    let program = find_below(&unpacked, binary)
        .ok_or_else(|| InstallError::NotOffered(format!("the archive has no `{binary}` in it")))?;
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).map_err(InstallError::disk("make the folder", &bin))?;
    symlink(&program, bin.join(command)).map_err(InstallError::disk("link", bin.join(command)))
}

impl Source<'_> {
    fn archive(&self, version: &str, progress: &mut dyn Progress) -> Result<Archive, InstallError> {
        let target = target();
        match self {
            Source::Table { url, sha256 } => {
                let sha256 = sha256.get(&target).ok_or_else(|| {
                    InstallError::NotOffered(format!("servers.toml has no `sha256` for {target}; add it there"))
                })?;
                Ok(Archive { url: fill(url, version), sha256: sha256.clone() })
            }
            Source::Index(url) => {
                let url = fill(url, version);
                progress.step("asking which archive fits");
                let text = read_index(&url)?;
                archive_in(&text, &target).map_err(|problem| InstallError::NotOffered(format!("{url} {problem}")))
            }
        }
    }
}

/// This machine as Zig and its kin write it (`x86_64-linux`).
fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

fn fill(template: &str, version: &str) -> String {
    // A `+` in a query would be read as a blank.
    let version = version.replace('+', "%2B");
    template
        .replace("{version}", &version)
        .replace("{os}", std::env::consts::OS)
        .replace("{arch}", std::env::consts::ARCH)
}

/// The archive for a target in an index, or in words what it has instead.
fn archive_in(text: &str, target: &str) -> Result<Archive, String> {
    let index: serde_json::Value = serde_json::from_str(text).map_err(|error| format!("is not an index: {error}"))?;
    if let Some(message) = index.get("message").and_then(|message| message.as_str()) {
        let plain: String = message.chars().filter(|letter| !letter.is_control()).take(200).collect();
        return Err(format!("says: {plain}"));
    }
    let entry = index.get(target).ok_or_else(|| format!("has nothing for {target}"))?;
    serde_json::from_value(entry.clone()).map_err(|error| format!("has an entry for {target} that is not one: {error}"))
}

fn read_index(url: &str) -> Result<String, InstallError> {
    let mut response = get(url)?;
    response.body_mut().with_config().limit(MAX_INDEX).read_to_string().map_err(|error| failed(url, &error))
}

/// Fetches into a file and gives the SHA-256 in hexadecimal digits.
fn download(url: &str, file: &Path, progress: &mut dyn Progress) -> Result<String, InstallError> {
    let mut response = get(url)?;
    let total = response.body().content_length();
    let mut body = response.body_mut().with_config().limit(MAX_ARCHIVE).reader();
    let mut out = File::create(file).map_err(InstallError::disk("write", file))?;
    let mut digest = Sha256::new();
    let (mut buffer, mut done) = (vec![0; 64 * 1024], 0);
    loop {
        let length = body.read(&mut buffer).map_err(|error| failed(url, &error))?;
        if length == 0 {
            break;
        }
        digest.update(&buffer[..length]);
        out.write_all(&buffer[..length]).map_err(InstallError::disk("write", file))?;
        done += length as u64;
        progress.downloaded(done, total);
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn get(url: &str) -> Result<ureq::http::Response<ureq::Body>, InstallError> {
    if !is_trusted(url) {
        return Err(failed(url, &"only https is fetched"));
    }
    // A refusal with words in its body is an answer of an index too.
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_connect(Some(CONNECT_LIMIT))
        .timeout_global(Some(TOTAL_LIMIT))
        .build()
        .into();
    agent.get(url).call().map_err(|error| failed(url, &error))
}

/// Checksums come by the same way, so it must be one that nobody can change. This machine itself may do without.
fn is_trusted(url: &str) -> bool {
    let host = url.strip_prefix("http://").map(|rest| rest.split(['/', ':', '?']).next().unwrap_or_default());
    url.starts_with("https://") || host.is_some_and(|host| host == "127.0.0.1" || host == "localhost")
}

fn failed(url: &str, problem: &dyn std::fmt::Display) -> InstallError {
    InstallError::Download { url: url.to_string(), problem: problem.to_string() }
}

/// The file of that name, nearest to the top.
fn find_below(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut level = vec![folder.to_path_buf()];
    while !level.is_empty() {
        level.sort();
        if let Some(found) = level.iter().map(|folder| folder.join(name)).find(|file| file.is_file()) {
            return Some(found);
        }
        let entries = level.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        level = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"{"version": "0.16.0", "date": "2026-01-01",
        "x86_64-linux": {"tarball": "https://example.invalid/zls.tar.xz", "shasum": "ab", "size": "1"}}"#;

    #[test]
    fn an_index_gives_the_archive_or_says_why_not() {
        let archive = archive_in(INDEX, "x86_64-linux").unwrap();
        assert_eq!((archive.url.as_str(), archive.sha256.as_str()), ("https://example.invalid/zls.tar.xz", "ab"));
        let refusal = r#"{"code": 1, "message": "ZLS 0.30 has not been\u001b[2J released yet"}"#;
        let cases = [
            (INDEX, "sparc-linux", "has nothing for sparc-linux"),
            (refusal, "x86_64-linux", "says: ZLS 0.30 has not been[2J released yet"),
            ("<html>", "x86_64-linux", "is not an index"),
            (r#"{"x": {"tarball": "u"}}"#, "x", "that is not one"),
        ];
        for (text, target, expected) in cases {
            let problem = archive_in(text, target).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn only_https_and_this_machine_are_fetched_from() {
        let cases = [
            ("https://example.invalid/x", true),
            ("http://127.0.0.1:8000/x", true),
            ("http://localhost/x", true),
            ("http://example.invalid/x", false),
            ("http://127.0.0.1.example.invalid/x", false),
            ("file:///etc/passwd", false),
        ];
        for (url, trusted) in cases {
            assert_eq!(is_trusted(url), trusted, "{url}");
        }
    }

    #[test]
    fn a_version_is_filled_in() {
        assert_eq!(fill("u?v={version}", "0.16.0-dev.7+73c6"), "u?v=0.16.0-dev.7%2B73c6");
        assert_eq!(fill("{arch}-{os}", ""), target());
    }

    #[test]
    fn a_version_comes_from_a_command_that_is_there() {
        let command = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        assert_eq!(version_from(&command(&["echo", "0.16.0"])).unwrap(), "0.16.0");
        let error = version_from(&command(&["no-such-tool", "version"])).unwrap_err().to_string();
        assert!(error.contains("`no-such-tool` is needed and is not on PATH"), "{error}");
        assert!(version_from(&command(&["echo", "a b/c"])).is_err());
    }
}
