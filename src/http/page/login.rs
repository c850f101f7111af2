//! In by the token, once; then by a cookie that is not it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State as Of};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use tokio::sync::{Mutex, Semaphore};

use super::super::answer::plain;
use super::super::state::State;
use super::super::{Cookies, body, guard};
use crate::picture;

/// A form with the longest token. Bytes.
const LARGEST_FORM: usize = 8 << 10;
/// How long the answer to a wrong token takes; one after another.
const PAUSE: Duration = Duration::from_millis(300);
/// Wrong tokens that may wait for their answer.
const MOST_WAITING: usize = 16;

/// Where wrong tokens wait: one is answered at a time, and few may stand in the queue.
#[derive(Debug, Clone)]
pub(super) struct Doors {
    turn: Arc<Mutex<()>>,
    places: Arc<Semaphore>,
}

impl Default for Doors {
    fn default() -> Doors {
        Doors { turn: Arc::default(), places: Arc::new(Semaphore::new(MOST_WAITING)) }
    }
}

impl Doors {
    /// Waits for the turn of one who had it wrong; false where too many do.
    async fn wait(&self) -> bool {
        let Ok(_place) = self.places.try_acquire() else { return false };
        let _turn = self.turn.lock().await;
        tokio::time::sleep(PAUSE).await;
        true
    }
}

/// The form, with what is wrong.
pub(super) fn form(status: StatusCode, wrong: Option<&str>) -> Response {
    let (page, policy) = picture::login(wrong);
    super::html(status, page, &policy)
}

/// `GET /login`: there is one address for the page and the form.
pub(super) async fn again() -> Redirect {
    Redirect::to("/")
}

/// `POST /login`: the token, by a form.
pub(super) async fn login(Of(state): Of<State>, doors: Doors, request: Request) -> Response {
    let (head, content) = request.into_parts();
    let content = match body::read(content, LARGEST_FORM).await {
        Ok(content) => content,
        Err(refused) => return *refused,
    };
    let token = form_urlencoded::parse(&content).find(|(name, _)| name == "token").map(|(_, value)| value);
    let token = token.as_deref().map(str::trim).filter(|token| !token.is_empty());
    let Some(token) = token else {
        return form(StatusCode::BAD_REQUEST, Some("No token came along. Give the one that stands in the file."));
    };
    if !state.token().is(token) {
        tracing::warn!("a wrong token was given to the page");
        return match doors.wait().await {
            true => form(StatusCode::FORBIDDEN, Some("That is not the token. Nobody was logged in; try again.")),
            false => form(StatusCode::TOO_MANY_REQUESTS, Some("Too many wrong tokens at once. Wait a little.")),
        };
    }
    match state.cookies().issue() {
        Ok(name) => with_cookie(&head.headers, &name, Cookies::LIFETIME),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, format!("no cookie could be made: {error}")),
    }
}

/// `POST /logout`: the cookie is taken back.
pub(super) async fn logout(Of(state): Of<State>, headers: HeaderMap) -> Response {
    for name in guard::held(&headers) {
        state.cookies().forget(name);
    }
    with_cookie(&headers, "", Duration::ZERO)
}

/// On to the page, with a cookie.
fn with_cookie(headers: &HeaderMap, value: &str, lifetime: Duration) -> Response {
    // A proxy that speaks TLS to the browser says so; without it the cookie would never come back.
    let secure = headers.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
    let secure = if secure { "; Secure" } else { "" };
    let (name, seconds) = (guard::COOKIE, lifetime.as_secs());
    let cookie = format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}{secure}");
    let mut response = Redirect::to("/").into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn wrong_tokens_wait_one_behind_the_other_and_not_without_end() {
        let doors = Doors::default();
        let began = tokio::time::Instant::now();
        let all = futures::future::join_all((0..MOST_WAITING + 4).map(|_| doors.wait())).await;
        assert_eq!(all.iter().filter(|waited| **waited).count(), MOST_WAITING);
        assert_eq!(began.elapsed(), PAUSE * MOST_WAITING as u32);
        assert!(doors.wait().await);
    }
}
