//! `/`: a page for people, kept up to date while it is looked at.
//!
//! It is shown to whoever has logged in with the token and holds a cookie for it, and it changes nothing.

mod events;
mod login;
mod look;

use axum::Router;
use axum::extract::{Path, State as Of};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::answer::plain;
use super::guard;
use super::state::State;
use crate::picture::{self, Policy};

pub(super) fn routes(state: &State) -> Router<State> {
    let doors = login::Doors::default();
    let watchers = events::Watchers::default();
    let inside = Router::new()
        .route("/events", get(move |state| events::events(state, watchers)))
        .route("/session/{name}", get(session))
        .route_layer(from_fn_with_state(state.clone(), guard::with_visitor));
    Router::new()
        .route("/", get(index))
        .route("/login", get(login::again).post(move |state, request| login::login(state, doors, request)))
        .route("/logout", post(login::logout))
        .merge(inside)
}

/// The page, or the form that leads to it.
async fn index(Of(state): Of<State>, headers: HeaderMap) -> Response {
    if guard::visitor(&state, &headers).is_none() {
        return login::form(StatusCode::OK, None);
    }
    let seen = tokio::task::spawn_blocking(move || {
        let earlier = look::earlier(state.service());
        picture::live(&look::picture(state.service()), &earlier)
    });
    match seen.await {
        Ok((page, policy)) => html(StatusCode::OK, page, &policy),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the page could not be drawn"),
    }
}

/// The report of one session, open or ended.
async fn session(Of(state): Of<State>, Path(name): Path<String>) -> Response {
    let drawn = tokio::task::spawn_blocking(move || look::report(state.service(), &name));
    match drawn.await {
        Ok(Some(page)) => html(StatusCode::OK, page, &Policy::page()),
        Ok(None) => plain(StatusCode::NOT_FOUND, "there is no such session, or it has changed nothing"),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the report could not be drawn"),
    }
}

