//! What models wrap around text, taken off: each view is another reading of the whole query.

mod escapes;
mod wrappings;

use std::borrow::Cow;

use super::likeness::likeness;

/// Most layers that are taken off, one after the other.
const MAX_DEPTH: usize = 3;
/// Most views of one query.
const MAX_VIEWS: usize = 12;
/// Longer queries are not searched for escapes and entities, nor compared as a whole.
const MAX_BYTES: usize = 256 << 10;

/// A reading of a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct View<'q> {
    pub(super) old: Cow<'q, str>,
    pub(super) new: Cow<'q, str>,
    /// What was taken off, under the names of `matched_via`.
    pub(super) layers: Vec<&'static str>,
    /// The wrapping was so plain on both sides that the bare query is hardly meant.
    pub(super) evident: bool,
    /// Something was taken off that a file may have on its own account: escapes, entities.
    pub(super) undoes_what_can_be_meant: bool,
}

/// One kind of wrapping, and how it comes off.
struct Layer {
    name: &'static str,
    /// The bare text of one side; `None` where there is nothing to take off. The other side is shown for its evidence.
    old: fn(&str, &str) -> Option<String>,
    new: fn(&str, &str) -> Option<String>,
    /// A new text may have the like on its own account.
    can_be_meant: bool,
}

const LAYERS: [Layer; 11] = [
    Layer {
        name: "fence_stripped",
        old: |old, _| wrappings::without_fence(old),
        new: |new, _| wrappings::without_fence(new),
        can_be_meant: false,
    },
    Layer {
        name: "fence_stripped",
        old: |old, _| wrappings::without_outer(old),
        new: |new, _| wrappings::without_outer(new),
        can_be_meant: false,
    },
    Layer {
        name: "quote_marks_stripped",
        old: |old, _| wrappings::without_quote_marks(old, old),
        new: wrappings::without_quote_marks,
        can_be_meant: false,
    },
    Layer {
        name: "line_numbers_stripped",
        old: |old, _| wrappings::without_line_numbers(old, None),
        new: |new, old| wrappings::without_line_numbers(new, Some(old)),
        can_be_meant: false,
    },
    Layer {
        name: "diff_markers_stripped",
        old: |old, new| wrappings::without_diff_signs(old, '-', new, '+'),
        new: |new, old| wrappings::without_diff_signs(new, '+', old, '-'),
        can_be_meant: false,
    },
    Layer {
        name: "quotes_normalized",
        old: |old, _| escapes::without_quote_escapes(old),
        new: |new, _| escapes::without_quote_escapes(new),
        can_be_meant: true,
    },
    Layer {
        name: "escape_normalized",
        old: |old, _| escapes::without_escapes(old),
        new: |new, _| escapes::without_escapes(new),
        can_be_meant: true,
    },
    Layer {
        name: "escape_normalized",
        old: |old, _| escapes::without_needless_escapes(old, old),
        new: escapes::without_needless_escapes,
        can_be_meant: true,
    },
    Layer {
        name: "escape_normalized",
        old: |old, _| escapes::without_json(old),
        new: |new, _| escapes::without_json(new),
        can_be_meant: true,
    },
    Layer {
        name: "escape_normalized",
        old: |old, _| escapes::without_typed_tabs(old),
        new: |new, _| escapes::without_typed_tabs(new),
        can_be_meant: false,
    },
    Layer {
        name: "entities_decoded",
        old: |old, _| escapes::without_entities(old),
        new: |new, _| escapes::without_entities(new),
        can_be_meant: true,
    },
];

/// Every reading of the query but the bare one, fewest layers first.
pub(super) fn views<'q>(old: &'q str, new: &'q str) -> Vec<View<'q>> {
    let bare = View {
        old: Cow::Borrowed(old),
        new: Cow::Borrowed(new),
        layers: Vec::new(),
        evident: false,
        undoes_what_can_be_meant: false,
    };
    let (mut found, mut from): (Vec<View<'q>>, usize) = (vec![bare], 0);
    if old.len() > MAX_BYTES || new.len() > MAX_BYTES {
        return Vec::new();
    }
    for _ in 0..MAX_DEPTH {
        let until = found.len();
        for at in from..until {
            for layer in &LAYERS {
                if found.len() > MAX_VIEWS {
                    break;
                }
                if let Some(view) = peel(&found[at], layer)
                    && !found.iter().any(|known| known.old == view.old && known.new == view.new)
                {
                    found.push(view);
                }
            }
        }
        from = until;
    }
    found.remove(0);
    found
}

fn peel<'q>(view: &View<'q>, layer: &Layer) -> Option<View<'q>> {
    if matches!(layer.name, "quotes_normalized" | "escape_normalized")
        && escapes::is_level_unclear(&view.old, &view.new)
    {
        return None;
    }
    let old = (layer.old)(&view.old, &view.new).filter(|old| *old != view.old && !old.trim().is_empty())?;
    let peeled = (layer.new)(&view.new, &view.old).filter(|new| *new != view.new);
    let mut layers = view.layers.clone();
    layers.push(layer.name);
    let evident = view.evident
        || layer.name == "diff_markers_stripped"
            && peeled.is_some()
            && wrappings::is_plainly_diff(&view.old, &view.new);
    let new = match peeled {
        Some(peeled) if new_is_wrapped_too(layer, view, &old, &peeled) => Cow::Owned(peeled),
        _ => view.new.clone(),
    };
    let undoes_what_can_be_meant = view.undoes_what_can_be_meant || layer.can_be_meant;
    Some(View { old: Cow::Owned(old), new, layers, evident, undoes_what_can_be_meant })
}

