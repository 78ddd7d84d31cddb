//! Reads actions: which kind one is, and the settings of that kind.

use steersman_domain::script::{
    defect::Defect,
    draft::{
        ActionDraft, CriteriaDraft, CustomConditionDraft, KindDraft, ModelDraft, ModelKind, OutputDraft, SettingDraft,
        Span, Spanned,
    },
};

use crate::scripts::{
    document::{Content, NodeId},
    key,
    reader::{Fields, Reader},
    shape::{SHAPES, Shape},
};

use super::no_kind;

/// The kinds that this build runs, as a message lists them.
const KINDS: [&str; 9] =
    ["say", "ai_say", "ai_talk", "ai_answer", "ai_ask", "ai_think", "user_option", "show_pic", "set"];
/// The kinds of later versions.
const LATER_KINDS: [&str; 2] = ["fill_form", "use_skill"];
/// The keys under which scripts name what is set.
const SETTING_KEYS: [&str; 5] = ["get", "set", "var", "user_option", "collect"];

/// Reads an action; what could not be read comes back as the name of its kind, if it could be told.
pub(super) fn read(reader: &mut Reader<'_>, id: NodeId) -> Result<ActionDraft, Option<&'static str>> {
    let kind = kind_of(reader, id).ok_or(None)?;
    let shape = shape_of(kind);
    let mut fields = reader.fields(id, shape).ok_or(None)?;
    let draft = ActionDraft {
        span: fields.span,
        id: reader.text(&mut fields, "id"),
        when: reader.condition(&mut fields, "when"),
        note: reader.text(&mut fields, "note"),
        kind: settings(reader, &mut fields, kind),
    };
    fields.done();
    Ok(draft)
}

/// Collects the names that a broken action seems to set.
pub(super) fn names_set(reader: &Reader<'_>, id: NodeId) -> Vec<String> {
    let document = reader.document;
    match &document.node(id).content {
        Content::Mapping(entries) => entries
            .iter()
            .flat_map(|(key, value)| {
                let sets = document.node(*key).scalar().is_some_and(|key| SETTING_KEYS.contains(&key));
                let own = document.node(*value).scalar().filter(|_| sets).map(ToOwned::to_owned);
                own.into_iter().chain(names_set(reader, *value))
            })
            .collect(),
        Content::List(entries) => entries.iter().flat_map(|entry| names_set(reader, *entry)).collect(),
        Content::Scalar { .. } | Content::Mark => Vec::new(),
    }
}

fn kind_of(reader: &mut Reader<'_>, id: NodeId) -> Option<&'static str> {
    let Some(entries) = reader.entries(id) else {
        reader.wrong(id, "an action", "a mapping", "write for example `- say: Hello.`");
        return None;
    };
    let document = reader.document;
    let keys: Vec<_> = entries.iter().filter_map(|(key, _)| Some((*key, document.node(*key).scalar()?))).collect();
    if let Some((key, name)) = keys.iter().find(|(_, name)| LATER_KINDS.contains(name)) {
        reader.report(key::not_yet(name, Span::new(*key)));
        return None;
    }
    let named: Vec<_> = keys
        .iter()
        .filter_map(|(key, name)| KINDS.into_iter().find(|kind| kind == name).map(|kind| (*key, kind)))
        .collect();
    match named.as_slice() {
        [] => {
            reader.report(no_kind(&keys, &KINDS, Span::new(id)));
            None
        }
        [(_, kind)] => Some(kind),
        [(first, one), (second, other), ..] => {
            if one == other {
                return Some(one); // The same key twice; the document has told it.
            }
            reader.report(
                Defect::error("two_kinds", Span::new(*second), format!("this action is both `{one}` and `{other}`"))
                    .related(Span::new(*first), "the first kind is here")
                    .hint("make two actions of it, each with its own `- `"),
            );
            None
        }
    }
}

fn shape_of(kind: &str) -> &'static Shape {
    match kind {
        "say" => &SHAPES.say,
        "ai_say" => &SHAPES.ai_say,
        "ai_talk" => &SHAPES.ai_talk,
        "ai_answer" => &SHAPES.ai_answer,
        "ai_ask" => &SHAPES.ai_ask,
        "ai_think" => &SHAPES.ai_think,
        "user_option" => &SHAPES.user_option,
        "show_pic" => &SHAPES.show_pic,
        _ => &SHAPES.set,
    }
}

fn settings(reader: &mut Reader<'_>, fields: &mut Fields, kind: &'static str) -> KindDraft {
    match kind {
        "say" => {
            KindDraft::Say { text: reader.text(fields, "say"), wait: reader.flag(fields, "wait").unwrap_or(false) }
        }
        "ai_say" | "ai_talk" | "ai_answer" => model(reader, fields, ModelKind::Say, kind),
        "ai_ask" => model(reader, fields, ModelKind::Ask, kind),
        "ai_think" => model(reader, fields, ModelKind::Think, kind),
        "user_option" => user_option(reader, fields),
        "show_pic" => KindDraft::ShowPic { url: reader.text(fields, "show_pic"), alt: reader.text(fields, "alt") },
        _ => KindDraft::Set(setting(reader, fields)),
    }
}

fn model(reader: &mut Reader<'_>, fields: &mut Fields, kind: ModelKind, key: &str) -> KindDraft {
    let mut draft = ModelDraft {
        kind,
        task: reader.text(fields, key),
        opening: None,
        purpose: None,
        tone: reader.text(fields, "tone"),
        role: reader.text(fields, "role"),
        temperature: reader.number(fields, "temperature"),
        timeout: reader.duration(fields, "timeout"),
        exit: None,
        criteria: None,
        exit_sources: None,
        max_rounds: None,
        outputs: outputs(reader, fields),
        collect: None,
    };
    if kind == ModelKind::Say {
        let spelled = match key {
            "ai_talk" => Some("comfort"),
            "ai_answer" => Some("answer"),
            _ => None,
        };
        let spelled = spelled.map(|purpose| Spanned::new(purpose.to_owned(), fields.span));
        draft.purpose = reader.text(fields, "purpose").or(spelled);
    }
    if kind == ModelKind::Ask {
        draft.opening = reader.text(fields, "opening");
        draft.collect = reader.text(fields, "collect");
    }
    if kind != ModelKind::Think {
        draft.exit = reader.text(fields, "exit");
        draft.criteria = criteria(reader, fields);
        draft.max_rounds = reader.whole(fields, "max_rounds");
        draft.exit_sources = exit_sources(reader, fields);
    }
    KindDraft::Model(Box::new(draft))
}

fn exit_sources(reader: &mut Reader<'_>, fields: &mut Fields) -> Option<Spanned<Vec<Spanned<String>>>> {
    let span = fields.place("exit_sources");
    let sources = reader.texts(fields, "exit_sources");
    span.map(|span| Spanned::new(sources, span))
}

fn criteria(reader: &mut Reader<'_>, fields: &mut Fields) -> Option<Spanned<CriteriaDraft>> {
    let id = fields.take("exit_criteria")?;
    let mut fields = reader.fields(id, &SHAPES.criteria)?;
    let criteria = CriteriaDraft {
        understanding_threshold: reader.number(&mut fields, "understanding_threshold"),
        has_questions: reader.flag(&mut fields, "has_questions"),
        min_rounds: reader.whole(&mut fields, "min_rounds"),
        emotion_intensity: reader.number(&mut fields, "emotion_intensity"),
        custom_conditions: {
            let entries = reader.list(&mut fields, "custom_conditions").unwrap_or_default();
            entries.iter().filter_map(|entry| custom_condition(reader, *entry)).collect()
        },
    };
    fields.done();
    Some(Spanned::new(criteria, Span::new(id)))
}

fn custom_condition(reader: &mut Reader<'_>, id: NodeId) -> Option<CustomConditionDraft> {
    let mut fields = reader.fields(id, &SHAPES.custom_condition)?;
    let custom = CustomConditionDraft {
        variable: reader.text(&mut fields, "variable"),
        operator: reader.text(&mut fields, "operator"),
        value: reader.value(&mut fields, "value"),
    };
    fields.done();
    Some(custom)
}

fn outputs(reader: &mut Reader<'_>, fields: &mut Fields) -> Vec<OutputDraft> {
    let entries = reader.list(fields, "output").unwrap_or_default();
    entries.iter().filter_map(|entry| output(reader, *entry)).collect()
}

fn output(reader: &mut Reader<'_>, id: NodeId) -> Option<OutputDraft> {
    let has = |reader: &Reader<'_>, key: &str| {
        let entries = reader.entries(id).unwrap_or_default();
        entries.iter().any(|(name, _)| reader.document.node(*name).scalar() == Some(key))
    };
    if has(reader, "set") && !has(reader, "get") {
        let mut fields = reader.fields(id, &SHAPES.set_output)?;
        let setting = setting(reader, &mut fields);
        fields.done();
        return Some(OutputDraft::Set(setting));
    }
    let mut fields = reader.fields(id, &SHAPES.get_output)?;
    let name = reader.text(&mut fields, "get");
    let (define, kind) = (reader.text(&mut fields, "define"), reader.text(&mut fields, "type"));
    let (scope, required) = (reader.text(&mut fields, "scope"), reader.flag(&mut fields, "required"));
    fields.done();
    Some(OutputDraft::Get { name: name?, define, kind, scope, required: required.unwrap_or(true) })
}

