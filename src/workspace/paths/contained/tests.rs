use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::super::{Access, AllowRule, Purpose, resolve};
use super::*;
use crate::temporaries::unused_name;

/// A folder that is removed in the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        let name = unused_name().into_string().unwrap();
        let folder = std::env::temp_dir().canonicalize().unwrap().join(name.trim_start_matches('.'));
        std::fs::create_dir(&folder).unwrap();
        Folder(folder)
    }

    pub(super) fn path(&self, relative: &str) -> PathBuf {
        self.0.join(relative)
    }

    fn write(&self, relative: &str, text: &str) -> PathBuf {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn rules(&self) -> PathRules {
        std::fs::create_dir_all(self.path("root")).unwrap();
        PathRules::for_root(&self.path("root")).unwrap()
    }

    fn text(&self, relative: &str) -> String {
        std::fs::read_to_string(self.path(relative)).unwrap()
    }

    /// The names of our temporary files anywhere in it.
    fn left_behind(&self) -> Vec<PathBuf> {
        let mut open = vec![self.0.clone()];
        let mut left = Vec::new();
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(directory).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    open.push(entry.path());
                } else if is_temporary(&entry.file_name()) {
                    left.push(entry.path());
                }
            }
        }
        left
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn target(rules: &PathRules, typed: &str) -> Resolved {
    resolve(rules, typed, Purpose::WriteFile).unwrap()
}

fn replace(rules: &PathRules, typed: &str, old: Option<&str>, new: &str) -> Result<Written, WriteError> {
    let expected = old.map(|old| Expected::of(old.as_bytes()));
    replace_file(rules, &target(rules, typed), new.as_bytes(), expected.as_ref())
}

