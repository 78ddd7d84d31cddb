//! Reads a parsed document as a draft of a script. What it means is checked in the domain.

mod action;

use steersman_domain::{
    nearest::nearest,
    script::{
        defect::Defect,
        draft::{
            ActionDraft, DeclarationDraft, Draft, KindDraft, LimitsDraft, PhaseDraft, RoleDraft, Span, TopicDraft,
        },
    },
};

use super::{
    document::{Document, NodeId},
    reader::{Fields, Reader},
    shape::{SHAPES, Shape},
};

/// Reads a whole script.
pub(super) fn read<'d>(document: &'d Document<'d>) -> (Draft, Vec<Defect>) {
    let mut reader = Reader::new(document);
    let Some(root) = document.root else { return (Draft::default(), reader.defects) };
    let draft = if reader.is_legacy(root) { None } else { reader.script(root) };
    let draft = draft.unwrap_or_else(|| Draft { span: Span::new(root), ..Draft::default() });
    (draft, reader.defects)
}

impl<'d> Reader<'d> {
    /// Files of the older dialects are told apart by their first key.
    fn is_legacy(&mut self, root: NodeId) -> bool {
        let keys = self.entries(root).unwrap_or_default().iter().map(|(key, _)| *key);
        let mut known = keys.filter(|key| matches!(self.document.node(*key).scalar(), Some("session" | "sessions")));
        let Some(key) = known.next() else { return false };
        let message = "this is a script of an older dialect (`session:`), which this build does not read yet";
        self.report(
            Defect::error("not_yet", Span::new(key), message)
                .hint("write `steersman: 1`, `script: <id>` and `phases:`; `steersman init` makes a small one"),
        );
        true
    }

    fn script(&mut self, root: NodeId) -> Option<Draft> {
        let mut fields = self.fields(root, &SHAPES.script)?;
        let draft = Draft {
            span: fields.span,
            language: self.whole(&mut fields, "steersman"),
            id: self.text(&mut fields, "script"),
            title: self.text(&mut fields, "title"),
            version: self.text(&mut fields, "version"),
            locale: self.text(&mut fields, "locale"),
            safety: self.text(&mut fields, "safety"),
            roles: self.roles(&mut fields),
            global: self.declarations(&mut fields, "global", &SHAPES.global),
            declare: self.declarations(&mut fields, "declare", &SHAPES.declaration),
            limits: self.limits(&mut fields),
            stop_words: self.texts(&mut fields, "stop_words"),
            phases: self.phases(&mut fields),
        };
        fields.done();
        Some(draft)
    }

    fn roles(&mut self, fields: &mut Fields) -> Vec<RoleDraft> {
        let Some(id) = fields.take("roles") else { return Vec::new() };
        let Some(entries) = self.entries(id) else {
            self.wrong(id, "`roles`", "a mapping", "write for example `roles: {guide: {name: Guide}}`");
            return Vec::new();
        };
        entries
            .iter()
            .filter_map(|(key, value)| {
                let key = self.text_at(*key, "roles")?;
                let mut fields = self.fields(*value, &SHAPES.role)?;
                let role =
                    RoleDraft { key, name: self.text(&mut fields, "name"), tone: self.text(&mut fields, "tone") };
                fields.done();
                Some(role)
            })
            .collect()
    }

    fn declarations(&mut self, fields: &mut Fields, key: &str, shape: &'static Shape) -> Vec<DeclarationDraft> {
        let entries = self.list(fields, key).unwrap_or_default();
        entries.iter().filter_map(|entry| self.declaration(*entry, shape)).collect()
    }

    fn declaration(&mut self, id: NodeId, shape: &'static Shape) -> Option<DeclarationDraft> {
        let mut fields = self.fields(id, shape)?;
        let name = self.text(&mut fields, "var");
        let (define, kind) = (self.text(&mut fields, "define"), self.text(&mut fields, "type"));
        let value = self.value(&mut fields, "value");
        let writable = shape.position("writable").is_some() && self.flag(&mut fields, "writable").unwrap_or(false);
        fields.done();
        Some(DeclarationDraft { name: name?, define, kind, value, writable })
    }

