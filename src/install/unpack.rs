//! An archive unpacked into a folder, and nowhere else.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use super::InstallError;

const MAX_FILES: usize = 20_000;
const XZ_MEMORY: u64 = 256 << 20;

/// Unpacks a `.tar.xz` or `.tar.gz` (told by its first bytes) into `folder`, at most `max_bytes` of files.
///
/// Only plain files and folders with relative paths that stay inside are taken; anything else refuses the archive.
pub(super) fn unpack(archive: &Path, folder: &Path, max_bytes: u64) -> Result<(), InstallError> {
    let mut file = File::open(archive).map_err(InstallError::disk("read", archive))?;
    let mut magic = [0_u8; 6];
    let length = file.read(&mut magic).map_err(InstallError::disk("read", archive))?;
    file.seek(SeekFrom::Start(0)).map_err(InstallError::disk("read", archive))?;
    let file = BufReader::new(file);
    match &magic[..length] {
        b"\xFD7zXZ\0" => {
            let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)
                .map_err(|error| InstallError::Unsafe(error.to_string()))?;
            entries(liblzma::bufread::XzDecoder::new_stream(file, stream), folder, max_bytes)
        }
        [0x1F, 0x8B, ..] => entries(flate2::bufread::MultiGzDecoder::new(file), folder, max_bytes),
        _ => Err(InstallError::Unsafe("it is neither .tar.xz nor .tar.gz".to_string())),
    }
}

fn entries(stream: impl Read, folder: &Path, max_bytes: u64) -> Result<(), InstallError> {
    let broken = |error: io::Error| InstallError::Unsafe(format!("it is broken ({error})"));
    // Headers count too: a stream of nothing but headers must end as well.
    let mut archive = tar::Archive::new(stream.take(max_bytes.saturating_add((MAX_FILES as u64) * 1024)));
    let mut left = max_bytes;
    for (number, entry) in archive.entries().map_err(broken)?.enumerate() {
        let mut entry = entry.map_err(broken)?;
        let path = inside(&entry.path().map_err(broken)?)?;
        let size = entry.size();
        if number >= MAX_FILES || size > left {
            return Err(InstallError::Unsafe(format!("it holds more than {MAX_FILES} files or {max_bytes} bytes")));
        }
        left -= size;
        let target = folder.join(&path);
        match entry.header().entry_type() {
            tar::EntryType::Directory => {
                fs::create_dir_all(&target).map_err(InstallError::disk("make the folder", &target))?;
            }
            tar::EntryType::Regular => {
                let mode = if entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0) { 0o755 } else { 0o644 };
                write(&mut entry, &target, mode)?;
            }
            // A comment of the packer, with nothing to unpack.
            tar::EntryType::XGlobalHeader => {}
            other => {
                let problem = format!("{} is neither a file nor a folder ({other:?})", path.display());
                return Err(InstallError::Unsafe(problem));
            }
        }
    }
    Ok(())
}

/// The path without `.` parts, when it has nothing but names.
fn inside(path: &Path) -> Result<PathBuf, InstallError> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            _ => return Err(InstallError::Unsafe(format!("{} leads out of it", path.display()))),
        }
    }
    Ok(clean)
}

fn write(entry: &mut impl Read, target: &Path, mode: u32) -> Result<(), InstallError> {
    let disk = InstallError::disk("write", target);
    let written = (|| {
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        io::copy(entry, &mut File::create(target)?)?;
        fs::set_permissions(target, fs::Permissions::from_mode(mode))
    })();
    written.map_err(disk)
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;

    /// A `.tar` of files given by their raw path, content and kind.
    pub(in crate::install) fn tar_of(files: &[(&str, &[u8], tar::EntryType)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, bytes, kind) in files {
            let mut header = tar::Header::new_gnu();
            // Written raw: the builder itself would refuse what these tests are about.
            header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
            header.set_size(bytes.len() as u64);
            header.set_mode(0o755);
            header.set_entry_type(*kind);
            if *kind == tar::EntryType::Symlink {
                header.set_link_name("/etc/passwd").unwrap();
            }
            header.set_cksum();
            builder.append(&header, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    pub(in crate::install) fn xz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: &[u8], max_bytes: u64) -> (tempfile::TempDir, Result<(), InstallError>) {
        let place = tempfile::tempdir().unwrap();
        let archive = place.path().join("archive");
        fs::write(&archive, bytes).unwrap();
        let result = unpack(&archive, &place.path().join("in"), max_bytes);
        (place, result)
    }

    #[test]
    fn both_forms_are_unpacked() {
        let tar = tar_of(&[
            ("./", b"", tar::EntryType::Directory),
            ("./zls", b"program", tar::EntryType::Regular),
            ("doc/README.md", b"text", tar::EntryType::Regular),
        ]);
        for bytes in [xz(&tar), gz(&tar)] {
            let (place, result) = unpacked(&bytes, 1000);
            result.unwrap();
            assert_eq!(fs::read(place.path().join("in/zls")).unwrap(), b"program");
            assert_eq!(fs::metadata(place.path().join("in/zls")).unwrap().permissions().mode() & 0o777, 0o755);
            assert!(place.path().join("in/doc/README.md").is_file());
        }
    }

    #[test]
    fn what_does_not_belong_in_an_archive_refuses_it() {
        let file = tar::EntryType::Regular;
        let cases: [(&str, Vec<u8>, &str); 7] = [
            ("up", xz(&tar_of(&[("../evil", b"x", file)])), "leads out of it"),
            ("inner up", xz(&tar_of(&[("a/../../evil", b"x", file)])), "leads out of it"),
            ("absolute", xz(&tar_of(&[("/tmp/evil", b"x", file)])), "leads out of it"),
            ("link", xz(&tar_of(&[("zls", b"", tar::EntryType::Symlink)])), "neither a file nor a folder"),
            ("too large", xz(&tar_of(&[("zls", &[0; 2000], file)])), "more than"),
            ("cut", gz(&tar_of(&[("zls", &[7; 900], file)]))[..40].to_vec(), "broken"),
            ("zip", b"PK\x03\x04 and more".to_vec(), "neither .tar.xz nor .tar.gz"),
        ];
        for (case, bytes, expected) in cases {
            let (place, result) = unpacked(&bytes, 1000);
            let error = result.unwrap_err().to_string();
            assert!(error.contains(expected), "{case}: {error}");
            assert!(!place.path().join("evil").exists(), "{case}");
        }
    }
}
