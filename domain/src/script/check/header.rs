//! What stands above the phases: version, id, locale, roles, limits, variables.

use std::collections::BTreeMap;

use super::{
    Checker,
    notes::{Declared, Place, Reserved, frame},
    text::printable,
};
use crate::{
    control::output::{OutputCheck, RiskScan},
    id::{ScriptId, is_id},
    locale::Locale,
    script::{
        Access, Declaration, Global, Limits, Role, Safety, Script,
        defect::{Defect, out_of_range},
        draft::{DeclarationDraft, Draft, LimitsDraft, Span, Spanned, Words},
        duration,
        wording::texts,
    },
    variable::{Kind, Scope, Value},
};

/// The version of the language that this build reads.
const LANGUAGE: i64 = 1;
const TURNS: (i64, i64) = (1, 10_000);
const MODEL_CALLS: (i64, i64) = (1, 100_000);
const INSERTED_ACTIONS: (i64, i64) = (0, 1000);
const IDLE_SECONDS: (u64, u64) = (60, 3650 * 86_400);
const MAX_STOP_WORD_CHARS: usize = 60;

impl Checker {
    /// Walks over the whole script.
    pub(super) fn script(&mut self, draft: &Draft) -> Option<Script> {
        let language = self.language(draft);
        let id = self.id_of(draft.id.as_ref(), draft.span, "a script", ScriptId::new);
        let title = draft.title.as_ref().map(|title| title.value.clone());
        let version = draft.version.as_ref().map_or_else(|| "0".to_owned(), |version| version.value.clone());
        let locale = self.locale(&draft.locale);
        let safety = self.safety(&draft.safety);
        let roles = self.roles(draft);
        self.notes.roles = roles.keys().cloned().collect();
        let limits = self.limits(&draft.limits);
        let stop_words = self.stop_words(&draft.stop_words);
        self.notes.reserved = Reserved { locale: locale.unwrap_or(Locale::En), stop_words: stop_words.clone() };
        let globals = self.globals(&draft.global);
        let declare = self.declarations(&draft.declare, Scope::Session);
        let phases = self.phases(draft);
        language?;
        let phases = phases?;
        let output_check = OutputCheck::new(texts(roles.values(), &phases), None, RiskScan::Off);
        Some(Script {
            id: id?,
            title,
            version,
            locale: locale?,
            safety: safety?,
            roles,
            globals,
            declare,
            limits,
            stop_words,
            phases,
            output_check,
        })
    }

    /// Checks an id that must be there.
    pub(super) fn id_of<T, E>(
        &mut self,
        given: Option<&Spanned<String>>,
        of: Span,
        what: &str,
        make: impl FnOnce(String) -> Result<T, E>,
    ) -> Option<T> {
        let given = self.required(given, of)?;
        let id = make(given.value.clone()).ok();
        if id.is_none() {
            let message = format!("`{}` cannot be the id of {what}", printable(&given.value));
            self.report(
                Defect::error("invalid_id", given.span, message)
                    .hint("an id is 1 to 128 letters, digits, `_` or `-`; give other words as `title:`"),
            );
        }
        id
    }

    /// Notes what is declared here and checks each entry.
    pub(super) fn declarations(&mut self, drafts: &[DeclarationDraft], scope: Scope) -> Vec<Declaration> {
        drafts.iter().filter_map(|draft| self.declaration(draft, scope, false)).collect()
    }

    /// Reads the name of a kind.
    pub(super) fn kind(&mut self, words: &Words) -> Option<Kind> {
        let words = words.as_ref()?;
        let found = Kind::DECLARABLE.into_iter().find(|kind| kind.as_str() == words.value);
        if found.is_none() {
            let message = format!("`{}` is no type", printable(&words.value));
            let names = Kind::DECLARABLE.map(Kind::as_str);
            self.report(Defect::error("unknown_type", words.span, message).nearest(&words.value, names));
        }
        found
    }

