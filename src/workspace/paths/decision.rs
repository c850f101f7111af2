//! The decision: which reading of a typed path holds, if any.

use std::path::Path;

use super::disk::{Disk, End, Place, locate};
use super::likeness::is_near_duplicate;
use super::nearest::suggestions;
use super::recovery::{Likely, Recovered, choose, likely};
use super::refusal::{Message, PathCode, PathRefused, malformed, shown, shown_path};
use super::spelling::{Kind, Reading, cleaned, readings, segments, segments_of};
use super::{PathRules, Purpose, Recovery, Resolved};

/// [`super::resolve`] on any disk.
pub(super) fn resolve_on(
    disk: &impl Disk,
    rules: &PathRules,
    typed: &str,
    purpose: Purpose,
) -> Result<Resolved, PathRefused> {
    malformed(typed)?;
    let home = disk.home();
    let roots = rules.roots();
    let places: Vec<(Reading, Place)> = readings(typed, &roots, home.as_deref())
        .into_iter()
        .map(|reading| {
            let place = locate(disk, &reading.path);
            (reading, place)
        })
        .collect();
    let text = cleaned(typed, home.as_deref()).pop().unwrap_or_default();
    let question = Question { disk, rules, roots, typed, text, purpose };
    if let Some((_, place)) = places.iter().find(|(_, place)| place.exists()) {
        return question.take_existing(place);
    }
    let meant = places.iter().find(|(reading, _)| reading.clean).map(|(_, place)| place);
    let Some(meant) = meant else { return Err(question.nowhere(&question.rules.root, &[])) };
    question.take_missing(&places, meant)
}

/// One path to be decided on.
struct Question<'q, D> {
    disk: &'q D,
    rules: &'q PathRules,
    roots: Vec<&'q Path>,
    typed: &'q str,
    /// What was typed without its wrappings.
    text: String,
    purpose: Purpose,
}

