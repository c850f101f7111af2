//! The real path nearest to one that does not exist: a misspelt name, or the right name in another directory.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::disk::{Disk, End, Entry, Look, locate};
use super::likeness::{Cost, NEAR, joined_cost, segment_cost};

/// How many names a search by name may look at.
const MOST_NAMES: usize = 3000;
/// How many directories a descent may list.
const MOST_LISTS: usize = 48;
/// How many equally near paths are worth telling.
const MOST_TOLD: usize = 3;

/// A real path and how far it is from what was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Near {
    pub(super) path: PathBuf,
    pub(super) cost: Cost,
    pub(super) end: End,
}

/// Real paths near `names` beneath `from`, nearest first, none farther than `limit`. Only where a name does not exist
/// as typed are its neighbours tried, besides the name itself.
pub(super) fn descend(disk: &impl Disk, from: &Path, names: &[&str], limit: Cost) -> Vec<Near> {
    let mut open = vec![(0, from.to_owned(), 0)];
    let mut found: Vec<Near> = Vec::new();
    let mut lists = 0;
    while let Some(index) = open.iter().enumerate().min_by_key(|(_, (cost, ..))| *cost).map(|(index, _)| index) {
        let (cost, directory, depth) = open.swap_remove(index);
        let Some(name) = names.get(depth) else {
            let end = locate(disk, &directory).end;
            found.push(Near { path: directory, cost, end });
            if found.len() > MOST_TOLD {
                break;
            }
            continue;
        };
        let exact = directory.join(name);
        if !matches!(disk.look(&exact), Look::Missing | Look::Denied | Look::TooLong) {
            open.push((cost, exact, depth + 1));
        }
        if lists < MOST_LISTS && cost < limit {
            lists += 1;
            open.extend(
                neighbours(&disk.list(&directory), &names[depth..], limit - cost)
                    .into_iter()
                    .map(|(step, entry, taken)| (cost + step, directory.join(&entry.name), depth + taken)),
            );
        }
    }
    found
}

/// The entries near the first of `names`, or near the first two joined; never one exactly as typed.
fn neighbours<'e>(entries: &'e [Entry], names: &[&str], limit: Cost) -> Vec<(Cost, &'e Entry, usize)> {
    let near = |entry: &'e Entry, taken: usize| {
        let cost = joined_cost(names.get(..taken)?, &[&entry.name]).filter(|cost| (1..=limit).contains(cost))?;
        let usable = !entry.is_link && (entry.is_directory || taken == names.len());
        usable.then_some((cost, entry, taken))
    };
    entries.iter().flat_map(|entry| [near(entry, 1), near(entry, 2)]).flatten().collect()
}

/// Paths in the workspace that `names` may have meant, relative to `root`, nearest first and at most three.
pub(super) fn suggestions(disk: &impl Disk, root: &Path, names: &[&str], directory: bool) -> Vec<String> {
    let wanted = |end: End| if directory { end == End::Directory } else { end == End::File };
    let mut told: Vec<Near> =
        descend(disk, root, names, NEAR).into_iter().filter(|near| near.cost > 0 && wanted(near.end)).collect();
    if let Some(best) = told.first().map(|near| near.cost) {
        told.retain(|near| near.cost == best);
    }
    let mut paths: Vec<PathBuf> = told.into_iter().map(|near| near.path).collect();
    for path in by_name(disk, root, names, directory, paths.is_empty()) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let relative = |path: &PathBuf| path.strip_prefix(root).ok().map(|path| path.to_string_lossy().into_owned());
    paths.iter().filter_map(relative).take(MOST_TOLD).collect()
}

/// Paths whose last name is that of `names` (or, if `loosely`, near it), those with most of the typed directories first.
fn by_name(disk: &impl Disk, root: &Path, names: &[&str], directory: bool, loosely: bool) -> Vec<PathBuf> {
    let Some((name, above)) = names.split_last() else { return Vec::new() };
    let mut hits: Vec<(Cost, usize, PathBuf)> = Vec::new();
    let mut open = VecDeque::from([root.to_owned()]);
    let mut seen = 0;
    while let Some(current) = open.pop_front() {
        for entry in disk.list(&current) {
            seen += 1;
            if entry.is_link {
                continue;
            }
            if entry.is_directory == directory {
                let cost =
                    if entry.name == *name { Some(0) } else { segment_cost(name, &entry.name).filter(|_| loosely) };
                if let Some(cost) = cost {
                    let strange = above
                        .iter()
                        .filter(|name| !current.components().any(|part| part.as_os_str() == **name))
                        .count();
                    hits.push((cost, strange, current.join(&entry.name)));
                }
            }
            if entry.is_directory && !is_bulk(&entry.name) {
                open.push_back(current.join(&entry.name));
            }
        }
        if seen > MOST_NAMES {
            break;
        }
    }
    hits.sort();
    let best = hits.first().map(|(cost, ..)| *cost);
    hits.into_iter().filter(|(cost, ..)| Some(*cost) == best).map(|(.., path)| path).take(MOST_TOLD).collect()
}

/// Directories of made or fetched files, where nobody means to edit.
fn is_bulk(name: &str) -> bool {
    const BULK: [&str; 18] = [
        ".git",
        ".hg",
        ".svn",
        ".cache",
        ".gradle",
        ".idea",
        ".mypy_cache",
        ".next",
        ".tox",
        ".venv",
        ".zig-cache",
        "__pycache__",
        "dist",
        "node_modules",
        "target",
        "vendor",
        "zig-cache",
        "zig-out",
    ];
    BULK.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::disk::fake::FakeDisk;
    use super::*;

    #[test]
    fn the_nearest_file_is_a_misspelt_name_or_the_name_elsewhere() {
        let disk = FakeDisk::new(&[
            "/w/errors.go",
            "/w/go.mod",
            "/w/internal/store/store.go",
            "/w/internal/http/handler.go",
            "/w/cmd/a/main.go",
            "/w/cmd/b/main.go",
            "/w/test_1.py",
            "/w/test_2.py",
            "/w/node_modules/x/deep.go",
            "/w/out -> /w/internal",
        ]);
        for (typed, expected) in [
            ("error.go", vec!["errors.go"]),
            ("gos.mod", vec!["go.mod"]),
            ("internal/stor/store.go", vec!["internal/store/store.go"]),
            ("Internal/Store/Stores.go", vec!["internal/store/store.go"]),
            ("store.go", vec!["internal/store/store.go"]),
            ("src/http/handler.go", vec!["internal/http/handler.go"]),
            ("http/handlers.go", vec!["internal/http/handler.go"]),
            ("b/main.go", vec!["cmd/b/main.go", "cmd/a/main.go"]),
            ("test_.py", vec!["test_1.py", "test_2.py"]),
            ("internal-http/handler.go", vec!["internal/http/handler.go"]),
            ("deep.go", vec![]),
            ("nothing/like/this.txt", vec![]),
        ] {
            let names: Vec<&str> = typed.split('/').collect();
            assert_eq!(suggestions(&disk, Path::new("/w"), &names, false), expected, "{typed}");
        }
        assert_eq!(suggestions(&disk, Path::new("/w"), &["internal", "stores"], true), ["internal/store"]);
    }
}