    /// Converts a fixed value to an explicit kind.
    pub(super) fn fixed(&mut self, name: &str, value: &Spanned<Value>, kind: Option<Kind>) -> Option<Value> {
        let Some(kind) = kind else { return Some(value.value.clone()) };
        if !value.value.sets() {
            return Some(value.value.clone());
        }
        let converted = value.value.clone().convert(kind);
        if converted.is_none() {
            let (is, wanted) = (value.value.kind().as_str(), kind.as_str());
            self.report(
                Defect::error("type_mismatch", value.span, format!("`{name}` has type {wanted}, this value is a {is}"))
                    .hint(format!("write a {wanted}, or change the `type:`")),
            );
        }
        converted
    }

    fn language(&mut self, draft: &Draft) -> Option<()> {
        let given = self.required(draft.language.as_ref(), draft.span)?;
        let (version, span) = (given.value, given.span);
        if version == LANGUAGE {
            return Some(());
        }
        let defect = if version > LANGUAGE {
            let message =
                format!("this script is written in version {version} of the language, this build reads {LANGUAGE}");
            Defect::error("newer_language", span, message).hint("run it with a newer steersman")
        } else {
            Defect::error("unknown_language", span, format!("there is no version {version} of the language"))
                .hint(format!("write `steersman: {LANGUAGE}`"))
        };
        self.report(defect);
        None
    }

    fn locale(&mut self, words: &Words) -> Option<Locale> {
        let Some(words) = words else { return Some(Locale::En) };
        let found = words.value.parse().ok();
        if found.is_none() {
            let message = format!("there are no built-in texts for the locale `{}`", printable(&words.value));
            self.report(
                Defect::error("unknown_locale", words.span, message)
                    .nearest(&words.value, Locale::ALL.map(Locale::as_str)),
            );
        }
        found
    }

    fn safety(&mut self, words: &Words) -> Option<Safety> {
        let Some(words) = words else { return Some(Safety::General) };
        let defect = match words.value.as_str() {
            "general" => return Some(Safety::General),
            "counselling" => Defect::error(
                "not_yet",
                words.span,
                "`safety: counselling` is part of the language, but this build does not run it yet",
            )
            .hint("use `safety: general` for what is not about health"),
            other => {
                let message = format!("`{}` is no kind of safety", printable(other));
                Defect::error("unknown_safety", words.span, message).nearest(other, ["general", "counselling"])
            }
        };
        self.report(defect);
        None
    }

    fn roles(&mut self, draft: &Draft) -> BTreeMap<String, Role> {
        let mut roles = BTreeMap::new();
        for role in &draft.roles {
            if !is_id(&role.key.value) {
                let message = format!("`{}` cannot name a role", printable(&role.key.value));
                self.report(
                    Defect::error("invalid_id", role.key.span, message)
                        .hint("the key is letters, digits, `_` or `-`; what the role is called goes under `name:`"),
                );
            }
            let name = role.name.as_ref().map(|name| name.value.clone());
            let tone = self.text(&role.tone, "tone");
            roles.insert(role.key.value.clone(), Role { name, tone });
        }
        roles
    }

    fn limits(&mut self, draft: &LimitsDraft) -> Limits {
        let mut limits = Limits::default();
        let numbers = [
            ("turns", &draft.turns, TURNS, &mut limits.turns),
            ("model_calls", &draft.model_calls, MODEL_CALLS, &mut limits.model_calls),
            ("inserted_actions", &draft.inserted_actions, INSERTED_ACTIONS, &mut limits.inserted_actions),
        ];
        for (key, given, (least, most), limit) in numbers {
            let Some(given) = given else { continue };
            match u32::try_from(given.value) {
                Ok(number) if (least..=most).contains(&given.value) => *limit = number,
                _ => self.report(
                    out_of_range("limit_out_of_range", key, given, &format!("{least} to {most}"))
                        .hint(format!("without `{key}` it is {limit}")),
                ),
            }
        }
        if let Some(idle) = &draft.idle
            && let Some(span) = self.duration("idle", idle, IDLE_SECONDS, "1min to 3650d")
        {
            limits.idle = span;
        }
        limits
    }

