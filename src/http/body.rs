//! Reading a request's body: not more than is allowed, and not for ever.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::StatusCode;
use axum::response::Response;
use http_body_util::LengthLimitError;

use super::answer::plain;

/// How long a body may take to arrive.
const DEADLINE: Duration = Duration::from_secs(30);

/// All of `body`, which may have `limit` bytes.
///
/// # Errors
/// The answer to give when it is longer, does not arrive in time, or breaks off.
pub async fn read(body: Body, limit: usize) -> Result<Bytes, Box<Response>> {
    read_within(body, limit, DEADLINE).await
}

async fn read_within(body: Body, limit: usize, deadline: Duration) -> Result<Bytes, Box<Response>> {
    // A body that is announced as too long need not be sent at all.
    if body.size_hint().lower() > limit as u64 {
        return Err(Box::new(too_long(limit)));
    }
    let refused = match tokio::time::timeout(deadline, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => return Ok(bytes),
        Ok(Err(error)) if is_too_long(&error) => too_long(limit),
        Ok(Err(error)) => plain(StatusCode::BAD_REQUEST, format!("the body broke off: {error}")),
        Err(_) => {
            plain(StatusCode::REQUEST_TIMEOUT, format!("the body did not arrive within {deadline:?}; nothing was done"))
        }
    };
    Err(Box::new(refused))
}

fn too_long(limit: usize) -> Response {
    let text = format!("the body has more than {limit} bytes and was not read; send less at once");
    plain(StatusCode::PAYLOAD_TOO_LARGE, text)
}

fn is_too_long(error: &axum::Error) -> bool {
    error.source().is_some_and(|source| source.is::<LengthLimitError>())
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_is_read_whole_or_refused_for_what_is_wrong() {
        let status = |read: Result<Bytes, Box<Response>>| read.map_err(|response| response.status());
        let within = |body| read_within(body, 4, Duration::from_secs(1));
        assert_eq!(status(within(Body::from("four")).await), Ok(Bytes::from("four")));
        assert_eq!(status(within(Body::from("five!")).await), Err(StatusCode::PAYLOAD_TOO_LARGE));
        let long = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from("abc")), Ok(Bytes::from("de"))]);
        assert_eq!(status(within(Body::from_stream(long)).await), Err(StatusCode::PAYLOAD_TOO_LARGE));
        let never = futures::stream::pending::<Result<Bytes, std::io::Error>>();
        assert_eq!(status(within(Body::from_stream(never)).await), Err(StatusCode::REQUEST_TIMEOUT));
        let broken = futures::stream::iter([Ok(Bytes::from("a")), Err(std::io::Error::other("gone"))]);
        assert_eq!(status(within(Body::from_stream(broken)).await), Err(StatusCode::BAD_REQUEST));
    }
}
