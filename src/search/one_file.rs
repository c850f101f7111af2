//! The hits of one file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};

use super::clip::clip;
use super::limits::Watch;
use super::lines::Wanted;
use super::pattern::Pattern;

/// A longer line is not held: the file is told as one that could not be searched. Bytes.
const LONGEST_LINE: usize = 8 << 20;
/// A larger file is not searched for matches over several lines, which takes all of it at once. Bytes.
const LARGEST_MULTILINE: usize = 16 << 20;

/// What a line is in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A hit, or its first line.
    Hit,
    /// A further line of a hit that has several.
    Rest,
    /// A line near a hit.
    Context,
}

/// A line of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// 1-based.
    pub number: usize,
    /// Without its ending; of a long line the part around the match.
    pub text: String,
    /// What it is.
    pub role: Role,
}

/// The hits of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileHits {
    /// The lines that were asked for, in order; not more hits than asked for.
    pub lines: Vec<Line>,
    /// How many hits it has; at least 1 where only the file was asked for.
    pub count: usize,
    /// Whether it is binary: then its lines are left out.
    pub binary: bool,
}

/// One thread's tools for searching one file after the other.
pub(super) struct FileSearch<'s> {
    pattern: &'s Pattern,
    wanted: Wanted,
    watch: &'s Watch<'s>,
    searcher: Searcher,
}

impl<'s> FileSearch<'s> {
    /// `named` says that the file itself was named, so that it is searched also when binary.
    pub(super) fn new(pattern: &'s Pattern, wanted: Wanted, watch: &'s Watch<'s>, named: bool) -> FileSearch<'s> {
        let context = if let Wanted::Lines { context } = wanted { context } else { 0 };
        let binary = if named { BinaryDetection::convert(0) } else { BinaryDetection::quit(0) };
        let searcher = SearcherBuilder::new()
            .line_terminator(pattern.matcher.line_terminator().unwrap_or_default())
            .multi_line(pattern.multiline)
            .line_number(matches!(wanted, Wanted::Lines { .. }))
            .before_context(context)
            .after_context(context)
            .binary_detection(binary)
            .heap_limit(Some(if pattern.multiline { LARGEST_MULTILINE } else { LONGEST_LINE }))
            .build();
        FileSearch { pattern, wanted, watch, searcher }
    }

    /// The hits of the file at `path`; `None` without any.
    ///
    /// # Errors
    /// When it cannot be read, has too long a line, or it is time to stop.
    pub(super) fn search(&mut self, path: &Path) -> io::Result<Option<FileHits>> {
        let file = File::open(path)?;
        let mut sink = Collect {
            matcher: &self.pattern.matcher,
            wanted: self.wanted,
            most: self.watch.most(),
            found: FileHits::default(),
            quits: self.searcher.binary_detection().quit_byte().is_some(),
        };
        let reader = Stoppable { file, watch: self.watch };
        // A large file is read in large pieces only where all of it is needed anyway, so there is no mapping.
        self.searcher.search_reader(&self.pattern.matcher, reader, &mut sink)?;
        Ok(Some(sink.found).filter(|found| found.count > 0))
    }
}

/// A file whose reading ends when the search does.
struct Stoppable<'s> {
    file: File,
    watch: &'s Watch<'s>,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.watch.stop(false) {
            Some(_) => Err(io::Error::other("the search was stopped")),
            None => self.file.read(buffer),
        }
    }
}

struct Collect<'s> {
    matcher: &'s RegexMatcher,
    wanted: Wanted,
    most: usize,
    found: FileHits,
    /// Whether a binary file's hits are dropped, as ripgrep does in a walk.
    quits: bool,
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, hit: &SinkMatch<'_>) -> io::Result<bool> {
        let before = self.found.count;
        self.found.count += if searcher.multi_line_with_matcher(self.matcher) { self.count(hit.bytes())? } else { 1 };
        match self.wanted {
            Wanted::Files => return Ok(false),
            Wanted::Lines { .. } if before < self.most => self.keep(hit)?,
            _ => {}
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.found.count < self.most {
            let number = context.line_number().unwrap_or(0) as usize;
            self.found.lines.push(Line { number, text: clip(context.bytes(), 0..0), role: Role::Context });
        }
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        if finish.binary_byte_offset().is_some() {
            self.found.binary = true;
            self.found.lines.clear();
            if self.quits {
                self.found.count = 0;
            }
        }
        Ok(())
    }
}

impl Collect<'_> {
    fn count(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut count = 0;
        self.matcher.find_iter(bytes, |_| {
            count += 1;
            true
        })?;
        Ok(count.max(1))
    }

    fn keep(&mut self, hit: &SinkMatch<'_>) -> io::Result<()> {
        let first = hit.line_number().unwrap_or(0) as usize;
        let found = self.matcher.find(hit.bytes())?;
        for (index, line) in hit.lines().enumerate() {
            let role = if index == 0 { Role::Hit } else { Role::Rest };
            let focus = if index == 0 { found.map_or(0, |found| found.start()) } else { 0 };
            self.found.lines.push(Line { number: first + index, text: clip(line, focus..focus), role });
        }
        Ok(())
    }
}
