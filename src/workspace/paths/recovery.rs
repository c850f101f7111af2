//! Recovery: a path that does not exist, and is near the workspace root, is taken for a path in the workspace.

use std::path::{Path, PathBuf};

use super::Purpose;
use super::disk::{Disk, End, Place, locate};
use super::likeness::{Cost, cuts, same_letters};
use super::nearest::descend;
use super::refusal::difference;
use super::spelling::{beneath, segments, segments_of};

/// A relative path is only taken for an absolute one without its `/` when the root has this many names …
const LONG_ROOT: usize = 3;
/// … of which so many stand in it as they are.
const SAME_NAMES: usize = 2;

/// A typed path read as the root, mistyped, and a rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Likely {
    /// The rest, relative to the root.
    pub(super) rest: Vec<String>,
    pub(super) cost: Cost,
    /// What stands for the root, absolute.
    head: PathBuf,
    /// Where the two part, as typed and as it is.
    pub(super) parts: (String, String),
}

/// The ways to read `text` (cleaned) and where it leads (`real`) as the root mistyped and a rest, the likeliest first.
pub(super) fn likely(text: &str, real: &Path, roots: &[&Path]) -> Vec<Likely> {
    let mut found: Vec<Likely> = Vec::new();
    for root in roots {
        let root_names = segments_of(root);
        for names in bases(text, real, root, &root_names) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            found.extend(cuts(&names, &root_names).into_iter().filter(|cut| cut.cost > 0).map(|cut| {
                let (head, rest) = names.split_at(cut.head);
                Likely {
                    rest: rest.iter().map(|name| (*name).to_owned()).collect(),
                    cost: cut.cost,
                    head: PathBuf::from(format!("/{}", head.join("/"))),
                    parts: difference(head, &root_names),
                }
            }));
        }
    }
    found.sort_by_key(|likely| likely.cost);
    found
}

/// The absolute paths, as names, that may be the root mistyped.
fn bases(text: &str, real: &Path, root: &Path, root_names: &[&str]) -> Vec<Vec<String>> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<String>>();
    let typed = owned(segments(text));
    let relative = match real.strip_prefix(root) {
        Ok(rest) if !text.starts_with('/') || typed.len() > root_names.len() => owned(segments_of(rest)),
        _ if text.starts_with('/') => return vec![typed, owned(segments_of(real))],
        _ => return vec![owned(segments_of(real))],
    };
    let mut bases = Vec::new();
    if root_names.len() >= LONG_ROOT
        && root_names.iter().filter(|name| relative.iter().any(|own| own == *name)).count() >= SAME_NAMES
    {
        bases.push(relative.clone());
    }
    if let (Some(first), Some((own, above))) = (relative.first(), root_names.split_last())
        && same_letters(first, own)
    {
        bases.push(above.iter().map(|name| (*name).to_owned()).chain(relative).collect());
    }
    bases
}

/// A path in the workspace that was put right.
pub(super) struct Recovered {
    pub(super) place: Place,
    pub(super) likely: Likely,
}

/// Chooses among `likely`: the cheapest whose rest names what `purpose` wants in the workspace, if nothing else on disk is
/// as near.
pub(super) fn choose(disk: &impl Disk, roots: &[&Path], likely: &[Likely], purpose: Purpose) -> Option<Recovered> {
    let root = roots.first()?;
    likely.iter().find_map(|likely| {
        let place = rests(root, &likely.rest, roots)
            .into_iter()
            .map(|path| locate(disk, &path))
            .find(|place| fits(place, root, purpose))?;
        (!has_rival(disk, root, likely, purpose)).then(|| Recovered { place, likely: likely.clone() })
    })
}

/// The rest itself, and what is left of it when the root stands in front of it once more.
fn rests(root: &Path, rest: &[String], roots: &[&Path]) -> Vec<PathBuf> {
    let names: Vec<&str> = rest.iter().map(String::as_str).collect();
    let mut paths = vec![root.join(names.join("/"))];
    paths.extend(beneath(root, &names, roots).into_iter().map(|(path, _)| path));
    paths
}

/// Whether `place` is in the workspace and is what `purpose` wants. A new file wants a directory that exists.
fn fits(place: &Place, root: &Path, purpose: Purpose) -> bool {
    let kind = match purpose {
        Purpose::ReadFile | Purpose::EditFile => place.end == End::File,
        Purpose::WriteFile => place.end == End::File || place.parent_exists(),
        Purpose::Directory => place.end == End::Directory,
        Purpose::ReadAny => matches!(place.end, End::File | End::Directory),
    };
    kind && place.real.starts_with(root)
}

/// Whether another directory on disk is nearer to what was typed than the root, or as near and holds what was typed.
fn has_rival(disk: &impl Disk, root: &Path, likely: &Likely, purpose: Purpose) -> bool {
    let from = locate(disk, &likely.head).existing;
    let head = segments_of(&likely.head);
    let depth = segments_of(&from).len();
    // The typed path may lead through links; then what is left of it cannot be told by counting.
    let left = if likely.head.starts_with(&from) { &head[depth..] } else { return has_typed(disk, likely) };
    descend(disk, &from, left, likely.cost).into_iter().any(|near| {
        let place = locate(disk, &near.path);
        if place.end != End::Directory || place.real.starts_with(root) {
            return false;
        }
        let there = locate(disk, &place.real.join(likely.rest.join("/")));
        // What is above the root is no other workspace; it is only in the way if it holds what was typed.
        near.cost < likely.cost && !root.starts_with(&place.real) || fits(&there, Path::new("/"), purpose)
    })
}

fn has_typed(disk: &impl Disk, likely: &Likely) -> bool {
    locate(disk, &likely.head).exists()
}