    fn limits(&mut self, fields: &mut Fields) -> LimitsDraft {
        let Some(mut fields) = fields.take("limits").and_then(|id| self.fields(id, &SHAPES.limits)) else {
            return LimitsDraft::default();
        };
        let limits = LimitsDraft {
            turns: self.whole(&mut fields, "turns"),
            model_calls: self.whole(&mut fields, "model_calls"),
            inserted_actions: self.whole(&mut fields, "inserted_actions"),
            idle: self.duration(&mut fields, "idle"),
        };
        fields.done();
        limits
    }

    fn phases(&mut self, fields: &mut Fields) -> Vec<PhaseDraft> {
        let phases = self.filled(fields, "phases", "a script");
        phases.iter().filter_map(|phase| self.phase(*phase)).collect()
    }

    fn phase(&mut self, id: NodeId) -> Option<PhaseDraft> {
        let mut fields = self.fields(id, &SHAPES.phase)?;
        let phase = PhaseDraft {
            span: fields.span,
            id: self.text(&mut fields, "phase"),
            title: self.text(&mut fields, "title"),
            goal: self.text(&mut fields, "goal"),
            when: self.condition(&mut fields, "when"),
            note: self.text(&mut fields, "note"),
            declare: self.declarations(&mut fields, "declare", &SHAPES.declaration),
            topics: {
                let topics = self.filled(&mut fields, "topics", "a phase");
                topics.iter().filter_map(|topic| self.topic(*topic)).collect()
            },
        };
        fields.done();
        Some(phase)
    }

    fn topic(&mut self, id: NodeId) -> Option<TopicDraft> {
        let mut fields = self.fields(id, &SHAPES.topic)?;
        let topic = TopicDraft {
            span: fields.span,
            id: self.text(&mut fields, "topic"),
            title: self.text(&mut fields, "title"),
            goal: self.text(&mut fields, "goal"),
            when: self.condition(&mut fields, "when"),
            note: self.text(&mut fields, "note"),
            declare: self.declarations(&mut fields, "declare", &SHAPES.declaration),
            actions: {
                let actions = self.filled(&mut fields, "actions", "a topic");
                actions.iter().map(|action| self.action(*action)).collect()
            },
        };
        fields.done();
        Some(topic)
    }

    fn action(&mut self, id: NodeId) -> ActionDraft {
        action::read(self, id).unwrap_or_else(|kind| ActionDraft {
            span: Span::new(id),
            id: None,
            when: None,
            note: None,
            kind: KindDraft::Broken { kind, sets: action::names_set(self, id) },
        })
    }

    /// Returns the entries of a list that must not be empty.
    fn filled(&mut self, fields: &mut Fields, key: &str, what: &str) -> &'d [NodeId] {
        let span = fields.span;
        let entries = self.list(fields, key);
        if entries.is_some_and(<[NodeId]>::is_empty) {
            let message = format!("{what} needs at least one entry under `{key}`");
            self.report(Defect::error("empty_list", span, message).hint("add one, or take the whole part out"));
        }
        entries.unwrap_or_default()
    }
}

/// Says that an action names no kind, or a kind that does not exist.
fn no_kind(keys: &[(NodeId, &str)], kinds: &[&str], span: Span) -> Defect {
    let list = kinds.join(", ");
    for (key, name) in keys {
        if let Some(near) = nearest(name, kinds.iter().copied()) {
            return Defect::error("unknown_kind", Span::new(*key), format!("there is no kind of action `{name}`"))
                .hint(format!("did you mean `{near}`? There are {list}"));
        }
    }
    let defect = Defect::error("unknown_kind", span, "no key of this action names its kind");
    match keys.iter().find(|(_, name)| matches!(*name, "type" | "action_type")) {
        Some((_, name)) => {
            defect.hint(format!("the kind is a key of its own, as in `say: Hello.`, not a value of `{name}`"))
        }
        None => defect.hint(format!("exactly one key must be one of {list}")),
    }
}
