//! The service `Sessions`.

mod pages;
mod running;

use std::{pin::Pin, sync::Arc, time::Duration};

use futures_util::{Stream, stream};
use steersman_domain::{
    control::Clearance,
    id::{ScriptId, SessionId, SubjectId},
    session::Status as Standing,
};
use steersman_engine::{
    Principal, export,
    ports::{ClientInput, Conversation, Opening, ServerFrame, SessionFilter, TurnFinished},
};
use steersman_proto::v1;
use tokio::time::{Instant, timeout_at};
use tonic::{Request, Response, Status, Streaming, metadata::MetadataMap};

pub(super) use self::pages::size as page_size;
use self::running::Running;
use super::{
    converse::{Host, converse, watch},
    events::utterance,
    frames::{message_id, session_id, start, stopped, submitted, turn_finished},
    refusals::internal,
    status::{Reason, Refused},
    view::{summary, view},
};

type Frames = Pin<Box<dyn Stream<Item = Result<v1::ServerFrame, Status>> + Send>>;
type Parts = Pin<Box<dyn Stream<Item = Result<v1::ExportSessionResponse, Status>> + Send>>;

/// The longest deadline that a caller can name; a longer one is this one.
const LONGEST_DEADLINE: Duration = Duration::from_hours(24);

/// Answers calls about sessions.
#[derive(Debug)]
pub(super) struct Desk {
    host: Host,
    running: Arc<Running>,
}

impl Desk {
    pub(super) fn new(host: Host) -> Self {
        Self { host, running: Arc::default() }
    }

    /// Sends one message, and goes on with it when the caller's deadline is over: what came of it is kept.
    async fn submit(
        &self,
        id: SessionId,
        input: ClientInput,
        deadline: Option<Instant>,
    ) -> Result<v1::TurnResult, Status> {
        let run = Running::begin(&self.running, &id, input.id());
        let was_running = run.was_running();
        let sessions = Arc::clone(&self.host.sessions);
        let (session, principal) = (id.clone(), Principal::local());
        let turn = tokio::spawn(async move {
            let done = sessions.submit(&principal, &session, input).await;
            drop(run);
            done
        });
        let finished = match deadline {
            None => turn.await,
            Some(deadline) => timeout_at(deadline, turn).await.map_err(|_late| {
                Refused::new(if was_running { Reason::TurnInProgress } else { Reason::DeadlineExceeded })
            })?,
        };
        let finished = finished.map_err(|_died| internal("a turn's task died"))?.map_err(Refused::from)?;
        self.result(&id, finished).await
    }

    /// Says what a turn came to.
    async fn result(&self, id: &SessionId, finished: TurnFinished) -> Result<v1::TurnResult, Status> {
        let (after, principal) = (finished.first_seq.saturating_sub(1), Principal::local());
        let count = usize::try_from(finished.last_seq.saturating_sub(after)).unwrap_or(usize::MAX);
        let events = if count == 0 {
            Vec::new() // It changed nothing, and nothing was said.
        } else {
            self.host.archive.events(&principal, id, after, count).await.map_err(Refused::from)?
        };
        Ok(v1::TurnResult {
            utterances: events.iter().filter_map(|event| utterance(&event.body)).collect(),
            first_seq: finished.first_seq,
            last_seq: finished.last_seq,
            turn_finished: Some(turn_finished(&finished)),
        })
    }

    /// Starts a session and waits for its opening.
    async fn begin(&self, asked: v1::Start) -> Result<v1::StartSessionResponse, Status> {
        let opening = Opening::Start(Box::new(start(asked)?));
        let opened = self.host.sessions.open(&Principal::local(), opening).await.map_err(Refused::from)?;
        let Conversation { opened, mut frames, requests: _ } = opened;
        let mut utterances = Vec::new();
        while let Some(frame) = frames.next().await {
            match frame {
                ServerFrame::Events(events) => utterances.extend(events.iter().filter_map(|e| utterance(&e.body))),
                ServerFrame::TurnFinished(finished) => {
                    let opening = v1::TurnResult {
                        utterances,
                        first_seq: finished.first_seq,
                        last_seq: finished.last_seq,
                        turn_finished: Some(turn_finished(&finished)),
                    };
                    let session_id = opened.session_id.to_string();
                    return Ok(v1::StartSessionResponse { session_id, opening: Some(opening) });
                }
                ServerFrame::TurnError { error, .. } => return Err(Refused::from(error).into()),
                ServerFrame::Delta { .. } | ServerFrame::Retracted { .. } | ServerFrame::Draining => {}
            }
        }
        Err(frames.ended().map_or_else(|| Refused::new(Reason::Draining), Refused::from).into())
    }
}

