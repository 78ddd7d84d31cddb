//! The service `Scripts`.

use std::sync::Arc;

use steersman_domain::id::ScriptId;
use steersman_engine::ports::{Finding, PinnedScript, ScriptEntry, ScriptLibrary};
use steersman_proto::v1;
use tonic::{Request, Response, Status};

use super::{events::time, refusals::no_script, sessions::page_size, status::Refused, word};

/// What defects call a text without a name.
const UNNAMED: &str = "script.yaml";
/// The longest name of a file, in bytes.
const FILE_BYTES: usize = 1_024;
/// Between the id and the version in a token; neither an id nor a page has it.
const BETWEEN: char = ':';

/// Answers calls about scripts.
#[derive(Debug)]
pub(super) struct Shelf(pub(super) Arc<dyn ScriptLibrary>);

#[tonic::async_trait]
impl v1::scripts_server::Scripts for Shelf {
    async fn check(
        &self,
        request: Request<v1::CheckScriptRequest>,
    ) -> Result<Response<v1::CheckScriptResponse>, Status> {
        let v1::CheckScriptRequest { source, file } = request.into_inner();
        if file.len() > FILE_BYTES {
            return Err(Refused::field("file", format!("at most {FILE_BYTES} bytes")).into());
        }
        let file = if file.is_empty() { UNNAMED } else { &file };
        let checked = self.0.check(file, &source);
        let bounds = checked.bounds.as_ref().and_then(serde_json::Value::as_object).map(Into::into);
        let defects = checked.findings.into_iter().map(defect).collect();
        Ok(Response::new(v1::CheckScriptResponse { defects, bounds }))
    }

    async fn publish(
        &self,
        request: Request<v1::PublishScriptRequest>,
    ) -> Result<Response<v1::PublishScriptResponse>, Status> {
        let published = self.0.publish(&request.into_inner().source).await.map_err(Refused::from)?;
        Ok(Response::new(v1::PublishScriptResponse { script: Some(pinned(&published)) }))
    }

    async fn get(&self, request: Request<v1::GetScriptRequest>) -> Result<Response<v1::GetScriptResponse>, Status> {
        let v1::GetScriptRequest { script_id, version } = request.into_inner();
        let id = ScriptId::new(script_id).map_err(|_malformed| no_script())?;
        let version = version.filter(|version| !version.is_empty());
        let found = self.0.find(&id, version.as_deref()).await.map_err(Refused::from)?;
        let source = found.source.to_string();
        Ok(Response::new(v1::GetScriptResponse { script: Some(pinned(&found)), source }))
    }

    async fn list(
        &self,
        request: Request<v1::ListScriptsRequest>,
    ) -> Result<Response<v1::ListScriptsResponse>, Status> {
        let v1::ListScriptsRequest { page_size: asked, page_token } = request.into_inner();
        let (limit, after) = (page_size(asked), after(&page_token)?);
        let mut found = self.0.list(after.as_ref(), limit + 1).await.map_err(Refused::from)?;
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next_page_token = match found.last() {
            Some(last) if has_more => format!("{}{BETWEEN}{}", last.id, last.version),
            Some(_) | None => String::new(),
        };
        let scripts = found.iter().map(entry).collect();
        Ok(Response::new(v1::ListScriptsResponse { scripts, next_page_token }))
    }
}

fn after(token: &str) -> Result<Option<(ScriptId, String)>, Refused> {
    if token.is_empty() {
        return Ok(None);
    }
    let read = token.split_once(BETWEEN).and_then(|(id, version)| Some((ScriptId::new(id).ok()?, version.to_owned())));
    read.map(Some).ok_or_else(|| Refused::field("page_token", "use `next_page_token` of the page before"))
}

fn pinned(found: &PinnedScript) -> v1::Script {
    v1::Script {
        script_id: found.script.id.to_string(),
        version: found.script.version.clone(),
        digest: found.digest.to_string(),
        published_at: None,
    }
}

fn entry(entry: &ScriptEntry) -> v1::Script {
    v1::Script {
        script_id: entry.id.to_string(),
        version: entry.version.clone(),
        digest: entry.digest.to_string(),
        published_at: entry.published_at.map(time),
    }
}

fn defect(finding: Finding) -> v1::Defect {
    let Finding { file, line, column, code, severity, message, hint } = finding;
    let counted = |number| u32::try_from(number).unwrap_or(u32::MAX);
    let (line, column) = (counted(line), counted(column));
    v1::Defect { file, line, column, code, severity: word(&severity), message, hint }
}
