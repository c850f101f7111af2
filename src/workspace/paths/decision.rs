//! The decision: which reading of a typed path holds, if any.

mod wording;

use std::path::Path;

use super::disk::{Disk, End, Place, locate};
use super::likeness::is_near_duplicate;
use super::recovery::{Recovered, choose, likely};
use super::refusal::{Message, PathCode, PathRefused, malformed, shown, shown_path};
use super::spelling::{Kind, Reading, cleaned, readings, segments_of};
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
                let hint = "choose another path; `glob` lists the files that are there".to_owned();
                return Err(Message::new(message).refuse(PathCode::LinkCircle, Some(hint), None));
            }
            End::Denied => {
                let mut message =
                    Message::new(format!("`{}` may not be looked at (permission denied)", shown(self.typed)));
                message.line(self.points_to(&place.real));
                let hint = "leave it alone, or ask the user for its permissions to be changed".to_owned();
                return Err(message.refuse(PathCode::Denied, Some(hint), None));
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
            let hint = "write to a path in the workspace instead, such as `src/main.go`".to_owned();
            return Err(Message::new(message).refuse(PathCode::ReadOnly, Some(hint), None));
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
}

#[cfg(test)]
mod tests;
