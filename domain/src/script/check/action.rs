//! The kinds of actions, one function each.

use std::collections::BTreeMap;

use super::{
    Checker,
    exits::Refused,
    notes::{How, Reader, Reserved},
    text::printable,
};
use crate::{
    script::{
        ActionKind, AiAsk, AiSay, AiThink, Choice, Dialogue, Output, Say, SetValue, Setting, ShowPic, Template,
        UserOption,
        defect::Defect,
        draft::{ActionDraft, KindDraft, ModelDraft, ModelKind, OutputDraft, SettingDraft, Span, Spanned, Words},
    },
    texts,
    variable::{Scope, Value, VariableName},
};

/// The purpose of an `ai_say` that names none.
const DEFAULT_PURPOSE: &str = "explain";
/// A choice needs something to choose from.
const MIN_CHOICES: usize = 2;
const MAX_CHOICES: usize = 50;

impl Checker {
    pub(super) fn action_kind(&mut self, draft: &ActionDraft) -> Option<ActionKind> {
        match &draft.kind {
            KindDraft::Say { text, wait } => {
                let text = self.text(text, "say");
                let text = self.required(text, draft.span);
                Some(ActionKind::Say(Say { text: text?, wait: *wait }))
            }
            KindDraft::Model(model) => self.model_kind(model, draft.span),
            KindDraft::UserOption { .. } => self.user_option(draft),
            KindDraft::ShowPic { url, alt } => {
                let alt = self.text(alt, "alt");
                let url = self.text(url, "show_pic").and(url.as_ref());
                let url = self.required(url, draft.span);
                Some(ActionKind::ShowPic(ShowPic { url: url?.value.clone(), alt }))
            }
            KindDraft::Set(setting) => self.setting(setting, draft.span).map(ActionKind::Set),
            KindDraft::Broken { sets, .. } => {
                for name in sets {
                    self.notes.write(name, draft.span, How::Broken).scope = Some(Scope::Session);
                }
                None
            }
        }
    }

    fn model_kind(&mut self, draft: &ModelDraft, span: Span) -> Option<ActionKind> {
        let task = self.text(&draft.task, draft.kind.name());
        let task = self.required(task, span);
        let opening = self.text(&draft.opening, "opening");
        let voice = self.voice(draft);
        let exit = self.text(&draft.exit, "exit");
        let outputs = self.outputs(draft, span);
        let policy = self.policy(draft);
        let collect = self.collect(draft, outputs.as_deref());
        let purpose = draft.purpose.as_ref().map_or(DEFAULT_PURPOSE, |purpose| purpose.value.as_str()).to_owned();
        match draft.kind {
            ModelKind::Think => Some(ActionKind::AiThink(AiThink { task: task?, voice, outputs: outputs? })),
            ModelKind::Say => {
                let dialogue = policy.ok()?.map(|policy| Dialogue { exit, policy });
                Some(ActionKind::AiSay(AiSay { task: task?, purpose, voice, dialogue, outputs: outputs? }))
            }
            ModelKind::Ask => {
                let dialogue = Dialogue { exit, policy: policy.ok()?? };
                let (outputs, collect) = (outputs?, collect.ok()?);
                Some(ActionKind::AiAsk(AiAsk { task: task?, opening, voice, dialogue, outputs, collect }))
            }
        }
    }

    fn outputs(&mut self, draft: &ModelDraft, span: Span) -> Option<Vec<Output>> {
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for output in &draft.outputs {
            let OutputDraft::Get { name, .. } = output else { continue };
            let first = *seen.entry(&name.value).or_insert(name.span);
            if first != name.span {
                let message = format!("`{}` is collected twice", printable(&name.value));
                self.report(
                    Defect::error("duplicate_output", name.span, message)
                        .related(first, "the first time is here")
                        .hint("keep one of the two"),
                );
            }
        }
        // What the answer gives is there before what is set at the end reads it.
        let gets: Vec<_> = draft.outputs.iter().map(|output| self.get(output, draft.collect.is_some())).collect();
        let made: Option<Vec<_>> = draft
            .outputs
            .iter()
            .zip(gets)
            .map(|(output, get)| match output {
                OutputDraft::Get { .. } => get,
                OutputDraft::Set(setting) => self.setting(setting, span).map(Output::Set),
            })
            .collect();
        made
    }

    fn get(&mut self, output: &OutputDraft, is_field: bool) -> Option<Output> {
        let OutputDraft::Get { name, define, kind, scope, required } = output else { return None };
        let made = self.name(name);
        let define = self.text(define, "define");
        let kind = self.kind(kind);
        let scope = self.scope(scope);
        if is_field {
            if let Some(scope) = scope {
                let message =
                    format!("with `collect:` an output is a field of a record and has no scope ({})", scope.as_str());
                self.report(
                    Defect::error("field_scope", name.span, message)
                        .hint("take `scope:` out; declare the list under `declare:` where it should live"),
                );
            }
        } else {
            let write = self.notes.write(&name.value, name.span, How::Output);
            write.scope = scope;
            let at = write.at;
            self.notes.typed(&name.value, scope.unwrap_or(Scope::Topic), kind, at);
        }
        Some(Output::Get { name: made?, define, kind, scope, required: *required })
    }

