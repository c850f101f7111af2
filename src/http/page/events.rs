//! `/events`: what has changed of the page, as server-sent events.
//!
//! Each browser is told what differs from what it was told before. It is drawn when the browser takes it, so one that is
//! slow gets fewer and larger pieces, and nobody waits for it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State as Of;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::time::{Interval, MissedTickBehavior};

use super::super::answer::plain;
use super::super::state::State;
use super::look;
use crate::picture::{Earlier, Told};
use crate::session::news::{Event, News};

/// How often is looked for what nobody tells: memory, a language server that is ready, a verdict that comes late.
const LOOK: Duration = Duration::from_secs(2);
/// What happens within this is told together.
const GATHER: Duration = Duration::from_millis(150);
/// How often a browser hears that the connection is alive.
const ALIVE: Duration = Duration::from_secs(15);
/// When a browser is to come again after a connection is lost.
const RETRY: Duration = Duration::from_secs(2);
/// More browsers at once are sent away.
const MOST: usize = 32;

/// The places of those who watch.
#[derive(Debug, Clone)]
pub(super) struct Watchers {
    places: Arc<Semaphore>,
}

impl Default for Watchers {
    fn default() -> Watchers {
        Watchers { places: Arc::new(Semaphore::new(MOST)) }
    }
}

/// Everything at once, then what changes.
pub(super) async fn events(Of(state): Of<State>, watchers: Watchers) -> Response {
    let Ok(place) = watchers.places.try_acquire_owned() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, format!("{MOST} browsers are watching already"));
    };
    let watching = Watching::new(state, place);
    let stream = futures::stream::unfold(watching, |mut watching| async move {
        let update = watching.next().await?;
        let sent = Sent::default().event("picture").retry(RETRY).data(update);
        Some((Ok::<_, Infallible>(sent), watching))
    });
    let mut response = Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // nginx would gather what is to arrive at once.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// One browser.
struct Watching {
    state: State,
    news: broadcast::Receiver<News>,
    look: Interval,
    told: Told,
    /// The sessions that have ended; looked for again when one does.
    earlier: Option<Earlier>,
    _place: OwnedSemaphorePermit,
}

impl Watching {
    fn new(state: State, place: OwnedSemaphorePermit) -> Watching {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Before anything is drawn, so that nothing happens in between.
        let news = state.service().news();
        Watching { state, news, look, told: Told::default(), earlier: None, _place: place }
    }

    /// What is to be told next; `None` when the service ends.
    async fn next(&mut self) -> Option<String> {
        let stopping = self.state.stopping().clone();
        loop {
            tokio::select! {
                biased;
                () = stopping.cancelled() => return None,
                heard = self.news.recv() => {
                    if !self.hear(heard) {
                        return None;
                    }
                    tokio::time::sleep(GATHER).await;
                    while let Ok(news) = self.news.try_recv() {
                        self.hear(Ok(news));
                    }
                }
                // The first comes at once.
                _ = self.look.tick() => {}
            }
            if let Some(update) = self.update().await {
                return Some(update);
            }
        }
    }

    /// Takes in what happened; false when nothing will any more.
    fn hear(&mut self, heard: Result<News, RecvError>) -> bool {
        match heard {
            Ok(News { event: Event::Began | Event::Ended, .. }) => self.earlier = None,
            Ok(_) => {}
            // What was missed is not known: everything is told again.
            Err(RecvError::Lagged(_)) => (self.told, self.earlier) = (Told::default(), None),
            Err(RecvError::Closed) => return false,
        }
        true
    }

    async fn update(&mut self) -> Option<String> {
        let service = self.state.service().clone();
        let (mut told, earlier) = (std::mem::take(&mut self.told), self.earlier.take());
        let drawn = tokio::task::spawn_blocking(move || {
            let earlier = earlier.unwrap_or_else(|| look::earlier(&service));
            let update = told.update(&look::picture(&service), &earlier);
            (told, earlier, update)
        });
        // Where drawing fails the stream ends, and the browser comes again.
        let (told, earlier, update) = drawn.await.ok()?;
        (self.told, self.earlier) = (told, Some(earlier));
        update
    }
}
