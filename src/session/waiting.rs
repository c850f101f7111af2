//! Who waits for a call: how it says that it no longer does, and how it is told that it is not forgotten.

use std::future::Future;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Call;

/// How often whoever waits is told what is waited for.
const INTERVAL: Duration = Duration::from_secs(1);

/// The one who waits for a call's reply.
#[derive(Debug, Clone, Default)]
pub struct Waiting {
    /// Cancelled when nobody waits any more: ends waiting, never a write.
    pub cancel: CancellationToken,
    /// Where to say what is waited for, if that is wanted. Only the newest word is kept.
    pub progress: Option<watch::Sender<String>>,
}

impl From<CancellationToken> for Waiting {
    fn from(cancel: CancellationToken) -> Waiting {
        Waiting { cancel, progress: None }
    }
}

impl Call {
    /// Carries out `work`, saying now and then what it waits for; `None` when nobody waited any more.
    pub async fn out<T>(&self, work: impl Future<Output = T>, what: impl Fn() -> Option<String>) -> Option<T> {
        out(&self.cancel, self.progress.as_ref(), work, what).await
    }
}

async fn out<T>(
    cancel: &CancellationToken,
    progress: Option<&watch::Sender<String>>,
    work: impl Future<Output = T>,
    what: impl Fn() -> Option<String>,
) -> Option<T> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return Some(done),
            () = cancel.cancelled() => return None,
            () = tokio::time::sleep(INTERVAL), if progress.is_some() => {}
        }
        if let (Some(progress), Some(what)) = (progress, what()) {
            progress.send_replace(what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_is_told_and_may_stop_waiting() {
        let (progress, mut told) = watch::channel(String::new());
        let cancel = CancellationToken::new();
        let work = async {
            told.changed().await.expect("told");
            told.borrow_and_update().clone()
        };
        let heard = out(&cancel, Some(&progress), work, || Some("for gopls".into())).await;
        assert_eq!(heard.as_deref(), Some("for gopls"));
        cancel.cancel();
        assert_eq!(out(&cancel, None, std::future::pending::<()>(), || None).await, None);
    }
}
