//! A language server's settings, and the parts of them it asks for.

use serde_json::Value;

/// Settings under the language server's own name.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The section they form (`gopls`, `zls`); settings that name their sections themselves (`java`) are found too.
    name: String,
    value: Value,
}

impl Settings {
    pub(super) fn new(name: &str, value: Value) -> Settings {
        Settings { name: name.to_owned(), value }
    }

    /// What `workspace/configuration` is answered for `section`: all for the own name or none, else the value at its
    /// dotted path, else null.
    pub(super) fn section(&self, section: &str) -> Value {
        if section.is_empty() || section == self.name {
            return self.value.clone();
        }
        let own = section.strip_prefix(self.name.as_str()).and_then(|rest| rest.strip_prefix('.'));
        let path = own.unwrap_or(section);
        let found = path.split('.').try_fold(&self.value, |value, key| value.get(key));
        found.cloned().unwrap_or(Value::Null)
    }

    /// What `workspace/didChangeConfiguration` carries.
    pub(super) fn all(&self) -> Value {
        let mut all = self.value.clone();
        if let Some(map) = all.as_object_mut() {
            map.entry(self.name.clone()).or_insert_with(|| self.value.clone());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sections_are_found_by_name_and_by_path() {
        let settings =
            Settings::new("zls", json!({ "enable_build_on_save": false, "java": { "import": { "on": 1 } } }));
        assert_eq!(settings.section("zls.enable_build_on_save"), json!(false));
        assert_eq!(settings.section("enable_build_on_save"), json!(false));
        assert_eq!(settings.section("java.import.on"), json!(1));
        assert_eq!(settings.section("zls")["enable_build_on_save"], json!(false));
        assert_eq!(settings.section("zlsx"), Value::Null);
        assert_eq!(settings.all()["zls"]["enable_build_on_save"], json!(false));
    }
}