    fn scope(&mut self, words: &Words) -> Option<Scope> {
        let words = words.as_ref()?;
        let found = Scope::ALL.into_iter().find(|scope| scope.as_str() == words.value);
        if found.is_none() {
            let message = format!("`{}` is no scope", printable(&words.value));
            let names = Scope::ALL.map(Scope::as_str);
            self.report(Defect::error("unknown_scope", words.span, message).nearest(&words.value, names));
        }
        found
    }

    fn collect(&mut self, draft: &ModelDraft, outputs: Option<&[Output]>) -> Result<Option<VariableName>, Refused> {
        let Some(list) = &draft.collect else { return Ok(None) };
        let fields = outputs.unwrap_or_default().iter().filter(|output| matches!(output, Output::Get { .. })).count();
        if outputs.is_some() && fields == 0 {
            self.report(
                Defect::error(
                    "collect_without_fields",
                    list.span,
                    "`collect` needs outputs: they are the fields of each record",
                )
                .hint("add for example `output: [{get: name, define: the name}]`"),
            );
        }
        self.notes.write(&list.value, list.span, How::Answer);
        self.name(list).map(Some).ok_or(Refused)
    }

    fn setting(&mut self, draft: &SettingDraft, span: Span) -> Option<Setting> {
        let variable = self.required(draft.variable.as_ref(), span);
        let name = variable.and_then(|variable| self.name(variable));
        let given = self.required(draft.value.as_ref(), span);
        let value = given.map(|given| self.set_value(given));
        if let (Some(variable), Some(given)) = (variable, given) {
            if !given.value.sets() {
                let message = format!("this sets nothing: `{}` keeps what it has", printable(&variable.value));
                self.report(
                    Defect::warning("sets_nothing", given.span, message)
                        .hint("null and the empty text do not set a variable; 0 and false do"),
                );
            }
            let literal = value.as_ref().and_then(|value| match value {
                SetValue::Literal(literal) => Some(literal.clone()),
                SetValue::Template(_) => None,
            });
            self.notes.write(&variable.value, variable.span, How::Set).literal = literal;
        }
        Some(Setting { variable: name?, value: value? })
    }

    fn set_value(&mut self, given: &Spanned<Value>) -> SetValue {
        let Some(text) = given.value.json().as_str() else { return SetValue::Literal(given.value.clone()) };
        let template: Template = self.template(&Spanned::new(text.to_owned(), given.span));
        if template.placeholders().is_empty() {
            SetValue::Literal(given.value.clone())
        } else {
            SetValue::Template(template)
        }
    }

    fn user_option(&mut self, draft: &ActionDraft) -> Option<ActionKind> {
        let KindDraft::UserOption { variable, ask, choices, choices_span, max_rounds } = &draft.kind else {
            return None;
        };
        let ask = self.text(ask, "ask");
        let ask = self.required(ask, draft.span);
        if !(MIN_CHOICES..=MAX_CHOICES).contains(&choices.len()) && *choices_span != draft.span {
            let message =
                format!("a choice has {MIN_CHOICES} to {MAX_CHOICES} entries, this one has {}", choices.len());
            self.report(
                Defect::error("number_of_choices", *choices_span, message)
                    .hint("for example `[{a: First}, {b: Second}]`"),
            );
        }
        let mut made: Vec<Choice> = Vec::with_capacity(choices.len());
        for (index, (key, text)) in choices.iter().enumerate() {
            if let Some((first, _)) =
                choices[..index].iter().take(MAX_CHOICES).find(|(other, _)| other.value == key.value)
            {
                self.report(
                    Defect::error(
                        "duplicate_choice",
                        key.span,
                        format!("two choices have the key `{}`", printable(&key.value)),
                    )
                    .related(first.span, "the first one is here")
                    .hint("give one of them another key"),
                );
            }
            if key.value.trim().is_empty() {
                self.report(
                    Defect::error("empty_text", key.span, "the key of a choice is empty").hint("write a short word"),
                );
            }
            for words in [key, text] {
                self.reserved_choice(words);
            }
            let text = self.text(&Some(text.clone()), "choices");
            made.extend(text.map(|text| Choice { key: key.value.clone(), text }));
        }
        let max_rounds = self.rounds(max_rounds.as_ref());
        let variable = self.required(variable.as_ref(), draft.span)?;
        self.notes.write(&variable.value, variable.span, How::Answer);
        let variable = self.name(variable);
        let whole = made.len() == choices.len() && made.len() >= MIN_CHOICES;
        let choices = self.required(whole.then_some(made), draft.span);
        Some(ActionKind::UserOption(UserOption {
            variable: variable?,
            ask: ask?,
            choices: choices?,
            max_rounds: max_rounds?,
        }))
    }

    /// Warns of a choice that cannot be typed in, because its words do something else in every state.
    fn reserved_choice(&mut self, words: &Spanned<String>) {
        let Reserved { locale, stop_words } = &self.notes.reserved;
        let texts = texts::session(*locale);
        let does = if texts.is_stop(&words.value, stop_words) {
            "ends the session"
        } else if texts.asks_for_human(&words.value) {
            "asks for a human"
        } else {
            return;
        };
        let message = format!("typed in, `{}` {does} instead of making this choice", printable(&words.value));
        self.report(Defect::warning("reserved_words", words.span, message).hint("word the choice differently"));
    }

    /// Notes that a criterion reads `name`.
    pub(super) fn criterion(&mut self, name: &Spanned<String>) {
        self.notes.read(&name.value, name.span, None, Reader::Criteria, false);
    }
}