    /// Reads a span of time within `range`, given in seconds and in words.
    pub(super) fn duration(
        &mut self,
        key: &str,
        given: &Spanned<String>,
        (least, most): (u64, u64),
        range: &str,
    ) -> Option<std::time::Duration> {
        let Some(span) = duration::parse(given.value.trim()) else {
            let message = format!("`{key}` is `{}`, which is no span of time", printable(&given.value));
            let hint = "write a whole number and its unit: 30s, 2min, 1h or 30d";
            self.report(Defect::error("invalid_duration", given.span, message).hint(hint));
            return None;
        };
        if !(least..=most).contains(&span.as_secs()) {
            self.report(out_of_range("limit_out_of_range", key, given, range));
            return None;
        }
        Some(span)
    }

    fn stop_words(&mut self, drafts: &[Spanned<String>]) -> Vec<String> {
        for word in drafts {
            let length = word.value.trim().chars().count();
            if length == 0 || length > MAX_STOP_WORD_CHARS {
                let message = format!("a stop word has 1 to {MAX_STOP_WORD_CHARS} characters, this one has {length}");
                self.report(
                    Defect::error("invalid_stop_word", word.span, message)
                        .hint("it counts only as the whole message, so write what a person would send"),
                );
            }
        }
        drafts.iter().map(|word| word.value.trim().to_owned()).collect()
    }

    fn globals(&mut self, drafts: &[DeclarationDraft]) -> Vec<Global> {
        drafts
            .iter()
            .filter_map(|draft| {
                let access = if draft.writable { Access::Writable } else { Access::ReadOnly };
                if !draft.writable && draft.value.is_none() {
                    let message = format!("the global `{}` has no value and nothing may give it one", draft.name.value);
                    self.report(
                        Defect::error("constant_without_value", draft.name.span, message)
                            .hint("give it a `value:`, or make it `writable: true`"),
                    );
                }
                let declaration = self.declaration(draft, Scope::Global, !draft.writable)?;
                Some(Global { declaration, access })
            })
            .collect()
    }

    fn declaration(&mut self, draft: &DeclarationDraft, scope: Scope, read_only: bool) -> Option<Declaration> {
        let name = self.name(&draft.name);
        let kind = self.kind(&draft.kind);
        let value = draft.value.as_ref().and_then(|value| self.fixed(&draft.name.value, value, kind));
        let place = frame(scope, self.notes.place);
        let (given, span) = (&draft.name.value, draft.name.span);
        let first = *self.notes.firsts.entry((given.clone(), scope, place)).or_insert(span);
        if first != span {
            let message = format!("`{}` is declared twice in the {} scope", printable(given), scope.as_str());
            self.report(
                Defect::error("duplicate_name", span, message)
                    .related(first, "the first time is here")
                    .hint("keep one of the two"),
            );
        }
        self.notes.typed(given, scope, kind, 0);
        self.notes.declared.push(Declared {
            name: draft.name.value.clone(),
            span: draft.name.span,
            scope,
            place,
            value: value.clone(),
            read_only,
        });
        let define = draft.define.as_ref().map(|define| define.value.clone());
        Some(Declaration { name: name?, define, kind, value })
    }
}

impl Declared {
    /// Returns where the name was declared in words.
    pub(super) fn whereabouts(&self) -> &'static str {
        match (self.scope, self.place) {
            (Scope::Global, _) => "under `global:`",
            (_, Place::Script) => "for the session",
            (_, Place::Phase(_)) => "for the phase",
            (_, Place::Topic(..)) => "for the topic",
        }
    }
}
