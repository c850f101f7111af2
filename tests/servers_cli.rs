//! `landfall servers` and `landfall doctor`, driven as a person would, with nothing of the outside and nobody's home.

#![allow(clippy::unwrap_used)] // A test may fail by it.

#[path = "servers_cli/http.rs"]
mod http;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use http::{Answer, Http};
use sha2::{Digest, Sha256};

/// A machine with a home of its own and only the programs that a test puts there.
struct Machine {
    folder: tempfile::TempDir,
    web: Http,
}

impl Machine {
    fn new() -> Machine {
        let machine = Machine { folder: tempfile::tempdir().unwrap(), web: Http::start() };
        fs::create_dir_all(machine.folder.path().join("tools")).unwrap();
        let servers = format!(
            "[servers.zls.install]\nversion_from = [\"zig\", \"version\"]\nindex = \"{}\"\n",
            machine.web.url("/index?zig={version}")
        );
        let config = machine.folder.path().join(".config/landfall");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("servers.toml"), servers).unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a program on PATH that prints `text`, whatever it is asked.
    fn tool(&self, name: &str, text: &str) {
        let file = self.path("tools").join(name);
        fs::write(&file, prints(text)).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Offers an archive for that version of Zig; `sha256` is the true one when not given.
    fn offer(&self, zig: &str, archive: &[u8], sha256: Option<&str>) {
        let path = format!("/zls-{zig}.tar");
        let truth: String = Sha256::digest(archive).iter().map(|byte| format!("{byte:02x}")).collect();
        let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
        let index = serde_json::json!({ "version": zig, target: {
            "tarball": self.web.url(&path), "shasum": sha256.unwrap_or(&truth), "size": archive.len().to_string() } });
        self.web.set(&format!("/index?zig={zig}"), Answer::Whole(index.to_string().into_bytes()));
        self.web.set(&path, Answer::Whole(archive.to_vec()));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", self.path("tools"))
            .stdin(Stdio::null());
        command
    }

    /// Runs to the end: exit code, standard output, standard error.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    fn installed_zls(&self) -> PathBuf {
        self.path(".local/share/landfall/servers/zls/bin/zls")
    }

    fn zls_says(&self) -> String {
        let output = Command::new(self.installed_zls()).arg("--version").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

fn prints(text: &str) -> String {
    format!("#!/bin/sh\necho '{text}'\n")
}

/// A `.tar.xz` with these files, all executable.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        // Raw, since the builder refuses what leads out of an archive.
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(text.len() as u64);
        header.set_mode(0o755);
        header.set_cksum();
        builder.append(&header, text.as_bytes()).unwrap();
    }
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(&builder.into_inner().unwrap()).unwrap();
    encoder.finish().unwrap()
}

fn zls_archive(version: &str) -> Vec<u8> {
    archive(&[("LICENSE", "free"), ("zls", &prints(version))])
}

