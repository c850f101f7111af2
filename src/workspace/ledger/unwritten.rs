//! Lines that wait for room: a full disk keeps them out of the file for a while, not out of order, and tears none.

use std::io::{self, Write};

/// What could not be written yet.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    bytes: Vec<u8>,
    complained: bool,
}

impl Unwritten {
    /// Puts `line` behind what waits.
    pub(super) fn push(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
    }

    /// Writes what waits, as far as that can be done. One write a line as long as all goes well, so that a killed
    /// process leaves whole lines.
    ///
    /// # Errors
    /// Those of writing; what was not written waits on.
    pub(super) fn write_to(&mut self, file: &mut impl Write) -> io::Result<()> {
        while !self.bytes.is_empty() {
            match file.write(&self.bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(length) => drop(self.bytes.drain(..length)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.complained = false;
        Ok(())
    }

    /// Whether nothing was said yet of the fault that lasts; from now on it was.
    pub(super) fn complains(&mut self) -> bool {
        !std::mem::replace(&mut self.complained, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with so many bytes of room.
    struct Disk {
        room: usize,
        holds: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let length = bytes.len().min(self.room);
            if length == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room -= length;
            self.holds.extend_from_slice(&bytes[..length]);
            Ok(length)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_found_no_room_is_written_later_whole_and_in_order() {
        let mut disk = Disk { room: 10, holds: Vec::new() };
        let mut unwritten = Unwritten::default();
        for (line, room, written, complains) in [
            ("first\n", 0, "first\n", false),
            ("second\n", 0, "first\nseco", true),
            ("third\n", 0, "first\nseco", false),
            ("fourth\n", 100, "first\nsecond\nthird\nfourth\n", false),
        ] {
            disk.room += room;
            unwritten.push(line.as_bytes());
            let failed = unwritten.write_to(&mut disk).is_err();
            assert_eq!(String::from_utf8_lossy(&disk.holds), written);
            assert_eq!(failed && unwritten.complains(), complains, "{line}");
        }
        assert!(unwritten.complains(), "a later fault is another one");
    }
}