fn setting(reader: &mut Reader<'_>, fields: &mut Fields) -> SettingDraft {
    SettingDraft { variable: reader.text(fields, "set"), value: reader.value(fields, "value") }
}

fn user_option(reader: &mut Reader<'_>, fields: &mut Fields) -> KindDraft {
    let variable = reader.text(fields, "user_option");
    let ask = reader.text(fields, "ask");
    let max_rounds = reader.whole(fields, "max_rounds");
    let choices_span = fields.place("choices").unwrap_or(fields.span);
    let entries = reader.list(fields, "choices");
    let complete = entries.is_some();
    let choices: Vec<_> = entries.unwrap_or_default().iter().filter_map(|entry| choice(reader, *entry)).collect();
    // Where an entry could not be read the number of choices is not what the author meant.
    let complete = complete && choices.len() == entries.unwrap_or_default().len();
    let choices_span = if complete { choices_span } else { fields.span };
    KindDraft::UserOption { variable, ask, choices, choices_span, max_rounds }
}

fn choice(reader: &mut Reader<'_>, id: NodeId) -> Option<(Spanned<String>, Spanned<String>)> {
    match reader.entries(id) {
        Some(&[(key, text)]) => Some((reader.text_at(key, "choices")?, reader.text_at(text, "choices")?)),
        Some(_) => {
            reader.report(
                Defect::error("wrong_kind", Span::new(id), "a choice is one key and its text")
                    .hint("for example `- sleep: My sleep`; each choice has its own `- `"),
            );
            None
        }
        None => {
            reader.wrong(id, "a choice", "a key and its text", "write for example `- sleep: My sleep`");
            None
        }
    }
}
