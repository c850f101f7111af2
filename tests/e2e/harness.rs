//! The harnesses in small of `examples/harness`: each does what README says, as README shows it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::daemon::Seat;
use crate::support::{available, wait_until};

const EXAMPLES: &[&str] =
    &["over_stdio.py", "over_stdio.ts", "over_socket.py", "over_socket.ts", "over_http.py", "over_http.ts"];

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/harness").join(name)
}

#[test]
fn the_readme_shows_them_as_they_are() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("a README");
    for name in EXAMPLES {
        let text = std::fs::read_to_string(example(name)).expect("an example");
        let language = if name.ends_with(".py") { "python" } else { "ts" };
        let quoted = format!("```{language}\n{text}```\n");
        assert!(readme.contains(&quoted), "README has another {name}: put this there\n{quoted}");
        assert!(text.lines().count() <= 36, "{name} is no small example any more");
    }
    let there = std::fs::read_dir(example("")).expect("a folder").count();
    assert_eq!(there, EXAMPLES.len(), "each example is shown and run");
}

#[test]
fn over_stdio() {
    for name in ["over_stdio.py", "over_stdio.ts"] {
        let play = Play::new();
        play.check(name, &[]);
    }
}

#[test]
fn over_the_socket() {
    for name in ["over_socket.py", "over_socket.ts"] {
        let play = Play::new();
        let service = play.serve(&[], "serving on");
        play.check(name, &[]);
        play.end(service);
    }
}

#[test]
fn over_http() {
    for name in ["over_http.py", "over_http.ts"] {
        let play = Play::new();
        let token = play.folder.path().join("token");
        let token = token.to_str().expect("UTF-8");
        let root = play.workspace().display().to_string();
        let service =
            play.serve(&["--http", "127.0.0.1:0", "--token-file", token, "--root", &root], "serving http on ");
        let url = service.1.clone();
        play.check(name, &[&url, token]);
        play.end(service);
    }
}

/// A workspace with a greeting in it, and a daemon's folders.
struct Play {
    folder: tempfile::TempDir,
    seat: Seat,
}

impl Play {
    fn new() -> Play {
        let play = Play { folder: tempfile::tempdir().expect("a folder"), seat: Seat::new() };
        std::fs::create_dir(play.workspace()).expect("a folder");
        std::fs::write(play.greeting(), "hello world\n").expect("writes");
        play
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn greeting(&self) -> PathBuf {
        self.workspace().join("hello.txt")
    }

    /// Starts the service, and waits until it has said the line that begins so; with what stood behind.
    fn serve(&self, arguments: &[&str], line: &str) -> (Child, String) {
        let mut command = self.seat.command(&["serve", "--no-lsp"]);
        let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let said = lines.map_while(Result::ok).find_map(|said| Some(said.strip_prefix(line)?.trim().to_owned()));
        (child, said.expect("it serves"))
    }

    fn end(&self, mut service: (Child, String)) {
        assert!(self.seat.command(&["stop", "--force"]).output().expect("runs").status.success());
        wait_until("the service ends", || service.0.try_wait().expect("a child").is_some());
    }

    /// Runs an example: it makes one edit, and tells its text and that it has landed.
    fn check(&self, name: &str, arguments: &[&str]) {
        let Some(mut command) = interpreter(name) else { return };
        let program = Path::new(env!("CARGO_BIN_EXE_landfall")).parent().expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        command.arg(example(name)).args(arguments).arg(self.workspace()).envs(self.seat.environment());
        command.env("PATH", format!("{}:{path}", program.display())).stdin(Stdio::null());
        let output = command.output().expect("runs");
        let (said, fault) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{name}: {said}{fault}");
        assert!(said.starts_with("edited hello.txt: line 1, +1 -1"), "{name}: {said}{fault}");
        assert!(said.trim_end().ends_with("landed hello.txt"), "{name}: {said}");
        assert_eq!(std::fs::read_to_string(self.greeting()).expect("reads"), "hello moon\n", "{name}");
    }
}

/// What runs an example, where it is installed: Node runs TypeScript from 22.18 on.
fn interpreter(name: &str) -> Option<Command> {
    if name.ends_with(".py") {
        return available("python", &["python3"]).then(|| Command::new("python3"));
    }
    let node = std::env::var_os("LANDFALL_NODE").map_or_else(|| PathBuf::from("node"), PathBuf::from);
    let version = Command::new(&node).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let mut numbers =
        version.trim_start_matches('v').split('.').map(|number| number.trim().parse::<u32>().unwrap_or(0));
    if (numbers.next(), numbers.next()) >= (Some(22), Some(18)) {
        return Some(Command::new(node));
    }
    let required = std::env::var("LANDFALL_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|word| word.trim() == "node"),
        "LANDFALL_REQUIRE names node, there is {version:?}"
    );
    eprintln!("skipped: {name} needs Node 22.18 or newer, there is {version:?}");
    None
}
