//! A bound on work, counted in steps and not in time, so that the answer is the same on every machine.

/// Steps that one search may still take.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: usize,
    is_spent: bool,
}

impl Budget {
    pub(super) fn of(steps: usize) -> Budget {
        Budget { left: steps, is_spent: false }
    }

    /// Takes `steps` off; `false` when they are not there, and from then on.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => self.is_spent = true,
        }
        !self.is_spent
    }

    /// Whether something was left undone for want of steps.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_something_was_left_undone_all_is() {
        let mut budget = Budget::of(10);
        assert_eq!((budget.spend(6), budget.is_spent()), (true, false));
        assert_eq!((budget.spend(6), budget.spend(1), budget.is_spent()), (false, false, true));
    }
}
