//! How far an install has come, for the person who waits for it.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// What an install tells of itself.
pub trait Progress {
    /// A step begins.
    fn step(&mut self, what: &str);
    /// So many bytes of the present step's download are here; `total` where it is known.
    fn downloaded(&mut self, bytes: u64, total: Option<u64>);
    /// All is done; what was shown of the way is taken away.
    fn end(&mut self);
}

/// Progress on standard error: a moving line on a terminal, else a line for each step. Each is led by `name`.
pub fn on_stderr(name: &str) -> Box<dyn Progress> {
    let stderr = std::io::stderr();
    if stderr.is_terminal() {
        Box::new(Bar::new(name))
    } else {
        Box::new(Lines { out: stderr, name: name.to_string() })
    }
}

/// A line for each step.
pub struct Lines<W> {
    /// Where they go.
    pub out: W,
    /// What they begin with.
    pub name: String,
}

impl<W: Write> Progress for Lines<W> {
    fn step(&mut self, what: &str) {
        // Progress that cannot be shown is no reason to stop.
        let _ = writeln!(self.out, "{}: {what}", self.name);
    }

    fn downloaded(&mut self, _bytes: u64, _total: Option<u64>) {}

    fn end(&mut self) {}
}

struct Bar {
    bar: ProgressBar,
    name: String,
}

impl Bar {
    fn new(name: &str) -> Bar {
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(120));
        Bar { bar, name: name.to_string() }
    }
}

impl Progress for Bar {
    fn step(&mut self, what: &str) {
        self.bar.set_style(ProgressStyle::default_spinner());
        self.bar.set_message(format!("{}: {what}", self.name));
    }

    fn downloaded(&mut self, bytes: u64, total: Option<u64>) {
        let form =
            if total.is_some() { "{spinner} {msg} {bytes}/{total_bytes} {eta}" } else { "{spinner} {msg} {bytes}" };
        if let Ok(style) = ProgressStyle::with_template(form) {
            self.bar.set_style(style);
        }
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.bar.set_position(bytes);
    }

    fn end(&mut self) {
        self.bar.finish_and_clear();
    }
}
