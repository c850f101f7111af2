//! The words of a decision that was not taken: what is there, what is near, what to do.

use std::path::Path;

use super::super::Purpose;
use super::super::disk::{Disk, End, Place, locate};
use super::super::nearest::suggestions;
use super::super::recovery::{Likely, likely};
use super::super::refusal::{Message, PathCode, PathRefused, shown, shown_path};
use super::super::spelling::{readings, segments, segments_of};
use super::Question;

impl<D: Disk> Question<'_, D> {
    pub(super) fn points_to(&self, real: &Path) -> String {
        format!("it points to {}", shown_path(real))
    }

    /// What was typed is there, or could be made there, but not in the workspace.
    pub(super) fn elsewhere(&self, place: &Place) -> PathRefused {
        let typed = shown(self.typed);
        let root = shown_path(&self.rules.root);
        let through_link = readings(self.typed, &self.roots, None).iter().any(|reading| {
            let names = segments(&reading.path.to_string_lossy()).join("/");
            self.is_inside(&Path::new("/").join(names)) && locate(self.disk, &reading.path).real == place.real
        });
        if through_link && !self.text.contains("..") {
            let mut message = Message::new(format!("`{typed}` leads out of the workspace through a link"));
            message.line(self.points_to(&place.real));
            message.line(format!("the workspace is {root}"));
            return message.refuse(
                PathCode::LinkOutside,
                Some("choose a path whose real place is in the workspace".to_owned()),
                None,
            );
        }
        let likely = likely(&self.text, &place.real, &self.roots);
        let suggestion = self.counterpart(&likely, &place.real);
        let mut message = Message::new(format!("`{typed}` is outside the workspace"));
        if let Some(right) = &suggestion {
            message.line(format!("nearest in the workspace: `{}`", shown(right)));
        }
        message.line(self.first_difference(&likely, &place.real));
        message.line(format!("the workspace is {root}"));
        let stands = if place.exists() {
            "it exists there and was left alone"
        } else {
            "its directory exists there and was left alone"
        };
        message.line(stands);
        message.refuse(PathCode::Outside, Some(self.outside_hint(suggestion.as_deref())), suggestion)
    }

    /// Nothing stands where it points, and it was not put right.
    pub(super) fn nowhere(&self, real: &Path, likely: &[Likely]) -> PathRefused {
        let directory = self.purpose == Purpose::Directory;
        let inside = self.is_inside(real);
        let typed = shown(self.typed);
        let root = &self.rules.root;
        let rest: Vec<String> = match (likely.first(), inside) {
            (Some(likely), _) => likely.rest.clone(),
            (None, true) => {
                segments_of(real.strip_prefix(root).unwrap_or(real)).into_iter().map(str::to_owned).collect()
            }
            (None, false) => Vec::new(),
        };
        let names: Vec<&str> = rest.iter().map(String::as_str).collect();
        let mut near = match self.counterpart(likely, real).filter(|_| !inside || !likely.is_empty()) {
            Some(path) => vec![path],
            None if names.is_empty() => Vec::new(),
            None => suggestions(self.disk, root, &names, directory),
        };
        near.dedup();
        let what = if directory { "directory" } else { "file" };
        let mut message = match inside {
            true => Message::new(format!("there is no {what} `{typed}` in the workspace")),
            false => Message::new(format!("`{typed}` is outside the workspace, and there is no such {what}")),
        };
        if !near.is_empty() {
            let list: Vec<String> = near.iter().map(|path| format!("`{}`", shown(path))).collect();
            message.line(format!("nearest in the workspace: {}", list.join(", ")));
        }
        if inside && likely.is_empty() {
            message.line(self.first_missing(real));
            if real.to_str() != Some(typed.as_str()) {
                message.line(self.points_to(real));
            }
        } else {
            message.line(self.first_difference(likely, real));
            message.line(format!("the workspace is {}", shown_path(root)));
        }
        let suggestion = near.into_iter().next();
        let hint = match &suggestion {
            Some(_) if !inside => self.outside_hint(suggestion.as_deref()),
            Some(right) => format!("use `{}`", shown(right)),
            None if inside => "find the right path with `glob` or `grep`".to_owned(),
            None => self.outside_hint(None),
        };
        let code = if inside { PathCode::NotFound } else { PathCode::Outside };
        message.refuse(code, Some(hint), suggestion)
    }

    /// The path in the workspace that has the place in it that was typed outside.
    fn counterpart(&self, likely: &[Likely], real: &Path) -> Option<String> {
        let there = |rest: &[String]| {
            let place = locate(self.disk, &self.rules.root.join(rest.join("/")));
            let new = self.purpose == Purpose::WriteFile && place.parent_exists();
            let usable = (place.exists() || new) && self.is_inside(&place.real) && place.real != self.rules.root;
            usable.then(|| rest.join("/"))
        };
        if let Some(path) = likely.iter().find_map(|likely| there(&likely.rest)) {
            return Some(path);
        }
        let names: Vec<String> = segments_of(real).into_iter().map(str::to_owned).collect();
        if names.len() == 1 {
            return there(&names);
        }
        let long_ends = (0..names.len().saturating_sub(1)).map(|from| &names[from..]);
        let exists = |rest: &&[String]| locate(self.disk, &self.rules.root.join(rest.join("/"))).exists();
        long_ends.filter(exists).find_map(there)
    }

    fn first_difference(&self, likely: &[Likely], real: &Path) -> String {
        if let Some(likely) = likely.first() {
            let (typed, right) = &likely.parts;
            return format!("first difference: you typed {typed} ; the workspace is {right}");
        }
        let (names, root) = (segments_of(real), segments_of(&self.rules.root));
        let same = names.iter().zip(&root).take_while(|(a, b)| a == b).count();
        let above = if same == 0 { "/" } else { "…/" };
        match (names.get(same), root.get(same)) {
            (Some(typed), Some(right)) => {
                format!(
                    "first difference: it leads to {above}{}, the workspace is in {above}{}",
                    shown(typed),
                    shown(right)
                )
            }
            _ => self.points_to(real),
        }
    }

    /// The first name of a path in the workspace that is not there.
    fn first_missing(&self, real: &Path) -> String {
        let place = locate(self.disk, real);
        let missing = real.strip_prefix(&place.existing).ok().and_then(|rest| rest.components().next());
        let name = missing.map(|name| shown(&name.as_os_str().to_string_lossy())).unwrap_or_default();
        let within = match self.relative(&place.existing) {
            root if root.is_empty() => "the workspace's top".to_owned(),
            directory => format!("`{}`", shown(&directory)),
        };
        match place.end {
            End::BelowFile => format!("`{name}` in {within} is a file, not a directory"),
            End::TooLong => format!("a name in it is too long ({} bytes)", self.text.len()),
            _ => format!("first difference: there is no `{name}` in {within}"),
        }
    }

    fn outside_hint(&self, suggestion: Option<&str>) -> String {
        match suggestion {
            Some(right) => format!("use the relative path `{}`", shown(right)),
            None => "give a path relative to the workspace, such as `src/main.go`".to_owned(),
        }
    }
}