#[tonic::async_trait]
impl v1::sessions_server::Sessions for Desk {
    type ConverseStream = Frames;
    type WatchSessionStream = Frames;
    type ExportSessionStream = Parts;

    async fn converse(&self, request: Request<Streaming<v1::ClientFrame>>) -> Result<Response<Frames>, Status> {
        let deadline = deadline(request.metadata());
        Ok(Response::new(Box::pin(converse(self.host.clone(), request.into_inner(), deadline))))
    }

    async fn start_session(
        &self,
        request: Request<v1::StartSessionRequest>,
    ) -> Result<Response<v1::StartSessionResponse>, Status> {
        let deadline = deadline(request.metadata());
        let asked = request.into_inner().start.ok_or_else(|| Refused::field("start", "say how it is to start"))?;
        within(deadline, self.begin(asked)).await.map(Response::new)
    }

    async fn submit_turn(&self, request: Request<v1::SubmitTurnRequest>) -> Result<Response<v1::TurnResult>, Status> {
        let deadline = deadline(request.metadata());
        let v1::SubmitTurnRequest { session_id: id, client_message_id, input } = request.into_inner();
        let input = submitted(client_message_id, input)?;
        self.submit(session_id(&id)?, input, deadline).await.map(Response::new)
    }

    async fn watch_session(&self, request: Request<v1::WatchSessionRequest>) -> Result<Response<Frames>, Status> {
        let deadline = deadline(request.metadata());
        let v1::WatchSessionRequest { session_id: id, after_seq } = request.into_inner();
        let frames = within(deadline, watch(self.host.clone(), session_id(&id)?, after_seq, deadline)).await?;
        Ok(Response::new(Box::pin(frames)))
    }

    async fn get_session(&self, request: Request<v1::GetSessionRequest>) -> Result<Response<v1::SessionView>, Status> {
        let id = session_id(&request.into_inner().session_id)?;
        let session = self.host.archive.get(&Principal::local(), &id).await.map_err(Refused::from)?;
        Ok(Response::new(view(&session)))
    }

    async fn list_sessions(
        &self,
        request: Request<v1::ListSessionsRequest>,
    ) -> Result<Response<v1::ListSessionsResponse>, Status> {
        let asked = request.into_inner();
        let limit = pages::size(asked.page_size);
        let filter = filter(asked)?;
        let archive = &self.host.archive;
        let mut found = archive.list(&Principal::local(), &filter, limit + 1).await.map_err(Refused::from)?;
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next_page_token = match found.last() {
            Some(last) if has_more => last.id.to_string(),
            Some(_) | None => String::new(),
        };
        let sessions = found.iter().map(summary).collect();
        Ok(Response::new(v1::ListSessionsResponse { sessions, next_page_token }))
    }

    async fn get_transcript(
        &self,
        request: Request<v1::GetTranscriptRequest>,
    ) -> Result<Response<v1::GetTranscriptResponse>, Status> {
        let v1::GetTranscriptRequest { session_id: id, after_seq, limit } = request.into_inner();
        let answer = pages::transcript(&*self.host.archive, &session_id(&id)?, after_seq, limit).await?;
        Ok(Response::new(answer))
    }

    async fn list_events(
        &self,
        request: Request<v1::ListEventsRequest>,
    ) -> Result<Response<v1::ListEventsResponse>, Status> {
        let v1::ListEventsRequest { session_id: id, after_seq, limit } = request.into_inner();
        let answer = pages::events(&*self.host.archive, &session_id(&id)?, after_seq, limit).await?;
        Ok(Response::new(answer))
    }

