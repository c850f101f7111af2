//! From replacements to a landed text, and from several hits to one.

use super::{Landed, RefusalCode, Refused, Replacement};
use crate::text::LineRange;

/// Applies the edits of each occurrence (all in order, none overlapping) to `text`.
///
/// # Errors
/// [`RefusalCode::AlreadyApplied`] when that changes nothing.
pub(super) fn landed(
    text: &str,
    occurrences: Vec<Vec<Replacement>>,
    matched_via: String,
    similarity: f64,
) -> Result<Landed, Refused> {
    let count = occurrences.len();
    let mut out = String::with_capacity(text.len() + grown(&occurrences));
    let (mut from, mut line, mut counted) = (0, 0, 0);
    let (mut edits, mut lines) = (Vec::new(), Vec::with_capacity(count));
    for occurrence in occurrences {
        let mut made: Option<LineRange> = None;
        for edit in occurrence.into_iter().filter(|edit| text[edit.span.start..edit.span.end] != edit.with) {
            out.push_str(&text[from..edit.span.start]);
            line += newlines(&out[counted..]);
            counted = out.len();
            let height = newlines(edit.with.trim_end_matches('\n')) + usize::from(!edit.with.is_empty());
            made = Some(LineRange::new(made.map_or(line, |made| made.start), line + height));
            out.push_str(&edit.with);
            from = edit.span.end;
            edits.push(edit);
        }
        lines.extend(made);
    }
    out.push_str(&text[from..]);
    if edits.is_empty() {
        return Err(Refused::plain(RefusalCode::AlreadyApplied));
    }
    Ok(Landed { text: out, edits, occurrences: count, matched_via, similarity, lines })
}

fn grown(occurrences: &[Vec<Replacement>]) -> usize {
    occurrences.iter().flatten().map(|edit| edit.with.len()).sum()
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

/// Which of several hits holds `near_line` (1-based) or begins nearest to it; `None` when that is no single one.
pub(super) fn choose(hits: &[LineRange], near_line: Option<usize>) -> Option<usize> {
    let wanted = near_line?.saturating_sub(1);
    let distance = |hit: &LineRange| {
        if (hit.start..hit.end.max(hit.start + 1)).contains(&wanted) { 0 } else { hit.start.abs_diff(wanted) }
    };
    let best = hits.iter().map(distance).min()?;
    let mut nearest = hits.iter().enumerate().filter(|(_, hit)| distance(hit) == best);
    match (nearest.next(), nearest.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}
