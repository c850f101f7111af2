//! gopls: its command `gopls.diagnose_files` has published everything when it answers.
//!
//! The first publish of a version is wrong in one edit of five (other packages and vet come later), a request as a
//! barrier in two of five: it may be answered from a snapshot whose diagnostics are still being worked out.

use std::time::Duration;

use serde_json::{Value, json};

use super::publish::be_quiet;
use super::{Evident, Round, Unsettled};
use crate::lsp::connection::RequestError;
use crate::lsp::server::LanguageServer;
use crate::lsp::uri;

/// How often the command is given again after an error: a change on disk meanwhile makes it fail.
const ATTEMPTS: u32 = 3;
/// How long it is silent when it has said everything of a large module.
const SILENCE: Duration = Duration::from_secs(2);

pub(super) async fn settle(server: &LanguageServer, round: &Round) -> Result<Evident, Unsettled> {
    let files: Vec<Value> = round.files.iter().map(|path| uri::of_path(path).into()).collect();
    let command = json!({ "command": "gopls.diagnose_files", "arguments": [{ "Files": files }] });
    let mut attempt = 1;
    loop {
        match server.request("workspace/executeCommand", command.clone()).await {
            Ok(_) => {
                // Of a large module only a part is asked about; what it says of the rest after loading comes by itself.
                if round.first && round.is_part {
                    be_quiet(server, SILENCE).await?;
                }
                return Ok(Evident::default());
            }
            Err(RequestError::Gone) => return Err(server.board().ended().await.into()),
            Err(RequestError::Answered(error)) if attempt == ATTEMPTS => return Err(Unsettled::Refused(error.message)),
            Err(RequestError::Answered(_)) => tokio::time::sleep(Duration::from_millis(20 << attempt)).await,
        }
        attempt += 1;
    }
}