    async fn end_session(&self, request: Request<v1::EndSessionRequest>) -> Result<Response<v1::TurnResult>, Status> {
        let deadline = deadline(request.metadata());
        let v1::EndSessionRequest { session_id: id, client_message_id, reason } = request.into_inner();
        let input = stopped(message_id("client_message_id", client_message_id)?, reason.as_deref())?;
        self.submit(session_id(&id)?, input, deadline).await.map(Response::new)
    }

    async fn export_session(&self, request: Request<v1::ExportSessionRequest>) -> Result<Response<Parts>, Status> {
        let id = session_id(&request.into_inner().session_id)?;
        let recorded = self.host.archive.record(&Principal::local(), &id).await.map_err(Refused::from)?;
        let parts = pages::chunks(export::lines(id, recorded).map(|line| line.written()));
        let parts = parts.map(|chunk| Ok(v1::ExportSessionResponse { chunk }));
        Ok(Response::new(Box::pin(stream::iter(parts))))
    }

    async fn erase_session(
        &self,
        request: Request<v1::EraseSessionRequest>,
    ) -> Result<Response<v1::EraseSessionResponse>, Status> {
        let id = session_id(&request.into_inner().session_id)?;
        self.host.sessions.erase(&Principal::local(), &id).await.map_err(Refused::from)?;
        Ok(Response::new(v1::EraseSessionResponse {}))
    }

    async fn clear_risk(&self, request: Request<v1::ClearRiskRequest>) -> Result<Response<v1::TurnResult>, Status> {
        let deadline = deadline(request.metadata());
        let v1::ClearRiskRequest { session_id: id, reason, by, client_message_id } = request.into_inner();
        let message = message_id("client_message_id", client_message_id)?;
        let clearance = Clearance::new(by, reason).map_err(|error| Refused::field("reason", error.to_string()))?;
        let id = session_id(&id)?;
        let cleared = async {
            let cleared = self.host.sessions.clear_risk(&Principal::local(), &id, message, clearance).await;
            Ok(cleared.map_err(Refused::from)?)
        };
        let finished = within(deadline, cleared).await?;
        self.result(&id, finished).await.map(Response::new)
    }
}

fn filter(asked: v1::ListSessionsRequest) -> Result<SessionFilter, Refused> {
    let v1::ListSessionsRequest { subject_id, status, script_id, page_size: _, page_token } = asked;
    let subject = subject_id.map(SubjectId::new).transpose();
    let script = script_id.map(ScriptId::new).transpose();
    let after = Some(page_token).filter(|token| !token.is_empty()).map(SessionId::new).transpose();
    Ok(SessionFilter {
        subject: subject.map_err(|error| Refused::field("subject_id", error.to_string()))?,
        status: status.as_deref().map(standing).transpose()?,
        script: script.map_err(|error| Refused::field("script_id", error.to_string()))?,
        after: after.map_err(|_malformed| Refused::field("page_token", "use `next_page_token` of the page before"))?,
    })
}

fn standing(word: &str) -> Result<Standing, Refused> {
    let named = serde_json::from_value(word.into());
    named.map_err(|_unknown| Refused::field("status", "one of waiting_input, completed, ended"))
}

/// Waits for an answer until the caller's deadline.
async fn within<T>(deadline: Option<Instant>, answer: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
    match deadline {
        None => answer.await,
        Some(deadline) => timeout_at(deadline, answer).await.map_err(|_late| Refused::new(Reason::DeadlineExceeded))?,
    }
}

/// Reads the deadline that the caller sent along; one that cannot be read is none.
fn deadline(metadata: &MetadataMap) -> Option<Instant> {
    let text = metadata.get("grpc-timeout")?.to_str().ok()?;
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let count: u64 = count.parse().ok()?;
    let span = match unit {
        "H" => Duration::from_secs(count.saturating_mul(3_600)),
        "M" => Duration::from_secs(count.saturating_mul(60)),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return None,
    };
    Some(Instant::now() + span.min(LONGEST_DEADLINE))
}
