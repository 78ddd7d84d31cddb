//! Long answers in parts: no answer grows beyond what a client of gRPC takes in by default.

use prost::Message;
use steersman_domain::id::SessionId;
use steersman_engine::{Principal, ports::Archive};
use steersman_proto::v1;
use tonic::Status;

use super::super::{
    events::{event, time, utterance},
    status::Refused,
};

const DEFAULT_PAGE: usize = 50;
const LARGEST_PAGE: usize = 500;
const DEFAULT_LIMIT: usize = 200;
const LARGEST_LIMIT: usize = 1_000;
/// An answer that has grown to this many bytes takes no more: clients refuse 4 MiB unless told otherwise.
const ANSWER_BYTES: usize = 1024 * 1024;
/// The size of one part of an export.
const CHUNK_BYTES: usize = 64 * 1024;

/// How many entries of a list to return for what was asked.
pub(crate) fn size(asked: u32) -> usize {
    bounded(asked, DEFAULT_PAGE, LARGEST_PAGE)
}

/// Returns a page of events.
pub(super) async fn events(
    archive: &dyn Archive,
    id: &SessionId,
    after_seq: u64,
    asked: u32,
) -> Result<v1::ListEventsResponse, Status> {
    let limit = bounded(asked, DEFAULT_LIMIT, LARGEST_LIMIT);
    let found = archive.events(&Principal::local(), id, after_seq, limit + 1).await.map_err(Refused::from)?;
    let count = found.len();
    let mut room = Room::default();
    let events: Vec<_> = found.iter().take(limit).map(event).take_while(|event| room.takes(event)).collect();
    Ok(v1::ListEventsResponse { has_more: events.len() < count, events })
}

/// Returns a page of what was said.
pub(super) async fn transcript(
    archive: &dyn Archive,
    id: &SessionId,
    after_seq: u64,
    asked: u32,
) -> Result<v1::GetTranscriptResponse, Status> {
    let limit = bounded(asked, DEFAULT_LIMIT, LARGEST_LIMIT);
    let (mut lines, mut room, mut after) = (Vec::new(), Room::default(), after_seq);
    loop {
        let found = archive.events(&Principal::local(), id, after, LARGEST_LIMIT).await.map_err(Refused::from)?;
        let Some(last) = found.last() else { return Ok(v1::GetTranscriptResponse { lines, has_more: false }) };
        after = last.seq;
        for event in &found {
            let Some(said) = utterance(&event.body) else { continue };
            let at = Some(time(event.at));
            let line = v1::TranscriptLine { seq: event.seq, turn: event.turn, at, utterance: Some(said) };
            if lines.len() == limit || !room.takes(&line) {
                return Ok(v1::GetTranscriptResponse { lines, has_more: true });
            }
            lines.push(line);
        }
    }
}

/// Joins lines to parts of about the same size.
pub(super) fn chunks(lines: impl Iterator<Item = String>) -> impl Iterator<Item = Vec<u8>> {
    let mut lines = lines.peekable();
    std::iter::from_fn(move || {
        let mut chunk = lines.next()?.into_bytes();
        while let Some(next) = lines.next_if(|next| chunk.len() + next.len() <= CHUNK_BYTES) {
            chunk.extend_from_slice(next.as_bytes());
        }
        Some(chunk)
    })
}

/// The room that is left in an answer. The first entry always fits.
#[derive(Debug, Default)]
struct Room {
    used: usize,
}

impl Room {
    fn takes(&mut self, entry: &impl Message) -> bool {
        let fits = self.used < ANSWER_BYTES;
        self.used += entry.encoded_len();
        fits
    }
}

fn bounded(asked: u32, default: usize, largest: usize) -> usize {
    match usize::try_from(asked) {
        Ok(0) => default,
        Ok(asked) => asked.min(largest),
        Err(_) => largest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_bounded() {
        assert_eq!([size(0), size(7), size(u32::MAX)], [50, 7, 500]);
    }

    #[test]
    fn lines_are_joined_to_parts_and_none_is_lost() {
        let lines: Vec<String> = (0..10).map(|n| format!("{}\n", "x".repeat(n * 5_000))).collect();
        let parts: Vec<Vec<u8>> = chunks(lines.clone().into_iter()).collect();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.len() <= CHUNK_BYTES));
        assert_eq!(parts.concat(), lines.concat().into_bytes());
        let long = "y".repeat(CHUNK_BYTES * 2);
        assert_eq!(chunks(std::iter::once(long.clone())).next().unwrap(), long.into_bytes());
    }

    #[test]
    fn an_answer_takes_one_entry_at_least_and_stops_growing() {
        let large = v1::Disclosed { text: "x".repeat(ANSWER_BYTES) };
        let mut room = Room::default();
        assert!(room.takes(&large));
        assert!(!room.takes(&large));
    }
}
