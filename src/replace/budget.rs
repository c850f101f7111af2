//! A bound on work, counted in steps and not in time, so that the answer is the same on every machine.

/// Steps that one search may still take.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub(super) fn of(steps: usize) -> Budget {
        Budget { left: steps }
    }

    /// Takes `steps` off; `false` when they are not there (then what is left is kept).
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_not_spent() {
        let mut budget = Budget::of(10);
        assert_eq!((budget.spend(6), budget.spend(6), budget.spend(4), budget.spend(1)), (true, false, true, false));
    }
}
