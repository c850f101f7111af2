//! The user unit of `landfall serve`.

/// The unit that runs `program`, with the PATH that language servers and compilers are found on.
pub(super) fn unit(program: &str, path: &str) -> String {
    format!(
        "# Written by `landfall config systemd`. Changes of your own: systemctl --user edit landfall\n\
         [Unit]\n\
         Description=landfall: edits and language servers for coding agents\n\
         \n\
         [Service]\n\
         ExecStart={} serve\n\
         Environment={}\n\
         Restart=on-failure\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
        word(program).replace('$', "$$"),
        word(&format!("PATH={path}")),
    )
}

/// One word, quoted as systemd.syntax(7) wants it; `%` begins a specifier there.
fn word(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%").replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_to_systemd_is_quoted() {
        let unit = unit("/opt/100% \"new\"/$x/landfall", "/a b:/c\\d");
        assert!(unit.contains("ExecStart=\"/opt/100%% \\\"new\\\"/$$x/landfall\" serve\n"), "{unit}");
        assert!(unit.contains("Environment=\"PATH=/a b:/c\\\\d\"\n"), "{unit}");
    }
}
