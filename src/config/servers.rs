//! All language servers: the built-in ones, with the user's files laid over them.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::options::KeyProblem;
use super::{ConfigError, ServerOptions, ServerSpec, WorkspaceTuning, locate};
use crate::dirs::Dirs;

const BUILT_IN: &str = include_str!("../../servers.toml");
const BUILT_IN_NAME: &str = "servers.toml (built in)";

/// The language servers that are configured, in the order in which they were first described.
#[derive(Debug, Clone, Default)]
pub struct Servers {
    specs: Vec<ServerSpec>,
    switched_off: Vec<String>,
    memory_mb: Option<u32>,
    layers: Vec<Layer>,
}

/// One file, as far as it must be known to say where something is wrong.
#[derive(Debug, Clone)]
struct Layer {
    file: PathBuf,
    text: String,
}

/// The shape of a whole file; read for its errors, which know their place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileOptions {
    #[serde(default)]
    #[allow(dead_code)] // Read for its errors only: values come from the merged tables.
    servers: std::collections::BTreeMap<String, ServerOptions>,
    memory_mb: Option<u32>,
}

impl Servers {
    /// The language servers that come with this program.
    pub fn built_in() -> Servers {
        Servers::from_files(&[]).expect("servers.toml is checked by a test")
    }

    /// The built-in language servers, then the user's own `landfall/servers.toml` in the configuration folder when it
    /// is there, then `files`: each laid over the former table by table and key by key.
    ///
    /// # Errors
    /// A file that cannot be read, or the first thing that is wrong in one, with line and key.
    pub fn load(files: &[PathBuf]) -> Result<Servers, ConfigError> {
        let own = Dirs::from_env().ok().map(|dirs| dirs.config().join("servers.toml")).filter(|file| file.exists());
        let all: Vec<PathBuf> = own.into_iter().chain(files.iter().cloned()).collect();
        Servers::from_files(&all)
    }

    /// The built-in language servers with `files` over them and nothing else.
    ///
    /// # Errors
    /// As [`Servers::load`].
    pub fn from_files(files: &[PathBuf]) -> Result<Servers, ConfigError> {
        let mut layers = vec![Layer { file: BUILT_IN_NAME.into(), text: BUILT_IN.to_string() }];
        for file in files {
            let text = std::fs::read_to_string(file)
                .map_err(|source| ConfigError::Unreadable { file: file.clone(), source })?;
            layers.push(Layer { file: file.clone(), text });
        }
        Servers::from_layers(&layers)
    }

    fn from_layers(layers: &[Layer]) -> Result<Servers, ConfigError> {
        let mut merged = Table::new();
        for layer in layers {
            lay_over(&mut merged, layer.table()?);
        }
        let memory_mb = layers.iter().rev().find_map(Layer::memory_mb);
        let mut servers = Servers { memory_mb, layers: layers.to_vec(), ..Servers::default() };
        for (name, table) in merged {
            let options = options_of(&name, table).map_err(|problem| problem_at(layers, &name, problem))?;
            if options.enabled == Some(false) {
                servers.switched_off.push(name);
                continue;
            }
            let spec = ServerSpec::try_from(options).map_err(|problem| problem_at(layers, &name, problem))?;
            servers.specs.push(ServerSpec { name, ..spec });
        }
        Ok(servers)
    }

    /// The language server for a file, by its extension. Of several the one described last, so that a user's own
    /// entry wins over a built-in one.
    pub fn for_path(&self, path: &Path) -> Option<&ServerSpec> {
        self.specs.iter().rev().find(|spec| spec.language_for(path).is_some())
    }

    /// The language server of that name, unless it is switched off.
    pub fn get(&self, name: &str) -> Option<&ServerSpec> {
        self.specs.iter().find(|spec| spec.name == name)
    }