/// A page with what a browser may do with it: kept by nobody, framed by nobody, and its address told to nobody.
fn html(status: StatusCode, page: String, policy: &Policy) -> Response {
    let fixed = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        // With `no-referrer` a browser names no origin when it sends our own forms, and those of nobody are refused.
        (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
        (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
        (
            HeaderName::from_static("permissions-policy"),
            HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
        ),
    ];
    let mut response = (status, fixed, page).into_response();
    match HeaderValue::from_str(&policy.0) {
        Ok(policy) => {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
            response
        }
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the page's policy is none"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use axum::body::{Body, BodyDataStream, to_bytes};
    use axum::http::Request;
    use futures::StreamExt;
    use serde_json::{Value, json};
    use tokio_util::sync::CancellationToken;
    use tower::Service as _;

    use super::super::router;
    use super::*;
    use crate::service::Connecting;
    use crate::session::{Allowed, Session};

    const TOKEN: &str = "a-token-that-is-long-enough";

    /// The answer to a request with these headers, of the service's own page unless they say otherwise.
    async fn ask(state: &State, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        router(state).into_service().call(request).await.expect("an answer")
    }

    async fn text(response: Response) -> String {
        let bytes = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        String::from_utf8(bytes.to_vec()).expect("UTF-8")
    }

    fn header<'r>(response: &'r Response, name: &str) -> &'r str {
        response.headers().get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// The cookie that the token is worth.
    async fn cookie(state: &State) -> String {
        let response = ask(state, "POST", "/login", &[], &format!("token={TOKEN}")).await;
        assert_eq!((response.status(), header(&response, "location")), (StatusCode::SEE_OTHER, "/"));
        header(&response, "set-cookie").split_once(';').expect("attributes").0.to_owned()
    }

    #[tokio::test(start_paused = true)]
    async fn the_token_is_worth_a_cookie_until_that_is_taken_back() {
        let state = State::for_tests(TOKEN);
        let response = ask(&state, "GET", "/", &[], "").await;
        assert_eq!(response.status(), StatusCode::OK);
        assert!(header(&response, "content-security-policy").contains("default-src 'none'"));
        assert!(header(&response, "content-security-policy").contains("frame-ancestors 'none'"));
        for (name, value) in
            [("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"), ("cache-control", "no-store")]
        {
            assert_eq!(header(&response, name), value);
        }
        let page = text(response).await;
        assert!(page.contains("name=\"token\"") && !page.contains("What happens"), "{page}");

        for (body, status, words) in [
            ("token=a-token-that-is-long-enougH", StatusCode::FORBIDDEN, "That is not the token."),
            ("token=", StatusCode::BAD_REQUEST, "No token came along."),
            ("nonsense\u{0}", StatusCode::BAD_REQUEST, "No token came along."),
        ] {
            let response = ask(&state, "POST", "/login", &[], body).await;
            assert_eq!((response.status(), header(&response, "set-cookie")), (status, ""), "{body}");
            let page = text(response).await;
            assert!(
                page.contains(words) && page.contains("role=\"alert\"") && page.contains("name=\"token\""),
                "{page}"
            );
        }
        let long = "token=".to_owned() + &"x".repeat(9 << 10);
        assert_eq!(ask(&state, "POST", "/login", &[], &long).await.status(), StatusCode::PAYLOAD_TOO_LARGE);

        let proxied = ask(&state, "POST", "/login", &[("x-forwarded-proto", "https")], &format!("token={TOKEN}")).await;
        let set = header(&proxied, "set-cookie");
        assert!(
            set.contains("; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200; Secure") && !set.contains(TOKEN),
            "{set}"
        );
        let cookie = cookie(&state).await;
        let page = text(ask(&state, "GET", "/", &[("cookie", &cookie)], "").await).await;
        assert!(page.contains("What happens") && page.contains("None is open."), "{page}");
        let other_site = [("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site")];
        assert!(!text(ask(&state, "GET", "/", &other_site, "").await).await.contains("What happens"));
        let response = ask(&state, "POST", "/logout", &[("cookie", &cookie)], "").await;
        assert!(header(&response, "set-cookie").contains("Max-Age=0"), "{response:?}");
        assert!(!text(ask(&state, "GET", "/", &[("cookie", &cookie)], "").await).await.contains("What happens"));
    }

    #[tokio::test]
    async fn nothing_but_the_form_is_there_without_a_cookie_and_nothing_for_other_pages() {
        let state = State::for_tests(TOKEN);
        for path in ["/events", "/session/20260101-000000-1-00000000"] {
            assert_eq!(ask(&state, "GET", path, &[], "").await.status(), StatusCode::UNAUTHORIZED, "{path}");
        }
        let cookie = cookie(&state).await;
        for path in ["/session/nonesuch", "/session/..%2F..%2Fetc%2Fpasswd", "/session/%00"] {
            let response = ask(&state, "GET", path, &[("cookie", &cookie)], "").await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        }
        for (headers, method, path) in [
            ([("origin", "http://evil.example")], "POST", "/login"),
            ([("origin", "null")], "POST", "/login"),
            ([("origin", "http://evil.example")], "POST", "/logout"),
        ] {
            let response = ask(&state, method, path, &headers, &format!("token={TOKEN}")).await;
            assert_eq!(
                (response.status(), header(&response, "set-cookie")),
                (StatusCode::FORBIDDEN, ""),
                "{headers:?}"
            );
        }
    }

    struct Watched {
        stream: BodyDataStream,
        text: String,
    }

    impl Watched {
        async fn new(state: &State) -> Watched {
            let cookie = cookie(state).await;
            let response = ask(state, "GET", "/events", &[("cookie", &cookie)], "").await;
            assert_eq!(header(&response, "content-type"), "text/event-stream");
            Watched { stream: response.into_body().into_data_stream(), text: String::new() }
        }

        /// The next update.
        async fn next(&mut self) -> Value {
            loop {
                if let Some((event, rest)) = self.text.split_once("\n\n") {
                    let data = event.lines().find_map(|line| line.strip_prefix("data: ")).map(str::to_owned);
                    self.text = rest.to_owned();
                    if let Some(data) = data {
                        return serde_json::from_str(&data).expect("JSON");
                    }
                    continue;
                }
                let piece = self.stream.next().await.expect("goes on").expect("whole");
                self.text.push_str(std::str::from_utf8(&piece).expect("UTF-8"));
            }
        }
    }

    fn session(state: &State, home: &Path) -> Session {
        let connecting = Connecting { face: "http", home: home.to_owned(), allowed: Allowed::default() };
        state.service().connect(connecting).expect("connects")
    }

    async fn edit(session: &Session, file: &str, old: &str, new: &str) {
        let arguments = json!({ "file_path": file, "old_string": old, "new_string": new });
        session.call("edit", arguments.as_object().expect("an object").clone(), CancellationToken::new()).await;
    }

    #[tokio::test]
    async fn who_watches_is_told_what_changes_and_a_slow_one_holds_nobody_up() {
        let state = State::for_tests(TOKEN);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.txt"), "one\n").expect("written");
        let session = session(&state, folder.path());
        let mut watched = Watched::new(&state).await;
        let first = watched.next().await;
        let names: Vec<&String> = first["blocks"].as_object().expect("blocks").keys().collect();
        assert_eq!(names, ["head", "sessions", "open", "servers", "earlier"]);
        assert_eq!(first["order"], json!([]));

        edit(&session, "<b>.txt", "x", "y").await;
        let second = watched.next().await;
        let line = second["lines"][&format!("e-{}-1", session.name())].as_str().expect("the line");
        assert!(line.contains("&lt;b&gt;.txt") && line.contains("path_not_found"), "{line}");
        assert!(second["blocks"].get("servers").is_none(), "{second}");

        // Nobody reads the stream meanwhile, and more happens than is kept for it.
        for n in 0..300 {
            edit(&session, "a.txt", if n % 2 == 0 { "one" } else { "two" }, if n % 2 == 0 { "two" } else { "one" })
                .await;
        }
        let mut last = watched.next().await;
        while last["order"][0] != json!(format!("e-{}-301", session.name())) {
            last = watched.next().await;
        }
        assert_eq!(last["order"].as_array().map(Vec::len), Some(120));
        let ledger = session.ledger().path().expect("written");
        drop(session);
        std::fs::remove_file(ledger).expect("removed");
        let mut after = watched.next().await;
        while after["order"] != json!([]) {
            after = watched.next().await;
        }
        state.stopping().cancel();
        while let Some(piece) = watched.stream.next().await {
            piece.expect("ends by itself");
        }
    }
}