#[test]
fn zls_is_installed_to_match_the_zig_that_is_there() {
    let machine = Machine::new();
    machine.tool("zig", "0.16.0");
    machine.offer("0.16.0", &zls_archive("0.16.0"), None);
    let (code, out, err) = machine.run(&["servers", "install", "zls"]);
    assert_eq!((code, out), (0, format!("zls 0.16.0 installed: {}\n", machine.installed_zls().display())), "{err}");
    assert!(err.contains("zls: fetching http://127.0.0.1"), "{err}");
    assert_eq!(machine.zls_says(), "0.16.0\n");

    let (code, out, _) = machine.run(&["servers", "install", "zls"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("zls 0.16.0 is already installed: "), "{out}");
    let (_, out, _) = machine.run(&["servers", "status"]);
    let zls = format!("zls        0.16.0 {} (installed by landfall)", machine.installed_zls().display());
    assert!(out.contains(&zls), "{out}");

    machine.tool("zig", "0.17.0");
    let (_, out, _) = machine.run(&["doctor"]);
    let advice = "it is 0.16.0, but zig is 0.17.0: they should match; run: landfall servers install --again zls";
    assert!(out.contains(advice), "{out}");
    machine.offer("0.17.0", &zls_archive("0.17.0"), None);
    assert_eq!(machine.run(&["servers", "install", "zls"]).0, 0);
    assert_eq!(machine.zls_says(), "0.17.0\n");
}

#[test]
fn a_failed_install_leaves_the_former_one() {
    let machine = Machine::new();
    machine.tool("zig", "0.16.0");
    machine.offer("0.16.0", &zls_archive("0.16.0"), None);
    assert_eq!(machine.run(&["servers", "install", "zls"]).0, 0);
    let refusal = r#"{"code": 1, "message": "ZLS 0.20 has not been released yet"}"#;
    machine.web.set("/index?zig=0.20.0", Answer::Whole(refusal.into()));
    let good = zls_archive("0.17.0");
    let cases: [(&str, Vec<u8>, Option<&str>, &str); 6] = [
        ("0.17.1", good, Some("00ff"), "it is damaged or not the real one. Nothing was unpacked"),
        ("0.17.2", archive(&[("../../evil", "x")]), None, "../../evil leads out of it"),
        ("0.17.3", archive(&[("README", "x")]), None, "the archive has no `zls` in it"),
        ("0.17.4", archive(&[("zls", "#!/bin/sh\nexit 1\n")]), None, "does not start; nothing was changed"),
        ("0.17.5", b"PK\x03\x04".to_vec(), None, "neither .tar.xz nor .tar.gz"),
        ("0.20.0", Vec::new(), None, "says: ZLS 0.20 has not been released yet"),
    ];
    for (zig, bytes, sha256, expected) in cases {
        machine.tool("zig", zig);
        if !bytes.is_empty() {
            machine.offer(zig, &bytes, sha256);
        }
        let (code, out, _) = machine.run(&["servers", "install", "zls"]);
        assert_eq!(code, 1, "{zig}: {out}");
        assert!(out.starts_with("zls not installed: ") && out.contains(expected), "{zig}: {out}");
        assert_eq!(machine.zls_says(), "0.16.0\n", "{zig}");
    }
    let store = machine.path(".local/share/landfall/servers/.store/zls");
    let folders = fs::read_dir(store).unwrap().flatten().filter(|entry| entry.path().is_dir()).count();
    assert_eq!(folders, 1, "nothing half-made is left");
    assert!(!machine.path(".local/share/landfall/servers/.store/evil").exists());
}

#[test]
fn an_interrupted_install_leaves_the_former_one_and_no_lock() {
    let machine = Machine::new();
    machine.tool("zig", "0.16.0");
    machine.offer("0.16.0", &zls_archive("0.16.0"), None);
    assert_eq!(machine.run(&["servers", "install", "zls"]).0, 0);

    machine.tool("zig", "0.17.0");
    machine.offer("0.17.0", &zls_archive("0.17.0"), None);
    machine.web.set("/zls-0.17.0.tar", Answer::Stalls(b"\xFD7zXZ".to_vec()));
    let mut waiting = machine.command(&["servers", "install", "zls"]).stderr(Stdio::null()).spawn().unwrap();
    machine.web.wait_for_stall();
    let (code, out, _) = machine.run(&["servers", "install", "zls"]);
    assert_eq!(code, 1);
    assert!(out.contains("another install of `zls` is running"), "{out}");
    waiting.kill().unwrap();
    waiting.wait().unwrap();
    assert_eq!(machine.zls_says(), "0.16.0\n");

    machine.offer("0.17.0", &zls_archive("0.17.0"), None);
    let (code, out, err) = machine.run(&["servers", "install", "zls"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(machine.zls_says(), "0.17.0\n");
}

#[test]
fn what_is_missing_is_told_with_what_mends_it() {
    let machine = Machine::new();
    let (code, out, _) = machine.run(&["servers", "install", "zls"]);
    assert_eq!(code, 1);
    assert!(out.contains("`zig` is needed and is not on PATH"), "{out}");
    let (code, out, err) = machine.run(&["servers", "install", "zsl"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("no language server is named `zsl`; there are gopls, jdtls, zls"), "{err}");
    let homeless = machine.command(&["servers", "install", "zls"]).env_remove("HOME").output().unwrap();
    assert_eq!(homeless.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&homeless.stderr).contains("Set HOME"));
    let file = machine.path("mine.toml");
    fs::write(&file, "[servers.gopls]\nmemory = 5\n").unwrap();
    let (code, _, err) = machine.run(&["servers", "list", "--servers", file.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(err.contains("mine.toml:2: `servers.gopls.memory`: unknown field"), "{err}");
}

#[test]
fn doctor_tells_what_each_language_gets() {
    let machine = Machine::new();
    let (code, out, _) = machine.run(&["doctor"]);
    assert_eq!(code, 1);
    assert!(out.contains("not installed; run: landfall servers install gopls"), "{out}");
    assert!(out.contains("edits get new syntax problems only"), "{out}");

    machine.tool("gopls", "golang.org/x/tools/gopls v0.23.0");
    machine.tool("jdtls", "");
    machine.tool("zig", "0.16.0");
    let (code, out, _) = machine.run(&["doctor", "--json"]);
    let findings: serde_json::Value = serde_json::from_str(&out).unwrap();
    let [go, java, zig] = [0, 1, 2].map(|number| &findings["languages"][number]);
    assert_eq!((&go["language"], &java["language"], &zig["language"]), (&"go".into(), &"java".into(), &"zig".into()));
    assert_eq!(go["language_server"]["version"], "0.23.0");
    assert_eq!((code, &go["served"]), (1, &false.into()), "gopls is of no use without go: {out}");
    assert_eq!((&java["served"], &zig["served"]), (&true.into(), &true.into()), "{out}");
    assert_eq!(zig["checker"]["name"], "zig build check");
    assert_eq!(zig["language_server"]["lack"]["mend"], "run: landfall servers install zls");
    assert!([go, java, zig].iter().all(|language| language["syntax_floor"] == true));
    machine.tool("go", "go version go1.26.8 linux/amd64");
    assert_eq!(machine.run(&["doctor"]).0, 0);
}
