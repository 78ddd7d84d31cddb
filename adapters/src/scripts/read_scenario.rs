//! Reads a parsed document as a draft of a scenario. What it means is checked in the domain.

use steersman_domain::{
    moderator::draft::{Draft, ParticipantDraft, PhaseDraft, PolicyDraft},
    script::{
        defect::Defect,
        draft::{Span, Spanned},
    },
};

use super::{
    document::{Document, NodeId},
    reader::{Fields, Reader},
    shape::SCENARIO,
};

/// Reads a whole scenario.
pub(super) fn read<'d>(document: &'d Document<'d>) -> (Draft, Vec<Defect>) {
    let mut reader = Reader::new(document);
    let Some(root) = document.root else { return (Draft::default(), reader.defects) };
    let draft = reader.scenario(root).unwrap_or_else(|| Draft { span: Span::new(root), ..Draft::default() });
    (draft, reader.defects)
}

impl<'d> Reader<'d> {
    fn scenario(&mut self, root: NodeId) -> Option<Draft> {
        let mut fields = self.fields(root, &SCENARIO.scenario)?;
        let participants = self.placed_list(&mut fields, "participants");
        let phases = self.placed_list(&mut fields, "phases");
        let draft = Draft {
            span: fields.span,
            language: self.whole(&mut fields, "steersman"),
            id: self.text(&mut fields, "scenario"),
            title: self.text(&mut fields, "title"),
            locale: self.text(&mut fields, "locale"),
            participants: participants.map(|(entries, place)| {
                Spanned::new(entries.iter().filter_map(|entry| self.participant(*entry)).collect(), place)
            }),
            phases: phases.map(|(entries, place)| {
                Spanned::new(entries.iter().filter_map(|entry| self.discussion_phase(*entry)).collect(), place)
            }),
            policy: self.policy(&mut fields),
        };
        fields.done();
        Some(draft)
    }

    fn participant(&mut self, id: NodeId) -> Option<ParticipantDraft> {
        let mut fields = self.fields(id, &SCENARIO.participant)?;
        let participant = ParticipantDraft {
            span: fields.span,
            agent: self.text(&mut fields, "agent"),
            name: self.text(&mut fields, "name"),
            persona: self.text(&mut fields, "persona"),
            kind: self.text(&mut fields, "kind"),
            faction: self.text(&mut fields, "faction"),
        };
        fields.done();
        Some(participant)
    }

    fn discussion_phase(&mut self, id: NodeId) -> Option<PhaseDraft> {
        let mut fields = self.fields(id, &SCENARIO.phase)?;
        let phase = PhaseDraft {
            span: fields.span,
            id: self.text(&mut fields, "phase"),
            kind: self.text(&mut fields, "type"),
            max_rounds: self.whole(&mut fields, "max_rounds"),
            allow_interrupt: self.flag(&mut fields, "allow_interrupt").unwrap_or(false),
            speaking_order: self.text(&mut fields, "speaking_order"),
            force_summary: self.flag(&mut fields, "force_summary").unwrap_or(false),
            max_minutes: self.number(&mut fields, "max_minutes"),
        };
        fields.done();
        Some(phase)
    }

    fn policy(&mut self, fields: &mut Fields) -> PolicyDraft {
        let Some(mut fields) = fields.take("policy").and_then(|id| self.fields(id, &SCENARIO.policy)) else {
            return PolicyDraft::default();
        };
        let policy = PolicyDraft {
            intervention_level: self.whole(&mut fields, "intervention_level"),
            cold_threshold: self.whole(&mut fields, "cold_threshold"),
            max_speak_ratio: self.number(&mut fields, "max_speak_ratio"),
            max_consecutive_speaks: self.whole(&mut fields, "max_consecutive_speaks"),
            allow_rollback: self.placed_flag(&mut fields, "allow_rollback"),
            allow_skip: self.placed_flag(&mut fields, "allow_skip"),
            on_high: self.text(&mut fields, "on_high"),
        };
        fields.done();
        policy
    }

    fn placed_list(&mut self, fields: &mut Fields, key: &str) -> Option<(&'d [NodeId], Span)> {
        let place = fields.place(key);
        Some((self.list(fields, key)?, place?))
    }

    fn placed_flag(&mut self, fields: &mut Fields, key: &str) -> Option<Spanned<bool>> {
        let place = fields.place(key);
        let flag = self.flag(fields, key)?;
        Some(Spanned::new(flag, place?))
    }
}
