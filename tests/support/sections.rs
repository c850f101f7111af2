//! Fixtures as text: why, then sections under `-- name --`.

/// The prose before the first section, and the sections in order: each its name and body. `␍` stands for a carriage
/// return, `␠` for a blank that an editor would take off, `␄` at the end of a line for no line end there.
pub(crate) fn sections(written: &str) -> (String, Vec<(String, String)>) {
    let (mut why, mut sections) = (String::new(), Vec::<(String, String)>::new());
    for line in written.split_inclusive('\n') {
        match line.trim_end().strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")) {
            Some(name) => sections.push((name.to_owned(), String::new())),
            None => sections.last_mut().map_or(&mut why, |(_, body)| body).push_str(line),
        }
    }
    for (_, body) in &mut sections {
        *body = body.replace('␍', "\r").replace('␠', " ").replace("␄\n", "");
    }
    (why, sections)
}
