//! The one look at the disk that resolution takes: what stands at a path, and where it really is.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};

use crate::temporaries::is_temporary;

/// How many symlinks one path may lead through, as the kernel counts.
const MAX_LINKS: usize = 40;

/// What stands at a path, the last component not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    Missing,
    File,
    Directory,
    Link(PathBuf),
    /// Neither file nor directory, in words (`a named pipe`).
    Special(&'static str),
    Denied,
    /// A name or the whole path is longer than the file system takes.
    TooLong,
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Whether it is a directory, or a link to one.
    pub(super) is_directory: bool,
    pub(super) is_link: bool,
}

/// What resolution asks of a file system, so that it can be tested without one.
pub(super) trait Disk {
    /// Looks at one path.
    fn look(&self, path: &Path) -> Look;
    /// The names in a directory, in no order; empty when it cannot be read.
    fn list(&self, directory: &Path) -> Vec<Entry>;
    /// What `~` stands for.
    fn home(&self) -> Option<PathBuf>;
}

/// The machine's own file system.
pub(super) struct RealDisk;

impl Disk for RealDisk {
    fn look(&self, path: &Path) -> Look {
        let metadata = match std::fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) => return Look::of_error(&error),
        };
        let kind = metadata.file_type();
        match () {
            () if kind.is_file() => Look::File,
            () if kind.is_dir() => Look::Directory,
            () if kind.is_symlink() => match std::fs::read_link(path) {
                Ok(target) => Look::Link(target),
                Err(error) => Look::of_error(&error),
            },
            () if kind.is_fifo() => Look::Special("a named pipe"),
            () if kind.is_socket() => Look::Special("a socket"),
            () => Look::Special("a device"),
        }
    }

    fn list(&self, directory: &Path) -> Vec<Entry> {
        let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
        let known = entries.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(|name| !is_temporary(name.as_ref()))?;
            let kind = entry.file_type().ok()?;
            let is_directory = kind.is_dir() || kind.is_symlink() && entry.path().is_dir();
            Some(Entry { name, is_directory, is_link: kind.is_symlink() })
        });
        known.collect()
    }

    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir().filter(|home| home.is_absolute())
    }
}

impl Look {
    fn of_error(error: &std::io::Error) -> Look {
        match error.kind() {
            ErrorKind::PermissionDenied => Look::Denied,
            ErrorKind::InvalidFilename => Look::TooLong,
            _ => Look::Missing,
        }
    }
}

/// What a path ends in, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    File,
    Directory,
    Special(&'static str),
    Missing,
    /// A component before the last is a file.
    BelowFile,
    /// Links that lead in a circle.
    Circle,
    Denied,
    TooLong,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The path without links: what exists of it resolved, what does not as typed.
    pub(super) real: PathBuf,
    /// The deepest directory of it that exists.
    pub(super) existing: PathBuf,
    pub(super) end: End,
}

impl Place {
    /// Whether anything stands there.
    pub(super) fn exists(&self) -> bool {
        !matches!(self.end, End::Missing | End::BelowFile | End::TooLong)
    }

    /// Whether only the last component is missing.
    pub(super) fn parent_exists(&self) -> bool {
        self.end == End::Missing && self.real.parent() == Some(&self.existing)
    }
}

/// Follows `path` (absolute) component by component. `..` behind a link leaves the link's target, as for the kernel;
/// `..` behind what does not exist takes it back.
pub(super) fn locate(disk: &impl Disk, path: &Path) -> Place {
    let mut left: VecDeque<OsString> = components(path);
    let mut real = PathBuf::from("/");
    let mut end = End::Directory;
    let mut existing = real.clone();
    let mut links = 0;
    while let Some(name) = left.pop_front() {
        if name == ".." {
            real.pop();
            if existing.starts_with(&real) {
                existing.clone_from(&real);
                end = End::Directory;
            }
            continue;
        }
        real.push(&name);
        match end {
            End::Directory => {}
            End::File | End::Special(_) => {
                end = End::BelowFile;
                continue;
            }
            _ => continue,
        }
        end = match disk.look(&real) {
            Look::Directory => {
                existing.clone_from(&real);
                End::Directory
            }
            Look::Link(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Place { real, existing, end: End::Circle };
                }
                real.pop();
                if target.is_absolute() {
                    real = PathBuf::from("/");
                    existing.clone_from(&real);
                }
                for part in components(&target).into_iter().rev() {
                    left.push_front(part);
                }
                End::Directory
            }
            Look::File => End::File,
            Look::Special(what) => End::Special(what),
            Look::Missing => End::Missing,
            Look::Denied => End::Denied,
            Look::TooLong => End::TooLong,
        };
    }
    Place { real, existing, end }
}

