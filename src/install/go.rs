//! `go install` into a folder of its own.

use std::path::Path;
use std::process::Command;

use super::commands::run_step;
use super::{InstallError, Progress};
use crate::programs::find_on_path;

/// Builds `package` (`MODULE@VERSION`) into `folder/bin`.
pub(super) fn install(package: &str, folder: &Path, progress: &mut dyn Progress) -> Result<(), InstallError> {
    let go = find_on_path("go").ok_or_else(|| InstallError::MissingTool {
        tool: "go".to_string(),
        get: "Get Go from https://go.dev/dl/ or your package manager".to_string(),
    })?;
    progress.step(&format!("go install {package}"));
    let mut command = Command::new(go);
    command
        .args(["install", package])
        .env("GOBIN", folder.join("bin"))
        // GOBIN and a foreign target exclude each other; it is to run here.
        .env_remove("GOOS")
        .env_remove("GOARCH")
        .current_dir(folder);
    let hint = "Check the network (GOPROXY) and that `go version` is recent; then run the same command again.";
    run_step(&mut command, &format!("go install {package}"), Some(hint)).map(drop)
}