/// Whether `new` carries the wrapping that was taken off `old`: then it shares more with the bare `old` when bare too.
fn new_is_wrapped_too(layer: &Layer, view: &View<'_>, old: &str, peeled: &str) -> bool {
    if !layer.can_be_meant {
        return true;
    }
    let bare_shared = shared_lines(old, peeled);
    let wrapped_shared = shared_lines(old, &view.new);
    if bare_shared != wrapped_shared {
        return bare_shared > wrapped_shared;
    }
    if matches!(layer.name, "quotes_normalized" | "escape_normalized")
        && view.old.contains('"')
        && !escapes::has_bare_quote(&view.old)
    {
        // Every quote of old is escaped: new is at the same level unless it has a bare one.
        return !escapes::has_bare_quote(&view.new);
    }
    likeness(old, peeled) >= likeness(old, &view.new)
}

/// How many lines two texts share, by their trimmed content; telling ones only.
fn shared_lines(a: &str, b: &str) -> usize {
    let known: std::collections::HashSet<&str> = a.lines().map(str::trim).filter(|line| line.len() > 3).collect();
    b.lines().map(str::trim).filter(|line| known.contains(line)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, layers: &[&str], bare_old: &str, bare_new: &str) {
        let found = views(old, new);
        let view = found.iter().find(|view| view.layers == layers).unwrap_or_else(|| panic!("{layers:?} in {found:?}"));
        assert_eq!((&*view.old, &*view.new), (bare_old, bare_new), "{old:?}");
    }

    #[test]
    fn a_wrapping_comes_off_both_sides_or_one() {
        check("```go\nf()\n```", "```go\ng()\n```\n", &["fence_stripped"], "f()", "g()");
        check("  12\tone\n  13\ttwo", "one\nTWO", &["line_numbers_stripped"], "one\ntwo", "one\nTWO");
        check("7: a()\n8: b()", "7: a()\n8: c()", &["line_numbers_stripped"], "a()\nb()", "a()\nc()");
        check(" keep()\n-gone()", " keep()\n+come()", &["diff_markers_stripped"], "keep()\ngone()", "keep()\ncome()");
        check("say(\\\"a\\\")", "say(\\\"b\\\")", &["quotes_normalized"], "say(\"a\")", "say(\"b\")");
        check("say(\\\"a\\\")", "say(\"a\\n\")", &["quotes_normalized"], "say(\"a\")", "say(\"a\\n\")");
        check("a()\\n\\tb()", "a()\\n\\tc()", &["escape_normalized"], "a()\n\tb()", "a()\n\tc()");
        check("a &lt; b &amp;&amp; c", "a &lt;= b", &["entities_decoded"], "a < b && c", "a <= b");
    }

    #[test]
    fn an_escape_that_old_does_not_explain_stays_unread() {
        assert_eq!(views("say(\\\"a\\\")", "say(\\\"a\\\\n\\\")"), []);
        check("say(\\\"a\\\\t\\\")", "say(\\\"a\\\\n\\\")", &["escape_normalized"], "say(\"a\\t\")", "say(\"a\\n\")");
    }

    #[test]
    fn layers_come_off_one_after_the_other() {
        let (old, new) = ("```\n1: say(\\\"a\\\")\n2: end()\n```", "```\n1: say(\\\"b\\\")\n2: end()\n```");
        check(
            old,
            new,
            &["fence_stripped", "line_numbers_stripped", "quotes_normalized"],
            "say(\"a\")\nend()",
            "say(\"b\")\nend()",
        );
    }

    #[test]
    fn plain_code_has_no_other_reading() {
        assert_eq!(views("let a = b;\nf(a)", "let a = c;\nf(a)"), []);
    }
}
