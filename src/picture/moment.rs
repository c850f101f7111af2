//! A moment, as ledgers tell it and as a person reads it.

use std::time::SystemTime;

use chrono::{DateTime, Utc};

/// A moment, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

impl Moment {
    /// The moment that `text` tells (RFC 3339).
    pub fn parse(text: &str) -> Option<Moment> {
        Some(Moment(DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis()))
    }

    /// `05:58:55`, UTC.
    pub fn clock(self) -> String {
        self.formatted("%H:%M:%S")
    }

    /// `05:58`, UTC.
    pub fn minute(self) -> String {
        self.formatted("%H:%M")
    }

    /// `1 December 2026`, UTC.
    pub fn day(self) -> String {
        self.formatted("%-d %B %Y")
    }

    /// RFC 3339, for programs.
    pub fn rfc3339(self) -> String {
        self.formatted("%Y-%m-%dT%H:%M:%S%.3fZ")
    }

    fn formatted(self, format: &str) -> String {
        DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default().format(format).to_string()
    }
}

impl From<SystemTime> for Moment {
    fn from(time: SystemTime) -> Moment {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// `84 ms`, `2.1 s`, `13 min`, `2 h 5 min`.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..10_000 => format!("{:.1} s", ms as f64 / 1e3),
        10_000..120_000 => format!("{} s", ms / 1_000),
        120_000..7_200_000 => format!("{} min", ms / 60_000),
        _ => format!("{} h {} min", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_durations_are_told_as_people_read_them() {
        let moment = Moment::parse("2026-12-01T05:58:55.250Z").expect("a moment");
        assert_eq!((moment.clock(), moment.minute()), ("05:58:55".into(), "05:58".into()));
        assert_eq!((moment.day(), moment.rfc3339()), ("1 December 2026".into(), "2026-12-01T05:58:55.250Z".into()));
        assert_eq!(Moment::parse("yesterday"), None);
        for (ms, expected) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (2_140, "2.1 s"),
            (61_000, "61 s"),
            (780_000, "13 min"),
            (7_500_000, "2 h 5 min"),
        ] {
            assert_eq!(duration(ms), expected);
        }
    }
}
