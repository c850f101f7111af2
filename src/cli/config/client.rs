//! The clients that are known, and where each keeps its configuration.

/// A client whose configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Client {
    /// Claude Code
    ClaudeCode,
    /// OpenCode
    Opencode,
    /// Codex CLI and its editor extension
    Codex,
    /// Gemini CLI
    Gemini,
    /// Zed
    Zed,
    /// Visual Studio Code
    Vscode,
    /// Cursor
    Cursor,
    /// Crush
    Crush,
    /// A user unit for `landfall serve`
    Systemd,
}

impl Client {
    /// Its name on the command line.
    pub(super) fn name(self) -> String {
        use clap::ValueEnum;
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