fn components(path: &Path) -> VecDeque<OsString> {
    let meaning = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    });
    meaning.collect()
}

#[cfg(test)]
pub(super) mod fake {
    //! A disk that is a list.

    use super::*;
    use std::collections::BTreeMap;

    /// Paths and what stands there; directories above a path exist by themselves.
    #[derive(Default)]
    pub(in super::super) struct FakeDisk(BTreeMap<PathBuf, Look>);

    impl FakeDisk {
        /// A disk with these files. `name -> target` is a link, a trailing `/` a directory, a trailing `|` a pipe.
        pub(in super::super) fn new(paths: &[&str]) -> FakeDisk {
            let mut disk = FakeDisk::default();
            for path in paths {
                let (name, look) = match path.split_once(" -> ") {
                    Some((name, target)) => (name, Look::Link(target.into())),
                    None if path.ends_with('/') => (*path, Look::Directory),
                    None if path.ends_with('|') => (path.trim_end_matches('|'), Look::Special("a named pipe")),
                    None => (*path, Look::File),
                };
                for above in Path::new(name).ancestors().skip(1) {
                    disk.0.entry(above.to_owned()).or_insert(Look::Directory);
                }
                disk.0.insert(Path::new(name).components().collect(), look);
            }
            disk
        }
    }

    impl Disk for FakeDisk {
        fn look(&self, path: &Path) -> Look {
            if path.components().any(|part| part.as_os_str().len() > 255) {
                return Look::TooLong;
            }
            self.0.get(path).cloned().unwrap_or(Look::Missing)
        }

        fn list(&self, directory: &Path) -> Vec<Entry> {
            let inside = self.0.iter().filter(|(path, _)| path.parent() == Some(directory));
            let entry = |(path, look): (&PathBuf, &Look)| Entry {
                name: path.file_name().unwrap().to_str().unwrap().to_owned(),
                is_directory: match look {
                    Look::Link(_) => locate(self, path).end == End::Directory,
                    look => *look == Look::Directory,
                },
                is_link: matches!(look, Look::Link(_)),
            };
            inside.map(entry).collect()
        }

        fn home(&self) -> Option<PathBuf> {
            Some("/home/user".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fake::FakeDisk;
    use super::*;

    #[test]
    fn a_path_is_followed_as_the_kernel_does_and_further_where_it_does_not_exist() {
        let disk = FakeDisk::new(&[
            "/w/src/a.go",
            "/w/link -> src",
            "/w/out -> /etc",
            "/etc/passwd",
            "/w/loop -> loop",
            "/w/dangling -> src/new.go",
            "/w/pipe|",
        ]);
        for (typed, real, end) in [
            ("/w/src/a.go", "/w/src/a.go", End::File),
            ("/w/link/a.go", "/w/src/a.go", End::File),
            ("/w/link/../src", "/w/src", End::Directory),
            ("/w/out/../w/src", "/w/src", End::Directory),
            ("/w/out/passwd", "/etc/passwd", End::File),
            ("/w/x/../src/a.go", "/w/src/a.go", End::File),
            ("/w/x/y", "/w/x/y", End::Missing),
            ("/w/x/../../..", "/", End::Directory),
            ("/w/dangling", "/w/src/new.go", End::Missing),
            ("/w/src/a.go/b", "/w/src/a.go/b", End::BelowFile),
            ("/w/loop/a", "/w/loop", End::Circle),
            ("/w/pipe", "/w/pipe", End::Special("a named pipe")),
        ] {
            let place = locate(&disk, Path::new(typed));
            assert_eq!((place.real.to_str().unwrap(), place.end), (real, end), "{typed}");
        }
        assert_eq!(locate(&disk, Path::new("/w/link/x/y")).existing, Path::new("/w/src"));
    }
}
