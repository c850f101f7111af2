//! What a tool takes, declared once: the schema a client sees and the generous reading of what a model sends.

use serde_json::{Map, Value, json};

use crate::report::ToolError;

/// One parameter of a tool.
#[derive(Debug)]
pub struct Parameter {
    /// Its name in the schema, in snake case.
    pub name: &'static str,
    /// What else models call it, in snake case; camelCase forms are understood by themselves.
    pub aliases: &'static [&'static str],
    /// What it holds.
    pub kind: Kind,
    /// Whether a call without it is refused.
    pub required: bool,
    /// What the model is told of it; of one without a word it is told nothing, but it is understood.
    pub about: &'static str,
}

/// What a parameter holds, and so which other spellings of it are understood.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string. Numbers and booleans are taken as they are written.
    Text,
    /// A count or line number, 0 or more. Digits in a string are understood.
    Count,
    /// True or false. `"true"`, `"yes"`, `1` and their opposites are understood.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of objects with these parameters. A single object, and JSON in a string, are understood.
    List(&'static [Parameter]),
}

impl Parameter {
    /// A parameter every call must have.
    pub const fn required(
        name: &'static str,
        aliases: &'static [&'static str],
        kind: Kind,
        about: &'static str,
    ) -> Self {
        Parameter { name, aliases, kind, required: true, about }
    }

    /// A parameter a call may have.
    pub const fn optional(
        name: &'static str,
        aliases: &'static [&'static str],
        kind: Kind,
        about: &'static str,
    ) -> Self {
        Parameter { name, aliases, kind, required: false, about }
    }

    /// A parameter a call may have of which models are not told: it is for harnesses.
    pub const fn unlisted(name: &'static str, aliases: &'static [&'static str], kind: Kind) -> Self {
        Parameter::optional(name, aliases, kind, "")
    }

    /// Whether models are told of it.
    fn is_listed(&self) -> bool {
        !self.about.is_empty()
    }

    /// Whether `typed` is its name in any spelling.
    pub(crate) fn answers_to(&self, typed: &str) -> bool {
        let typed = snake_case(typed);
        typed == self.name || self.aliases.contains(&typed.as_str())
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Count => json!({ "type": "integer" }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Choice(words) => json!({ "type": "string", "enum": words }),
            Kind::List(parameters) => json!({ "type": "array", "items": schema(parameters) }),
        };
        schema["description"] = self.about.into();
        schema
    }

    fn read(&self, value: &Value) -> Result<Option<Value>, String> {
        if value.is_null() {
            return Ok(None);
        }
        let read = match self.kind {
            Kind::List(parameters) => return list(self.name, parameters, value).map(Some),
            Kind::Text => text(value).map(Value::from),
            Kind::Count => count(value).map(Value::from),
            Kind::Flag => flag(value).map(Value::from),
            Kind::Choice(words) => text(value)
                .map(|word| word.to_lowercase())
                .filter(|word| words.contains(&word.as_str()))
                .map(Value::from),
        };
        read.map(Some).ok_or_else(|| format!("`{}` must be {}, not {}", self.name, self.kind.in_words(), shown(value)))
    }
}

impl Kind {
    fn in_words(self) -> String {
        match self {
            Kind::Text => "a string".into(),
            Kind::Count => "a whole number, 0 or more".into(),
            Kind::Flag => "true or false".into(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::List(_) => "a list of objects".into(),
        }
    }
}

/// The JSON schema of a tool that takes `parameters`, in the few words that every client and model API takes: a client
/// that validates must let unknown arguments through, they are understood or noted here.
pub fn schema<'p>(parameters: impl IntoIterator<Item = &'p Parameter>) -> Map<String, Value> {
    let parameters: Vec<&Parameter> = parameters.into_iter().filter(|p| p.is_listed()).collect();
    let properties: Map<String, Value> = parameters.iter().map(|p| (p.name.to_owned(), p.schema())).collect();
    let required: Vec<&str> = parameters.iter().filter(|p| p.required).map(|p| p.name).collect();
    let mut schema =
        Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), properties.into())]);
    // Older validators want one in it at least.
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

