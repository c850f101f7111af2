//! Language servers, installed on request into the user's data folder: the recipes of `servers.toml` carried out.
//!
//! Invariant: nothing is installed, and nothing is asked of a network, unless [`install`] is called.

mod archive;
mod commands;
mod error;
mod go;
mod progress;
mod store;
mod unpack;
mod venv;

use std::path::{Path, PathBuf};

pub use commands::version_of;
pub use error::InstallError;
pub use progress::{Lines, Progress, on_stderr};
pub use store::Receipt;

use crate::config::{InstallRecipe, ServerSpec};
use crate::dirs::Dirs;
use crate::programs::is_program;

/// A language server that is installed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its program.
    pub program: PathBuf,
    /// What was installed.
    pub receipt: Receipt,
    /// Whether it was there already, so that nothing was done.
    pub already: bool,
}

/// What was installed under that name, if anything.
pub fn installed(name: &str, dirs: &Dirs) -> Option<Receipt> {
    Receipt::read(&dirs.servers().join(name))
}

/// Carries out a language server's recipe.
///
/// The former one stays in use until the new one has shown that it starts; whatever goes wrong, it is left as it was.
/// With `again` a recipe that was carried out already is carried out once more.
///
/// # Errors
/// What is missing or failed, with the command that mends it.
pub fn install(
    spec: &ServerSpec,
    dirs: &Dirs,
    again: bool,
    progress: &mut dyn Progress,
) -> Result<Installed, InstallError> {
    let recipe = spec.install.as_ref().ok_or_else(|| InstallError::NoRecipe { name: spec.name.clone() })?;
    let plan = Plan::of(recipe)?;
    let place = store::Place::lock(&dirs.servers(), &spec.name)?;
    let program = place.current().join("bin").join(&spec.command);
    if let Some(receipt) = Receipt::read(place.current())
        && !again
        && receipt.recipe == plan.recipe
        && version_of(&program, &spec.version_args).is_some()
    {
        return Ok(Installed { program, receipt, already: true });
    }
    let staging = place.stage()?;
    plan.carry_out(&spec.command, staging.folder(), progress)?;
    progress.step("starting it once");
    let receipt = Receipt { version: check_that_it_starts(spec, staging.folder(), &plan)?, recipe: plan.recipe };
    staging.finish(&receipt)?;
    Ok(Installed { program, receipt, already: false })
}

/// A recipe with everything filled in that depends on this machine.
struct Plan<'r> {
    steps: &'r InstallRecipe,
    /// What it installs, in one line: the same line means the same language server.
    recipe: String,
    /// What stands for `{version}` in an archive's address.
    version: String,
}

impl<'r> Plan<'r> {
    fn of(steps: &'r InstallRecipe) -> Result<Plan<'r>, InstallError> {
        let (recipe, version) = match steps {
            InstallRecipe::GoInstall { package } => (package.clone(), String::new()),
            InstallRecipe::PythonVenv { packages, .. } => (packages.join(" "), String::new()),
            InstallRecipe::Archive { url, index, version, version_from, binary, .. } => {
                let version = match version {
                    Some(version) => version.clone(),
                    None => archive::version_from(version_from)?,
                };
                let address = url.as_deref().or(index.as_deref()).unwrap_or_default();
                (format!("{binary} for {version} by {address}"), version)
            }
        };
        Ok(Plan { steps, recipe, version })
    }

    fn carry_out(&self, command: &str, folder: &Path, progress: &mut dyn Progress) -> Result<(), InstallError> {
        match self.steps {
            InstallRecipe::GoInstall { package } => go::install(package, folder, progress),
            InstallRecipe::PythonVenv { packages, java } => {
                venv::install(packages, java.as_ref(), command, folder, progress)
            }
            InstallRecipe::Archive { url, sha256, index, binary, .. } => {
                let source = match url {
                    Some(url) => archive::Source::Table { url, sha256 },
                    None => archive::Source::Index(index.as_deref().unwrap_or_default()),
                };
                archive::install(&source, &self.version, binary, command, folder, progress)
            }
        }
    }

    /// The version that the recipe itself names; for a language server that does not print its own.
    fn pinned_version(&self) -> String {
        let first = self.recipe.split(' ').next().unwrap_or_default();
        first.rsplit(['@', '=']).next().unwrap_or_default().trim_start_matches('v').to_string()
    }
}

fn check_that_it_starts(spec: &ServerSpec, folder: &Path, plan: &Plan<'_>) -> Result<String, InstallError> {
    let program = folder.join("bin").join(&spec.command);
    let does_not_start = || InstallError::DoesNotStart { name: spec.name.clone(), recipe: plan.recipe.clone() };
    if !is_program(&program) {
        return Err(does_not_start());
    }
    if spec.version_args.is_empty() {
        return Ok(plan.pinned_version());
    }
    version_of(&program, &spec.version_args).ok_or_else(does_not_start)
}
