//! Reads a session back from the store: where it stands, what it has paid for, and whether it has waited too long.

use std::sync::Arc;

use steersman_domain::session::{Input, Session, SessionEvent};

use super::{Held, Progress, SessionTask, unavailable};
use crate::{
    live::Readiness,
    ports::{SessionRecord, TurnError},
    reading_room::rebuild,
};

impl SessionTask {
    /// Reads the session for the first one in its room.
    pub(super) async fn read_from_store(&mut self) -> Result<(), TurnError> {
        let held = self.load().await?;
        self.room.audience().begin_after(held.session.state().last_seq());
        self.held = Some(held);
        self.look_at_the_time().await?;
        self.room.now(Readiness::Ready);
        Ok(())
    }

    /// Takes the session over and returns it as its last commit left it.
    pub(super) async fn load(&self) -> Result<Held, TurnError> {
        let (tenant, id) = self.room.key();
        let store = &self.parts.store;
        let record = store.claim(tenant, id).await.map_err(|error| unavailable(&error))?.ok_or(TurnError::Gone)?;
        let SessionRecord { script_digest, state, version, owner_epoch, chain, last_input } = record;
        let pinned = self.parts.scripts.pinned(&script_digest).await.map_err(|_missing| TurnError::LogCorrupt)?;
        let restored = state.and_then(|state| Session::restore(Arc::clone(&pinned.script), state).ok());
        let session = match restored {
            Some(session) => session,
            None => rebuild(&*self.parts.records, &pinned, tenant, id).await?,
        };
        let turn = session.state().turn() + 1;
        let kept = store.kept_answers(tenant, id, turn).await.map_err(|error| unavailable(&error))?;
        let answers = kept.into_iter().map(|kept| kept.answer).collect();
        Ok(Held { session, version, owner_epoch, chain, last_input, answers })
    }

    /// Ends a session that has waited too long.
    async fn look_at_the_time(&mut self) -> Result<(), TurnError> {
        let Some(mut held) = self.held.take() else { return Ok(()) };
        let mut after = held.session.clone();
        let passed: Vec<SessionEvent> = after.apply(Input::Tick, self.parts.clock.now())?;
        if !passed.is_empty() {
            let mut progress = Progress::default();
            self.apply(&mut held, &mut progress, Input::Tick)?;
            self.commit(&mut held, &mut progress, None).await?;
        }
        self.held = Some(held);
        Ok(())
    }
}
