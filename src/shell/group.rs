//! The processes of one command.

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// Who ends the processes of commands should this process be killed.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// Told the number of each group that begins.
    pub began: fn(u32),
    /// Told when a group is gone; its number may then be used by others.
    pub ended: fn(u32),
}

/// A process group, guarded for as long as it has members.
#[derive(Debug)]
pub(super) struct Group {
    id: Pid,
    guard: Guard,
}

impl Group {
    /// The group that the process with this id leads.
    pub(super) fn led_by(process: u32, guard: Guard) -> Option<Group> {
        let id = Pid::from_raw(process.cast_signed())?;
        (guard.began)(process);
        Some(Group { id, guard })
    }

    /// Asks all of it to end.
    pub(super) fn terminate(&self) {
        // It fails only when the group is gone, which is what is wanted.
        let _ = kill_process_group(self.id, Signal::TERM);
    }

    /// Ends all of it.
    pub(super) fn kill(&self) {
        let _ = kill_process_group(self.id, Signal::KILL);
    }

    pub(super) fn is_gone(&self) -> bool {
        test_kill_process_group(self.id).is_err()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        (self.guard.ended)(self.id.as_raw_nonzero().get().cast_unsigned());
    }
}
