//! The language servers, and what they had to say.

use maud::{Markup, html};

use super::moment::duration;
use super::shown::Shown;
use super::{Judge, Picture, ServerPicture};

/// The language servers as they stand, and how long they took.
pub(super) fn language_servers(picture: &Picture) -> Markup {
    let judges: Vec<&Judge> = picture.sessions.iter().flat_map(|session| &session.judges).collect();
    html! {
        @if picture.language_servers.is_empty() && judges.is_empty() {
            p.quiet { "None was at work." }
        }
        @if !picture.language_servers.is_empty() {
            ul.servers { @for server in &picture.language_servers { (standing(server)) } }
        }
        @if !judges.is_empty() {
            ul.servers {
                @for judge in judges {
                    li {
                        b { (Shown(&judge.name)) } " judged " (judge.judged) ": "
                        "median " (duration(judge.median_ms)) ", at most " (duration(judge.longest_ms))
                    }
                }
            }
        }
    }
}

fn standing(server: &ServerPicture) -> Markup {
    let ready = matches!(server.state.as_str(), "ready" | "checker only");
    html! {
        li {
            p { b { (Shown(&server.name)) } " " span.state.ready[ready].down[server.state == "down"] { (Shown(&server.state)) } }
            dl.facts {
                @if let Some(bytes) = server.memory_bytes { div { dt { "memory" } dd { (memory(bytes)) } } }
                div { dt { "restarts" } dd { (server.restarts) } }
                @if let Some(seconds) = server.uptime_seconds { div { dt { "up" } dd { (duration(seconds * 1_000)) } } }
            }
            p.note { code.path { (Shown(&server.root)) } }
            @if let Some(detail) = &server.detail { p.note { (Shown(detail)) } }
        }
    }
}

/// `412 MiB`.
pub(super) fn memory(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}
