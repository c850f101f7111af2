//! What browsers hold instead of the token: random names that end by themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::token::random_text;

/// More than these are not kept; the oldest go.
const MOST: usize = 64;

/// The cookies that were given out. A cheap handle.
#[derive(Debug, Clone, Default)]
pub struct Cookies {
    given: Arc<Mutex<HashMap<String, Instant>>>,
}

impl Cookies {
    /// How long one holds.
    pub const LIFETIME: Duration = Duration::from_secs(12 * 3600);

    /// A new one.
    ///
    /// # Errors
    /// When the system has no random bits.
    pub fn issue(&self) -> std::io::Result<String> {
        let name = random_text()?;
        let now = Instant::now();
        let mut given = self.given();
        given.retain(|_, since| now.duration_since(*since) < Cookies::LIFETIME);
        if given.len() >= MOST
            && let Some(oldest) = given.iter().min_by_key(|(_, since)| **since).map(|(name, _)| name.clone())
        {
            given.remove(&oldest);
        }
        given.insert(name.clone(), now);
        Ok(name)
    }

    /// Whether `name` was given out and still holds. It has too many bits to be found by trying, or by timing.
    pub fn holds(&self, name: &str) -> bool {
        self.given().get(name).is_some_and(|since| since.elapsed() < Cookies::LIFETIME)
    }

    /// Takes one back.
    pub fn forget(&self, name: &str) {
        self.given().remove(name);
    }

    fn given(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_holds_until_it_is_taken_back_or_crowded_out() {
        let cookies = Cookies::default();
        let first = cookies.issue().expect("random bits");
        assert!(cookies.holds(&first) && !cookies.holds("") && !cookies.holds(&first[1..]));
        let second = cookies.issue().expect("random bits");
        assert_ne!(first, second);
        cookies.forget(&second);
        assert!(!cookies.holds(&second) && cookies.holds(&first));
        let later: Vec<String> = (0..MOST).map(|_| cookies.issue().expect("random bits")).collect();
        assert!(!cookies.holds(&first) && later.iter().all(|name| cookies.holds(name)));
    }
}
