//! Answers that are a text for whoever reads the client's log.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Kept by nobody, and taken for nothing but text.
const HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// `text` with `status`.
pub fn plain(status: StatusCode, text: impl Into<String>) -> Response {
    let mut text = text.into();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    (status, HEADERS, text).into_response()
}