#[test]
fn a_file_is_replaced_whole_and_keeps_what_it_was() {
    let folder = Folder::new();
    let rules = folder.rules();
    let path = folder.write("root/run.sh", "old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    let attribute = rustix::fs::setxattr(&path, "user.landfall", b"kept", rustix::fs::XattrFlags::empty());
    let written = replace(&rules, "run.sh", Some("old"), "new").unwrap();
    assert_eq!((written.created, written.expected), (false, Expected::of(b"new")));
    assert_eq!(folder.text("root/run.sh"), "new");
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o751);
    if attribute.is_ok() {
        let mut value = [0_u8; 16];
        assert_eq!(rustix::fs::getxattr(&path, "user.landfall", &mut value[..]), Ok(4));
    }
    assert_eq!(folder.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn a_new_file_makes_its_directories_and_takes_them_back_if_it_fails() {
    let folder = Folder::new();
    let rules = folder.rules();
    let written = replace(&rules, "a/b/new.txt", None, "new").unwrap();
    assert_eq!((written.created, written.directories), (true, vec![folder.path("root/a"), folder.path("root/a/b")]));
    assert_eq!(folder.text("root/a/b/new.txt"), "new");
    assert!(matches!(replace(&rules, "a/b/new.txt", None, "newer"), Err(WriteError::ChangedMeanwhile)));

    let long = target(&rules, "c/d/new.txt");
    let long = Resolved { absolute: long.absolute.with_file_name("x".repeat(300)), ..long };
    assert!(replace_file(&rules, &long, b"new", None).is_err());
    assert!(!folder.path("root/c").exists());
}

#[test]
fn a_link_stays_and_its_target_changes() {
    let folder = Folder::new();
    let rules = folder.rules();
    folder.write("root/real/file.txt", "old");
    symlink("real/file.txt", folder.path("root/link.txt")).unwrap();
    symlink("real/new.txt", folder.path("root/dangling.txt")).unwrap();
    replace(&rules, "link.txt", Some("old"), "new").unwrap();
    replace(&rules, "dangling.txt", None, "fresh").unwrap();
    assert_eq!(
        (folder.text("root/real/file.txt"), folder.text("root/real/new.txt")),
        ("new".to_owned(), "fresh".to_owned())
    );
    assert!(folder.path("root/link.txt").is_symlink() && folder.path("root/dangling.txt").is_symlink());
}

#[test]
fn what_must_not_be_replaced_has_an_error_of_its_own_and_stays() {
    let folder = Folder::new();
    let rules = folder.rules();
    for name in ["protected", "linked", "other", "changed", "gone", "pipe", "directory"] {
        folder.write(&format!("root/{name}"), "old");
    }
    std::fs::set_permissions(folder.path("root/protected"), std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::hard_link(folder.path("root/linked"), folder.path("root/twin")).unwrap();
    let targets: Vec<(&str, Resolved)> =
        ["protected", "linked", "changed", "gone", "pipe", "directory"].map(|name| (name, target(&rules, name))).into();
    std::fs::write(folder.path("root/changed"), "OLD").unwrap();
    for name in ["gone", "pipe", "directory"] {
        std::fs::remove_file(folder.path(&format!("root/{name}"))).unwrap();
    }
    rustix::fs::mkfifoat(CWD, folder.path("root/pipe"), Mode::from_raw_mode(0o600)).unwrap();
    std::fs::create_dir(folder.path("root/directory")).unwrap();
    for (name, target) in targets {
        let error = replace_file(&rules, &target, b"new", Some(&Expected::of(b"old"))).unwrap_err();
        let as_due = match name {
            "protected" => matches!(error, WriteError::ReadOnly),
            "linked" => matches!(error, WriteError::HardLinked { links: 2 }),
            "pipe" => matches!(error, WriteError::NotAFile { what: "a named pipe" }),
            "directory" => matches!(error, WriteError::NotAFile { what: "a directory" }),
            _ => matches!(error, WriteError::ChangedMeanwhile),
        };
        assert!(as_due, "{name}: {error:?}");
        let reading = read_file(&rules, &target, 2);
        match name {
            "gone" => assert!(matches!(reading, Ok(None))),
            "pipe" | "directory" => assert!(matches!(reading, Err(ReadError::NotAFile { .. }))),
            _ => assert!(matches!(reading, Err(ReadError::TooLarge { bytes: 3, most: 2 }))),
        }
    }
    assert_eq!(
        (folder.text("root/protected"), folder.text("root/twin"), folder.text("root/changed")),
        ("old".into(), "old".into(), "OLD".into())
    );
    assert_eq!(folder.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn a_removed_file_is_the_one_expected() {
    let folder = Folder::new();
    let rules = folder.rules();
    folder.write("root/a", "old");
    let file = target(&rules, "a");
    assert!(matches!(remove_file(&rules, &file, &Expected::of(b"other")), Err(WriteError::ChangedMeanwhile)));
    assert_eq!(folder.text("root/a"), "old");
    remove_file(&rules, &file, &Expected::of(b"old")).unwrap();
    assert!(!folder.path("root/a").exists() && folder.left_behind().is_empty());
}

#[test]
fn what_was_set_aside_comes_back_as_it_was() {
    let folder = Folder::new();
    let rules = folder.rules();
    let path = folder.write("root/a", "old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(&path).unwrap();
    let aside = set_aside(&rules, &target(&rules, "a"), &Expected::of(b"old")).unwrap();
    assert!(!path.exists());
    aside.put_back().unwrap();
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
    let aside = set_aside(&rules, &target(&rules, "a"), &Expected::of(b"old")).unwrap();
    folder.write("root/a", "newer");
    assert!(matches!(aside.put_back(), Err(WriteError::ChangedMeanwhile)));
    assert_eq!(folder.text("root/a"), "newer");
}

#[test]
fn a_new_file_can_be_made_like_another_and_unmade_whatever_its_mode() {
    let folder = Folder::new();
    let rules = folder.rules();
    let path = folder.write("root/a.sh", "old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o555)).unwrap();
    let (new, like) = (target(&rules, "b/c/a.sh"), target(&rules, "a.sh"));
    let made = replace_file_like(&rules, &new, b"new", None, Some(Like::File(&like))).unwrap();
    assert_eq!(std::fs::metadata(&new.absolute).unwrap().mode() & 0o7777, 0o555);
    assert!(matches!(remove_file(&rules, &new, &made.expected), Err(WriteError::ReadOnly)));
    unmake(&rules, &new, &made).unwrap();
    assert!(!folder.path("root/b").exists());
}

#[test]
fn only_what_no_live_process_works_on_is_swept() {
    let folder = Folder::new();
    let rules = folder.rules();
    std::fs::create_dir(folder.path("root/.hidden")).unwrap();
    let names = ["root/.hidden/.landfall-0000000000000001", "root/.landfall-0000000000000002", "root/.landfall-file"];
    let paths = names.map(|name| folder.write(name, "left"));
    let in_use = File::open(&paths[1]).unwrap();
    temporary::mark_in_use(&in_use);
    symlink(&paths[2], folder.path("root/.landfall-0000000000000003")).unwrap();
    assert_eq!(sweep(&rules.root), 0, "all of them are young");
    let remove = |path: &Path| remove_abandoned(&rules.root, path, Duration::ZERO).is_some();
    assert!(remove(&paths[0]) && !paths[0].exists());
    assert!(!remove(&paths[1]) && paths[1].exists());
    assert!(!remove(&folder.path("root/.landfall-0000000000000003")), "a link is none of ours");
    drop(in_use);
    assert!(remove(&paths[1]));
}

#[test]
fn a_directory_is_listed_without_what_is_ours_and_never_through_a_link() {
    let folder = Folder::new();
    let rules = folder.rules();
    for name in ["dir/a", "dir/sub/b", "dir/.landfall-0000000000000001"] {
        folder.write(&format!("root/{name}"), "");
    }
    folder.write("outside/secret", "");
    let directory = resolve(&rules, "dir", Purpose::Directory).unwrap();
    let mut names: Vec<_> = list(&rules, &directory).unwrap().into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(names, ["a", "sub"]);
    std::fs::rename(folder.path("root/dir"), folder.path("root/elsewhere")).unwrap();
    symlink(folder.path("outside"), folder.path("root/dir")).unwrap();
    assert!(matches!(list(&rules, &directory), Err(ReadError::Escapes)));
}

#[test]
fn rules_widen_for_reading_and_for_writing() {
    let folder = Folder::new();
    let mut rules = folder.rules();
    folder.write("read/a.txt", "old");
    folder.write("write/b/c.txt", "old");
    let glob = |name: &str| format!("{}/**", folder.path(name).display());
    rules.allow.push(AllowRule::new(&glob("read"), Access::ReadOnly).unwrap());
    rules.allow.push(AllowRule::new(&glob("write"), Access::ReadWrite).unwrap());
    let readable = resolve(&rules, folder.path("read/a.txt").to_str().unwrap(), Purpose::ReadFile).unwrap();
    assert_eq!(read_file(&rules, &readable, 9).unwrap().unwrap().bytes, b"old");
    assert!(matches!(replace_file(&rules, &readable, b"new", Some(&Expected::of(b"old"))), Err(WriteError::Escapes)));
    let writable = folder.path("write/b/c.txt");
    replace(&rules, writable.to_str().unwrap(), Some("old"), "new").unwrap();
    assert_eq!((folder.text("read/a.txt"), folder.text("write/b/c.txt")), ("old".into(), "new".into()));
}

/// Swaps `root/dir` for a link to `outside` and back, as fast as it goes, while `work` runs.
/// How long the two threads of a race may take to meet.
const PATIENCE: Duration = Duration::from_secs(30);

fn with_swapping(folder: &Folder, work: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (directory, other) = (folder.path("root/dir"), folder.path("root/other"));
            symlink(folder.path("outside"), &other).unwrap();
            let swap = || renameat_with(CWD, &other, CWD, &directory, RenameFlags::EXCHANGE).unwrap();
            while !stop.load(Ordering::Relaxed) {
                swap();
                swap();
            }
        });
        let _stop = StopAtEnd(&stop);
        work();
    });
}

/// Stops the other thread also when the test fails.
struct StopAtEnd<'s>(&'s AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_directory_swapped_for_a_link_during_a_replacement_leads_nowhere() {
    let folder = Folder::new();
    let rules = folder.rules();
    folder.write("root/dir/file.txt", "same");
    let outside = File::open(folder.write("outside/file.txt", "same")).unwrap();
    let file = target(&rules, "dir/file.txt");
    let (mut landed, begun) = (0, Instant::now());
    with_swapping(&folder, || {
        for attempt in 0.. {
            landed += usize::from(replace_file(&rules, &file, b"same", Some(&Expected::of(b"same"))).is_ok());
            // On a busy machine the other thread may not have had its turn yet.
            if attempt >= 1000 && (landed > 0 || begun.elapsed() > PATIENCE) {
                break;
            }
        }
    });
    assert!(landed > 0, "the directory was never met in its place");
    assert_eq!(outside.metadata().unwrap().nlink(), 1, "the file outside was replaced");
    assert_eq!(std::fs::read_dir(folder.path("outside")).unwrap().count(), 1);
    assert_eq!(folder.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn a_directory_swapped_for_a_link_between_resolving_and_making_a_file_leads_nowhere() {
    let folder = Folder::new();
    let rules = folder.rules();
    folder.write("root/dir/file.txt", "");
    folder.write("outside/file.txt", "");
    let mut landed = Vec::new();
    with_swapping(&folder, || {
        for number in 0..600 {
            let typed = format!("dir/sub{number}/new{number}.txt");
            let Ok(file) = resolve(&rules, &typed, Purpose::WriteFile) else { continue };
            if replace_file(&rules, &file, b"new", None).is_ok() {
                landed.push(typed);
            }
        }
    });
    assert_eq!(std::fs::read_dir(folder.path("outside")).unwrap().count(), 1);
    for typed in &landed {
        assert_eq!(folder.text(&format!("root/{typed}")), "new");
    }
    assert!(!landed.is_empty(), "the directory was never met in its place");
}

#[test]
fn another_writer_is_never_overwritten_unread() {
    const ROUNDS: usize = 250;
    let folder = Folder::new();
    let rules = folder.rules();
    folder.write("root/file", "theirs 0");
    let file = target(&rules, "file");
    let (attempts, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let began_with = |start: &str| folder.text("root/file").starts_with(start);
    let landed = std::thread::scope(|scope| {
        let ours = scope.spawn(|| {
            let mut landed = 0;
            while !stop.load(Ordering::Relaxed) {
                let found = read_file(&rules, &file, 1 << 20).unwrap().unwrap();
                let text = [&found.bytes[..], b" ours"].concat();
                match replace_file(&rules, &file, &text, Some(&found.expected)) {
                    Ok(_) => landed += 1,
                    Err(WriteError::ChangedMeanwhile) => {}
                    Err(error) => panic!("{error:?}"),
                }
                attempts.fetch_add(1, Ordering::Relaxed);
            }
            landed
        });
        let _stop = StopAtEnd(&stop);
        for round in 1..=ROUNDS {
            let mine = format!("theirs {round} ");
            std::fs::write(folder.path("root/theirs"), &mine).unwrap();
            let seen = attempts.load(Ordering::Relaxed);
            std::fs::rename(folder.path("root/theirs"), folder.path("root/file")).unwrap();
            // For a moment our file may stand in its place; that it comes back is what is tested.
            let end = Instant::now() + Duration::from_secs(20);
            while !ours.is_finished() && attempts.load(Ordering::Relaxed) < seen + 1 + round % 3 || !began_with(&mine) {
                assert!(Instant::now() < end, "what the other one wrote last is lost: {:?}", folder.text("root/file"));
            }
        }
        stop.store(true, Ordering::Relaxed);
        ours.join().unwrap()
    });
    assert!(began_with(&format!("theirs {ROUNDS} ")) && landed > 0);
    assert_eq!(folder.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = Folder::new();
    let rules = folder.rules();
    let mount = |arguments: &[&str]| {
        let ran = std::process::Command::new(arguments[0]).args(&arguments[1..]).arg(folder.path("root")).output();
        ran.is_ok_and(|output| output.status.success())
    };
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs"]) {
        println!("skipped: no tmpfs can be mounted here");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        folder.write("root/file", "old");
        let file = target(&rules, "file");
        let error = replace_file(&rules, &file, &vec![b'x'; 1 << 20], Some(&Expected::of(b"old"))).unwrap_err();
        assert!(matches!(error, WriteError::NoSpace), "{error:?}");
        let error = replace_file(&rules, &target(&rules, "a/new"), &vec![b'x'; 1 << 20], None).unwrap_err();
        assert!(matches!(error, WriteError::NoSpace), "{error:?}");
        assert_eq!(folder.text("root/file"), "old");
        assert!(!folder.path("root/a").exists() && folder.left_behind().is_empty());
    });
    assert!(mount(&["umount"]));
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}
