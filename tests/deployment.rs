//! What the Dockerfile and README's pod start is what this program can be started with.

use std::path::Path;
use std::process::Command;

use landfall::config::Servers;

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The words of each line of `text` that begins with `start` and a list in square brackets.
fn lists(text: &str, start: &str) -> Vec<Vec<String>> {
    let after = text.lines().filter_map(|line| line.trim_start().strip_prefix(start));
    let inside = after.filter_map(|rest| Some(rest.trim().strip_prefix('[')?.split_once(']')?.0.to_owned()));
    inside.map(|list| list.split(", ").map(|word| word.trim_matches('"').to_owned()).collect()).collect()
}

#[test]
fn the_commands_are_understood() {
    let (dockerfile, readme) = (file("Dockerfile"), file("README.md"));
    assert_eq!(lists(&dockerfile, "ENTRYPOINT"), [["tini", "--", "landfall"]]);
    let commands = [lists(&dockerfile, "CMD"), lists(&readme, "args:")].concat();
    assert_eq!(commands.len(), 2);
    for command in commands {
        let run = Command::new(env!("CARGO_BIN_EXE_landfall")).args(&command).arg("--help").output().expect("runs");
        assert!(run.status.success(), "{command:?}: {}", String::from_utf8_lossy(&run.stderr));
    }
}

#[test]
fn the_probes_ask_where_it_listens() {
    for (text, listens) in [(file("Dockerfile"), "\"0.0.0.0:7420\""), (file("README.md"), "\"127.0.0.1:7420\"")] {
        assert!(text.contains(listens));
        let asked: Vec<&str> =
            text.split("\"http://").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
        assert!(!asked.is_empty());
        for address in asked {
            assert!(["127.0.0.1:7420/healthz", "127.0.0.1:7420/readyz"].contains(&address), "{address}");
        }
    }
}

#[test]
fn the_language_servers_have_a_recipe() {
    let dockerfile = file("Dockerfile");
    let named: Vec<&str> = dockerfile
        .split("landfall servers install ")
        .skip(1)
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    assert_eq!(named, ["gopls", "jdtls", "zls"]);
    for name in named {
        let servers = Servers::built_in();
        assert!(servers.get(name).is_some_and(|server| server.install.is_some()), "{name}");
    }
}