impl<D: Disk> Question<'_, D> {
    fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.rules.root)
    }

    /// Something stands there: is it ours to use, and of the right kind?
    fn take_existing(&self, place: &Place) -> Result<Resolved, PathRefused> {
        match place.end {
            End::Circle => {
                let message = format!("`{}` leads through links that go in a circle", shown(self.typed));
                return Err(Message::new(message).refuse(PathCode::LinkCircle, None, None));
            }
            End::Denied => {
                let mut message =
                    Message::new(format!("`{}` may not be looked at (permission denied)", shown(self.typed)));
                message.line(self.points_to(&place.real));
                return Err(message.refuse(PathCode::Denied, None, None));
            }
            _ => {}
        }
        if !self.is_inside(&place.real) && !self.is_allowed(&place.real)? {
            return Err(self.elsewhere(place));
        }
        let wrong = |code, what: &str, hint: &str| {
            let mut message = Message::new(format!("`{}` is {what}", shown(self.typed)));
            message.line(self.points_to(&place.real));
            Err(message.refuse(code, Some(hint.to_owned()), None))
        };
        match (self.purpose, place.end) {
            (_, End::Special(what)) => wrong(PathCode::NotAFile, what, "give the path of a regular file"),
            (Purpose::Directory, End::File) => {
                wrong(PathCode::NotADirectory, "a file, and a directory is needed", "give the directory it is in")
            }
            (Purpose::ReadFile | Purpose::EditFile | Purpose::WriteFile, End::Directory) => wrong(
                PathCode::IsDirectory,
                "a directory, and a file is needed",
                "name a file in it; `glob` lists what is there",
            ),
            _ => Ok(self.resolved(place, None)),
        }
    }

    /// Whether a rule lets a path outside the workspace be used.
    fn is_allowed(&self, real: &Path) -> Result<bool, PathRefused> {
        let mut rules = self.rules.allow.iter().filter(|rule| rule.covers(real)).peekable();
        if rules.peek().is_none() {
            return Ok(false);
        }
        if self.purpose.writes() && !rules.any(|rule| rule.is_writable()) {
            let message = format!("`{}` is outside the workspace and may only be read", shown(self.typed));
            return Err(Message::new(message).refuse(PathCode::ReadOnly, None, None));
        }
        Ok(true)
    }

    /// Nothing stands there in any reading.
    fn take_missing(&self, places: &[(Reading, Place)], meant: &Place) -> Result<Resolved, PathRefused> {
        let is_new = self.purpose == Purpose::WriteFile;
        if is_new && let Some(resolved) = self.take_new(places)? {
            return Ok(resolved);
        }
        let likely = match self.rules.recovery {
            Recovery::Off => Vec::new(),
            _ => likely(&self.text, &meant.real, &self.roots),
        };
        if let Some(recovered) = choose(self.disk, &self.roots, &likely, self.purpose)
            && self.rules.recovery == Recovery::Correct
        {
            return Ok(self.put_right(&recovered));
        }
        if is_new && likely.is_empty() && meant.end == End::Missing && !self.text.ends_with('/') {
            if self.is_inside(&meant.real) {
                self.refuse_near_duplicate(places, meant)?;
                return Ok(self.resolved(meant, None));
            }
            if self.is_allowed(&meant.real)? {
                return Ok(self.resolved(meant, None));
            }
        }
        Err(self.nowhere(&meant.real, &likely))
    }

    /// A new file whose place is beyond doubt: its directory exists, or the whole root stands in what was typed.
    fn take_new(&self, places: &[(Reading, Place)]) -> Result<Option<Resolved>, PathRefused> {
        if self.text.ends_with('/') {
            return Ok(None);
        }
        for (reading, place) in places.iter().filter(|(reading, place)| reading.clean && place.end == End::Missing) {
            if !place.parent_exists() {
                continue;
            }
            let inside = self.is_inside(&place.real);
            match reading.kind {
                Kind::AsTyped if inside || self.is_allowed(&place.real)? => {
                    return Ok(Some(self.resolved(place, None)));
                }
                Kind::AsTyped => return Err(self.elsewhere(place)),
                Kind::WholeRoot if inside => return Ok(Some(self.resolved(place, None))),
                Kind::EndOfRoot | Kind::Prefix if inside && place.existing != self.rules.root => {
                    let right = self.relative(&place.real);
                    let note =
                        format!("path put right: you typed {} ; in the workspace it is {right}", shown(self.typed));
                    return Ok(Some(self.resolved(place, Some(note))));
                }
                _ => {}
            }
        }
        let whole = places.iter().find(|(reading, place)| {
            reading.clean && reading.kind == Kind::WholeRoot && place.end == End::Missing && self.is_inside(&place.real)
        });
        match whole {
            Some((_, place)) => {
                self.refuse_near_duplicate(&[], place)?;
                Ok(Some(self.resolved(place, None)))
            }
            None => Ok(None),
        }
    }

    /// Refuses to make a directory beside one that is probably meant, or one named as the workspace inside it.
    fn refuse_near_duplicate(&self, places: &[(Reading, Place)], meant: &Place) -> Result<(), PathRefused> {
        let Ok(rest) = meant.real.strip_prefix(&meant.existing) else { return Ok(()) };
        let rest = segments_of(rest);
        let [new, below @ .., _] = rest.as_slice() else { return Ok(()) };
        let own_name = places.iter().find(|(reading, _)| reading.clean && reading.kind == Kind::EndOfRoot);
        if let Some((_, place)) = own_name.filter(|_| meant.existing == self.rules.root) {
            let right = self.relative(&place.real);
            let mut message =
                Message::new(format!("`{}` begins with the workspace's own name `{new}`", shown(self.typed)));
            message.line(format!("the workspace {} has no directory of that name in it", shown_path(&self.rules.root)));
            message.line(format!("nearest: `{}`", shown(&right)));
            let hint = format!("use `{}`; if a new directory `{new}` is meant, make it first", shown(&right));
            return Err(message.refuse(PathCode::NearDuplicate, Some(hint), Some(right)));
        }
        let twin = self
            .disk
            .list(&meant.existing)
            .into_iter()
            .find(|entry| entry.is_directory && is_near_duplicate(new, &entry.name));
        let Some(twin) = twin else { return Ok(()) };
        let mut path = meant.existing.join(&twin.name);
        path.extend(below);
        path.extend(rest.last());
        let right = self.relative(&path);
        let mut message =
            Message::new(format!("`{}` would make a new directory `{new}` beside `{}`", shown(self.typed), twin.name));
        message.line(format!("first difference: you typed `{new}`, the directory is `{}`", twin.name));
        message.line(format!("nearest: `{}`", shown(&right)));
        let hint = format!("use `{}`; if a new directory `{new}` is meant, make it first", shown(&right));
        Err(message.refuse(PathCode::NearDuplicate, Some(hint), Some(right)))
    }

    fn put_right(&self, recovered: &Recovered) -> Resolved {
        let (typed, right) = &recovered.likely.parts;
        let note = format!("path put right: you typed {typed} ; the workspace is {right} — relative paths avoid this");
        self.resolved(&recovered.place, Some(note))
    }

    fn resolved(&self, place: &Place, note: Option<String>) -> Resolved {
        Resolved { absolute: place.real.clone(), relative: self.relative(&place.real), note, exists: place.exists() }
    }

    fn relative(&self, real: &Path) -> String {
        real.strip_prefix(&self.rules.root).unwrap_or(real).to_string_lossy().into_owned()
    }

    fn points_to(&self, real: &Path) -> String {
        format!("it points to {}", shown_path(real))
    }

    /// What was typed is there, or could be made there, but not in the workspace.
    fn elsewhere(&self, place: &Place) -> PathRefused {
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
    fn nowhere(&self, real: &Path, likely: &[Likely]) -> PathRefused {
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
        let at = format!("/{}", names[..names.len().min(same + 1)].join("/"));
        match root.get(same) {
            Some(name) => format!(
                "first difference: it leads to {}, the workspace to /{}",
                shown(&at),
                shown(&[&root[..same], &[name]].concat().join("/"))
            ),
            None => self.points_to(real),
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

#[cfg(test)]
mod tests;