    /// All that are not switched off, in a stable order.
    pub fn iter(&self) -> std::slice::Iter<'_, ServerSpec> {
        self.specs.iter()
    }

    /// Names of those that are switched off.
    pub fn switched_off(&self) -> &[String] {
        &self.switched_off
    }

    /// How much memory all language servers together may use, MiB, if that is configured.
    pub fn memory_mb(&self) -> Option<u32> {
        self.memory_mb
    }

    /// These language servers with one more file laid over them, as if it had been named.
    pub(super) fn with_file(&self, file: &Path, text: String) -> Result<Servers, ConfigError> {
        let mut layers = self.layers.clone();
        layers.push(Layer { file: file.to_owned(), text });
        Servers::from_layers(&layers)
    }

    /// These language servers as one workspace wants them.
    pub fn tuned(&self, tuning: &WorkspaceTuning) -> Servers {
        let mut servers = Servers { specs: Vec::new(), ..self.clone() };
        for spec in &self.specs {
            match tuning.apply(spec) {
                Some(spec) => servers.specs.push(spec),
                None => servers.switched_off.push(spec.name.clone()),
            }
        }
        servers
    }
}

impl<'s> IntoIterator for &'s Servers {
    type Item = &'s ServerSpec;
    type IntoIter = std::slice::Iter<'s, ServerSpec>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Layer {
    /// How much memory it allows all of them together.
    fn memory_mb(&self) -> Option<u32> {
        toml::from_str::<FileOptions>(&self.text).ok()?.memory_mb
    }

    /// Its `[servers]` table, after a look at every key.
    fn table(&self) -> Result<Table, ConfigError> {
        toml::from_str::<FileOptions>(&self.text)
            .map_err(|error| ConfigError::in_text(&self.file, &self.text, &error))?;
        let mut root: Table =
            toml::from_str(&self.text).map_err(|error| ConfigError::in_text(&self.file, &self.text, &error))?;
        match root.remove("servers") {
            Some(Value::Table(servers)) => Ok(servers),
            _ => Ok(Table::new()),
        }
    }
}

impl ConfigError {
    /// What the TOML reader found wrong, with the place as a person counts.
    pub(super) fn in_text(file: &Path, text: &str, error: &toml::de::Error) -> ConfigError {
        let offset = error.span().map_or(0, |span| span.start);
        ConfigError::Invalid {
            file: file.to_path_buf(),
            line: locate::line_of(text, offset),
            key: locate::key_at(text, offset),
            problem: error.message().trim_end().replace('\n', ", "),
        }
    }
}

/// Lays one table over another: tables by key, everything else as a whole. A table of another `kind` replaces.
fn lay_over(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) if same_kind(below, &above) => lay_over(below, above),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

fn same_kind(below: &Table, above: &Table) -> bool {
    above.get("kind").is_none_or(|kind| below.get("kind") == Some(kind))
}

fn options_of(name: &str, table: Value) -> Result<ServerOptions, KeyProblem> {
    // The name becomes a folder's name.
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if name.is_empty() || !name.chars().all(plain) {
        let problem = "a language server's name has letters, digits, - and _ only".to_string();
        return Err(KeyProblem { key: "", problem });
    }
    table.try_into().map_err(|error: toml::de::Error| KeyProblem { key: "", problem: error.message().to_string() })
}