/// A call's arguments, read by the tool's parameters.
#[derive(Debug, Default)]
pub struct Arguments {
    values: Map<String, Value>,
    /// Names that no parameter answers to; they are told, not refused.
    pub unknown: Vec<String>,
}

impl Arguments {
    /// Reads `typed` by `parameters`.
    ///
    /// # Errors
    /// A [`ToolError`] of code `bad_arguments` that names every missing and mistyped argument at once.
    pub fn read<'p>(
        parameters: impl IntoIterator<Item = &'p Parameter>,
        typed: &Map<String, Value>,
    ) -> Result<Arguments, ToolError> {
        let parameters: Vec<&Parameter> = parameters.into_iter().collect();
        let mut arguments = Arguments::default();
        let mut faults = Vec::new();
        for (name, value) in typed {
            let Some(parameter) = parameters.iter().find(|parameter| parameter.answers_to(name)) else {
                arguments.unknown.push(shown(&Value::from(name.as_str())));
                continue;
            };
            match parameter.read(value) {
                // The exact name wins over an alias of it, wherever it stands.
                Ok(Some(read)) if name == parameter.name || !arguments.values.contains_key(parameter.name) => {
                    arguments.values.insert(parameter.name.to_owned(), read);
                }
                Ok(_) => {}
                Err(fault) => faults.push(fault),
            }
        }
        let missing = parameters.iter().filter(|p| p.required && !arguments.values.contains_key(p.name));
        faults.extend(
            missing
                .filter(|p| !typed.keys().any(|name| p.answers_to(name)))
                .map(|p| format!("`{}` is missing", p.name)),
        );
        if faults.is_empty() {
            return Ok(arguments);
        }
        let listed = parameters.iter().filter(|p| p.is_listed());
        let all: Vec<String> =
            listed.map(|p| if p.required { p.name.into() } else { format!("{}?", p.name) }).collect();
        let mut error =
            ToolError::caller("bad_arguments", format!("the call's arguments are wrong: {}", faults.join("; ")));
        error.hints.push(format!("call again with {}", all.join(", ")));
        if !arguments.unknown.is_empty() {
            error.message.push_str(&format!(" (not known: {})", arguments.unknown.join(", ")));
        }
        Err(error)
    }

    /// A string argument, if it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).and_then(Value::as_str)
    }

    /// The path that the call is about, as typed, if it has one.
    pub(crate) fn path(&self) -> Option<&str> {
        ["file_path", "path", "workdir"].iter().find_map(|name| self.text(name))
    }

    /// A string argument of a parameter that is required, and so was read.
    pub fn required_text(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// A count, if it was given.
    pub fn count(&self, name: &str) -> Option<usize> {
        self.values.get(name).and_then(Value::as_u64).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The items of a list; none if it was not given.
    pub fn list(&self, name: &str) -> Vec<Arguments> {
        let items = self.values.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let items = items.iter().filter_map(Value::as_object);
        items.map(|values| Arguments { values: values.clone(), unknown: Vec::new() }).collect()
    }

    /// A flag; false if it was not given.
    pub fn flag(&self, name: &str) -> bool {
        self.values.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
}

/// The items of a list, each read by `parameters`, with their canonical names.
fn list(name: &str, parameters: &'static [Parameter], value: &Value) -> Result<Value, String> {
    let parsed = value.as_str().and_then(|json| serde_json::from_str::<Value>(json).ok());
    let items = match parsed.as_ref().unwrap_or(value) {
        Value::Array(items) => items.clone(),
        object @ Value::Object(_) => vec![object.clone()],
        other => return Err(format!("`{name}` must be a list of objects, not {}", shown(other))),
    };
    if items.is_empty() {
        return Err(format!("`{name}` is empty"));
    }
    let read = items.iter().enumerate().map(|(index, item)| {
        let object = item
            .as_object()
            .ok_or_else(|| format!("`{name}` item {} must be an object, not {}", index + 1, shown(item)))?;
        let arguments = Arguments::read(parameters, object)
            .map_err(|error| format!("`{name}` item {}: {}", index + 1, error.message))?;
        Ok(Value::Object(arguments.values))
    });
    read.collect::<Result<Vec<Value>, String>>().map(Value::Array)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => {
            number.as_u64().or_else(|| number.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0).map(|n| n as u64))
        }
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    }
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => number.as_u64().filter(|n| *n < 2).map(|n| n == 1),
        Value::String(word) => match word.trim().to_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" | "" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn snake_case(typed: &str) -> String {
    let mut out = String::with_capacity(typed.len() + 4);
    for character in typed.chars().take(64) {
        if character.is_ascii_uppercase() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            out.push(character.to_ascii_lowercase());
        } else {
            out.push(if character == '-' { '_' } else { character });
        }
    }
    out
}

