use super::*;

/// A folder that is removed in the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        let name = format!("landfall-paths-{}-{:?}", std::process::id(), temporary::unused_name());
        let folder = std::env::temp_dir().canonicalize().unwrap().join(name.replace(['"', '.'], ""));
        std::fs::create_dir(&folder).unwrap();
        Folder(folder)
    }

    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.0.join(relative)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
