//! Who may pass: under which name the service was asked for, and whether the token is known.

use axum::extract::{Request, State as Of};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::answer::plain;
use super::names::OwnAddress;
use super::state::State;

/// The name of the cookie that a browser holds instead of the token.
pub const COOKIE: &str = "landfall_session";

const NEEDED: &str = "this needs the token: send the header `Authorization: Bearer TOKEN`. \
    TOKEN is what stands in the file given to `landfall serve --http` as --token-file";

/// How a visitor has shown that the token is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visitor {
    /// By the token itself.
    Token,
    /// By a cookie that was given for it.
    Cookie,
}

/// How the sender of a request has shown that the token is known; `None` when it has not.
///
/// A cookie counts only where the browser does not say that another site's page sends it along.
pub fn visitor(state: &State, headers: &HeaderMap) -> Option<Visitor> {
    if bearer(headers).is_some_and(|token| state.token().is(token)) {
        return Some(Visitor::Token);
    }
    let held = held(headers).any(|value| state.cookies().holds(value));
    (held && !is_cross_site(headers)).then_some(Visitor::Cookie)
}

/// Passes on what was asked for under a name of this service by no other site's page; while it ends, nothing.
pub(super) async fn known_names(Of(state): Of<State>, request: Request, next: Next) -> Response {
    let own = request.extensions().get::<OwnAddress>().copied();
    if let Err(why) = state.names().check(request.uri(), request.headers(), own) {
        tracing::warn!(why, "a request was refused");
        return plain(StatusCode::FORBIDDEN, why);
    }
    if state.stopping().is_cancelled() {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "this service is ending; nothing was done");
    }
    next.run(request).await
}

/// Passes on what comes with the token.
pub async fn with_token(Of(state): Of<State>, request: Request, next: Next) -> Response {
    if visitor(&state, request.headers()) == Some(Visitor::Token) {
        return next.run(request).await;
    }
    refusal(request.headers())
}

/// Passes on what comes with the token or with a cookie for it.
pub async fn with_visitor(Of(state): Of<State>, request: Request, next: Next) -> Response {
    match visitor(&state, request.headers()) {
        Some(_) => next.run(request).await,
        None => refusal(request.headers()),
    }
}

fn refusal(headers: &HeaderMap) -> Response {
    let given = headers.contains_key(header::AUTHORIZATION);
    let challenge =
        if given { "Bearer realm=\"landfall\", error=\"invalid_token\"" } else { "Bearer realm=\"landfall\"" };
    let text =
        if given { format!("the token that was sent is not the right one; {NEEDED}") } else { NEEDED.to_owned() };
    tracing::warn!(wrong = given, "a request without the token was refused");
    let mut response = plain(StatusCode::UNAUTHORIZED, text);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    response
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The values of the cookie that a request comes with.
pub(super) fn held(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    cookies(headers).filter(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='))
}

/// Whether the browser says that the request was caused by a page of another site.
fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|value| value != "same-origin" && value != "none")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_or_a_cookie_given_for_it_passes() {
        let state = State::for_tests("a-token-that-is-long-enough");
        let cookie = state.cookies().issue().expect("random bits");
        let held = format!("other=1; {COOKIE}={cookie}");
        let pass = |headers: &[(&'static str, &str)]| {
            let pairs = headers.iter().map(|(name, value)| {
                (header::HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"))
            });
            visitor(&state, &pairs.collect())
        };
        for (headers, expected) in [
            (vec![("authorization", "Bearer a-token-that-is-long-enough")], Some(Visitor::Token)),
            (vec![("authorization", "bearer  a-token-that-is-long-enough ")], Some(Visitor::Token)),
            (vec![("authorization", "Bearer a-token-that-is-long-enougH")], None),
            (vec![("authorization", "Bearer a-token-that-is-long-enough2")], None),
            (vec![("authorization", "Bearer")], None),
            (vec![("authorization", "Basic a-token-that-is-long-enough")], None),
            (vec![("authorization", "a-token-that-is-long-enough")], None),
            (vec![("cookie", held.as_str())], Some(Visitor::Cookie)),
            (vec![("cookie", held.as_str()), ("sec-fetch-site", "same-origin")], Some(Visitor::Cookie)),
            (vec![("cookie", held.as_str()), ("sec-fetch-site", "none")], Some(Visitor::Cookie)),
            (vec![("cookie", held.as_str()), ("sec-fetch-site", "same-site")], None),
            (vec![("cookie", held.as_str()), ("sec-fetch-site", "cross-site")], None),
            (vec![("cookie", &held[..held.len() - 1])], None),
            (vec![], None),
        ] {
            assert_eq!(pass(&headers), expected, "{headers:?}");
        }
    }
}