/// A value as a message shows it: bounded, on one line.
fn shown(value: &Value) -> String {
    let json = value.to_string();
    if json.chars().count() <= 60 { json } else { format!("{}…", json.chars().take(60).collect::<String>()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter::required("file_path", &["path", "file"], Kind::Text, "which file"),
        Parameter::optional("limit", &["max_lines"], Kind::Count, "how much"),
        Parameter::optional("replace_all", &[], Kind::Flag, "everywhere"),
        Parameter::optional("settle", &[], Kind::Choice(&["now", "later"]), "when"),
        Parameter::optional(
            "edits",
            &[],
            Kind::List(&[Parameter::required("old_string", &["old"], Kind::Text, "what")]),
            "which",
        ),
    ];

    fn read(typed: Value) -> Result<Arguments, ToolError> {
        Arguments::read(PARAMETERS, typed.as_object().expect("an object"))
    }

    #[test]
    fn names_are_read_generously() {
        for typed in [
            json!({"file_path": "a.go"}),
            json!({"filePath": "a.go"}),
            json!({"path": "a.go"}),
            json!({"file-path": "a.go"}),
            json!({"path": "other.go", "file_path": "a.go"}),
            json!({"file_path": "a.go", "path": "other.go"}),
        ] {
            assert_eq!(read(typed.clone()).expect("reads").text("file_path"), Some("a.go"), "{typed}");
        }
    }

    #[test]
    fn values_are_read_generously() {
        let read = read(json!({"path": 7, "maxLines": " 12 ", "replaceAll": "True", "settle": "LATER", "limit": null}))
            .expect("reads");
        assert_eq!(read.text("file_path"), Some("7"));
        assert_eq!(read.count("limit"), Some(12));
        assert!(read.flag("replace_all"));
        assert_eq!(read.text("settle"), Some("later"));
    }

    #[test]
    fn unknown_names_are_noted_and_faults_are_told_together() {
        assert_eq!(read(json!({"file_path": "a", "colour": 1})).expect("reads").unknown, ["\"colour\""]);
        let error = read(json!({"limit": -1, "replace_all": [1]})).expect_err("refuses");
        for part in ["`file_path` is missing", "`limit` must be a whole number", "`replace_all` must be true or false"]
        {
            assert!(error.message.contains(part), "{part} in {}", error.message);
        }
    }

    #[test]
    fn lists_are_read_as_such_as_one_object_and_as_json_in_a_string() {
        for edits in [json!([{ "oldString": "x" }]), json!({ "old": "x" }), json!("[{\"old_string\": \"x\"}]")] {
            let read = read(json!({ "path": "a", "edits": edits })).expect("reads");
            assert_eq!(read.list("edits")[0].text("old_string"), Some("x"), "{edits}");
        }
        for (edits, part) in [
            (json!([]), "is empty"),
            (json!([1]), "item 1 must be an object"),
            (json!([{}]), "item 1: the call's arguments"),
        ] {
            let error = read(json!({ "path": "a", "edits": edits })).expect_err("refuses");
            assert!(error.message.contains(part), "{}", error.message);
        }
    }

    #[test]
    fn the_schema_names_each_parameter_once() {
        let schema = schema(PARAMETERS);
        assert_eq!(schema["properties"]["settle"]["enum"], json!(["now", "later"]));
        assert_eq!(schema["required"], json!(["file_path"]));
    }
}