/// Where a problem of the merged tables comes from: the last file that has the key, else the last with its table.
fn problem_at(layers: &[Layer], name: &str, problem: KeyProblem) -> ConfigError {
    let path: Vec<&str> = ["servers", name, problem.key].into_iter().filter(|part| !part.is_empty()).collect();
    let has_key = |layer: &&Layer, depth: usize| {
        let mut table = toml::from_str::<Table>(&layer.text).ok().map(Value::Table);
        for part in &path[..depth] {
            table = table.and_then(|value| value.get(part).cloned());
        }
        table.is_some()
    };
    let layer = (2..=path.len()).rev().find_map(|depth| layers.iter().rev().find(|layer| has_key(layer, depth)));
    let (file, line) = match layer {
        Some(layer) => (layer.file.clone(), locate::line_of_key(&layer.text, &path).unwrap_or(1)),
        None => (PathBuf::from(BUILT_IN_NAME), 1),
    };
    ConfigError::Invalid { file, line, key: path.join("."), problem: problem.problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layered(texts: &[&str]) -> Result<Servers, ConfigError> {
        let mut layers = vec![Layer { file: BUILT_IN_NAME.into(), text: BUILT_IN.to_string() }];
        for (number, text) in texts.iter().enumerate() {
            layers.push(Layer { file: format!("{}.toml", number + 1).into(), text: text.to_string() });
        }
        Servers::from_layers(&layers)
    }

    #[test]
    fn the_built_in_servers_are_found_by_extension() {
        let servers = Servers::built_in();
        let names: Vec<&str> = servers.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["gopls", "jdtls", "zls"]);
        for (file, name) in [("a/b.go", Some("gopls")), ("B.java", Some("jdtls")), ("x.zig", Some("zls")), ("x", None)]
        {
            assert_eq!(servers.for_path(Path::new(file)).map(|spec| spec.name.as_str()), name, "{file}");
        }
        assert!(servers.iter().all(|spec| spec.install.is_some()), "each can be installed");
    }

    #[test]
    fn files_are_laid_over_key_by_key() {
        let servers = layered(&[
            "[servers.gopls]\nmemory_mb = 2048\nsettings = { gofumpt = true }\ntimeouts = { settle_ms = 7 }",
            "[servers.gopls.env]\nGOFLAGS = \"-mod=mod\"\n[servers.gopls.install]\npackage = \"x@v1\"",
        ])
        .unwrap();
        let (gopls, plain) = (servers.get("gopls").unwrap(), Servers::built_in());
        let plain = plain.get("gopls").unwrap();
        assert_eq!((gopls.memory_mb, gopls.command.as_str()), (2048, "gopls"));
        assert_eq!(gopls.settings["gofumpt"], true);
        assert_eq!(gopls.settings["diagnosticsDelay"], plain.settings["diagnosticsDelay"]);
        assert_eq!(gopls.timeouts.settle_ms, 7);
        assert_eq!(gopls.timeouts.initialize_ms, plain.timeouts.initialize_ms);
        assert_eq!(gopls.env["GOFLAGS"], "-mod=mod");
        assert!(
            matches!(&gopls.install, Some(super::super::InstallRecipe::GoInstall { package }) if package == "x@v1")
        );
    }

    #[test]
    fn another_kind_of_recipe_replaces_the_former() {
        let text = "[servers.gopls.install]\nkind = \"python_venv\"\npackages = [\"gopls-py==1\"]";
        assert!(layered(&[text]).is_ok());
    }

    #[test]
    fn a_server_is_added_or_switched_off() {
        let servers = layered(&[
            "[servers.zls]\nenabled = false\n[servers.never]\nenabled = false",
            "[servers.mine]\ncommand = \"mine\"\nlanguages = [{ id = \"go\", extensions = [\"go\"] }]",
        ])
        .unwrap();
        assert!(servers.for_path(Path::new("x.zig")).is_none());
        assert_eq!(servers.switched_off(), ["zls", "never"]);
        assert_eq!(servers.for_path(Path::new("x.go")).unwrap().name, "mine", "the user's own entry wins");
        assert!(servers.get("gopls").is_some());
    }

    #[test]
    fn what_is_wrong_is_told_with_file_line_and_key() {
        let cases: [(&[&str], &str); 9] = [
            (&["[servers.gopls]\n\nmemory_mb = \"lots\""], "1.toml:3: `servers.gopls.memory_mb`: invalid type"),
            (&["[servers.gopls]\ncomand = \"x\""], "1.toml:2: `servers.gopls.comand`: unknown field `comand`"),
            (&["[servers.gopls.timeouts]\nsettle = 1"], "1.toml:2: `servers.gopls.timeouts.settle`: unknown field"),
            (&["[server.gopls]"], "1.toml:1: `server.gopls`: unknown field `server`"),
            (&["[servers.gopls]\nroot = \"up\""], "1.toml:2: `servers.gopls.root`: unknown variant"),
            (&["x = [1\n"], "1.toml:"),
            (&["", "[servers.mine]\nargs = []"], "2.toml:1: `servers.mine.command`: is missing"),
            (&["[servers.\"../up\"]\nargs = []"], "1.toml:1: `servers.../up`: a language server's name has"),
            (
                &["[servers.gopls]\ncommand = \"\"", "[servers.gopls]\nargs = []"],
                "1.toml:2: `servers.gopls.command`: is missing; give the program",
            ),
        ];
        for (texts, expected) in cases {
            let error = layered(texts).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{texts:?}\ngave: {error}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = Servers::from_files(&["/nowhere/s.toml".into()]).unwrap_err().to_string();
        assert!(error.starts_with("cannot read /nowhere/s.toml: "), "{error}");
    }
}
