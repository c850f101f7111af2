//! Workspaces whose own configuration may name programs: told by the user, by real path and content.
//!
//! Opening a folder must not run its code. So a `.landfall.toml` is believed whole only as long as it is, byte for byte,
//! the one that the user has looked at; a change of it, whoever made it, ends the trust.

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{ConfigError, Servers, WORKSPACE_FILE, WorkspaceTuning};

/// The list of trusted files: a line each, the SHA-256 of its content, two blanks, its real path (as `sha256sum` writes).
#[derive(Debug, Clone)]
pub struct Trusted {
    list: PathBuf,
}

impl Trusted {
    /// The user's list, below `state`.
    pub fn below(state: &Path) -> Trusted {
        Trusted { list: state.join("trusted") }
    }

    /// Where the list is.
    pub fn list(&self) -> &Path {
        &self.list
    }

    /// Whether the user trusts the file at `real` with this content.
    pub fn holds(&self, real: &Path, content: &[u8]) -> bool {
        let wanted = line(real, content);
        std::fs::read_to_string(&self.list).is_ok_and(|list| list.lines().any(|line| line == wanted))
    }

    /// Trusts the file at `real` with this content, and no longer with any other.
    ///
    /// # Errors
    /// When the list cannot be written, or the path has a line break in it.
    pub fn add(&self, real: &Path, content: &[u8]) -> io::Result<()> {
        if real.to_string_lossy().contains(['\n', '\r']) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "its path has a line break in it"));
        }
        let mut list = self.without(real)?;
        list.push_str(&line(real, content));
        list.push('\n');
        self.write(&list)
    }

    /// Trusts the file at `real` no longer.
    ///
    /// # Errors
    /// When the list cannot be read or written.
    pub fn remove(&self, real: &Path) -> io::Result<()> {
        let list = self.without(real)?;
        self.write(&list)
    }

    /// The real paths of the files that are trusted with some content.
    pub fn paths(&self) -> Vec<PathBuf> {
        let list = std::fs::read_to_string(&self.list).unwrap_or_default();
        list.lines().filter_map(|line| line.split_once("  ")).map(|(_, path)| PathBuf::from(path)).collect()
    }

    fn without(&self, real: &Path) -> io::Result<String> {
        let list = match std::fs::read_to_string(&self.list) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let real = real.to_string_lossy();
        let others = list.lines().filter(|line| line.split_once("  ").is_none_or(|(_, path)| path != real));
        Ok(others.map(|line| format!("{line}\n")).collect())
    }

    fn write(&self, list: &str) -> io::Result<()> {
        let folder = self.list.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, list.as_bytes())?;
        file.persist(&self.list).map(drop).map_err(|error| error.error)
    }
}

fn line(real: &Path, content: &[u8]) -> String {
    let hash: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hash}  {}", real.display())
}

impl Servers {
    /// These language servers as the workspace at `root` wants them, by its own file if it has one.
    ///
    /// # Errors
    /// A file that cannot be read, that is wrong, or that asks for more than an untrusted one may.
    pub fn of_workspace(&self, root: &Path, trusted: &Trusted) -> Result<Servers, ConfigError> {
        let file = root.join(WORKSPACE_FILE);
        let content = match std::fs::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self.clone()),
            Err(source) => return Err(ConfigError::Unreadable { file, source }),
            Ok(content) => content,
        };
        // Hashed and read as one: nothing can come in between.
        let is_trusted = file.canonicalize().is_ok_and(|real| trusted.holds(&real, &content));
        let text = String::from_utf8(content).map_err(|_| ConfigError::Unreadable {
            file: file.clone(),
            source: io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"),
        })?;
        match is_trusted {
            true => self.with_file(&file, text),
            false => Ok(self.tuned(&WorkspaceTuning::parse(&file, &text)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMING: &str = "[servers.mine]\ncommand = \"./mine\"\nlanguages = [{ id = \"x\", extensions = [\"x\"] }]\n";

    #[test]
    fn a_file_is_believed_whole_only_as_it_was_trusted() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        let (file, trusted) = (root.join(WORKSPACE_FILE), Trusted::below(&root.join("state")));
        let of_workspace = || Servers::built_in().of_workspace(&root, &trusted);
        assert!(of_workspace().expect("no file").get("mine").is_none());
        std::fs::write(&file, NAMING).expect("written");
        let error = of_workspace().expect_err("not trusted").to_string();
        assert!(error.contains("`servers.mine.command`") && error.contains("landfall trust"), "{error}");
        trusted.add(&file, NAMING.as_bytes()).expect("added");
        assert_eq!(of_workspace().expect("trusted").get("mine").expect("there").command, "./mine");
        std::fs::write(&file, NAMING.replace("./mine", "./evil")).expect("written");
        assert!(of_workspace().is_err(), "the content is another");
        std::fs::write(&file, NAMING).expect("written");
        trusted.remove(&file).expect("removed");
        assert!(of_workspace().is_err() && trusted.paths().is_empty(), "no longer trusted");
    }

    #[test]
    fn trust_is_for_one_content_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let trusted = Trusted::below(folder.path());
        let file = Path::new("/w/.landfall.toml");
        trusted.add(file, b"1").expect("added");
        trusted.add(file, b"2").expect("added");
        assert!(!trusted.holds(file, b"1") && trusted.holds(file, b"2"));
        assert!(!trusted.holds(Path::new("/v/.landfall.toml"), b"2"));
        assert_eq!(trusted.paths(), [file]);
    }
}
