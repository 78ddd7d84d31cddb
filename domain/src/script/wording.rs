//! The texts of a script, as its author wrote them: what the person reads and what a model is told.

use super::{Action, ActionKind, Output, Phase, Role, SetValue, Template, Topic};

/// Lists the texts that the person reads or a model is told, placeholders as they stand.
pub(super) fn texts<'s>(roles: impl IntoIterator<Item = &'s Role>, phases: &'s [Phase]) -> Vec<&'s str> {
    let tones = roles.into_iter().filter_map(|role| role.tone.as_ref());
    let mut texts: Vec<&str> = tones.map(Template::source).collect();
    for phase in phases {
        texts.extend(phase.goal.as_ref().map(Template::source));
        phase.topics.iter().for_each(|topic| of_topic(topic, &mut texts));
    }
    texts
}

fn of_topic<'s>(topic: &'s Topic, texts: &mut Vec<&'s str>) {
    texts.extend(topic.goal.as_ref().map(Template::source));
    topic.actions.iter().for_each(|action| of_action(action, texts));
}

fn of_action<'s>(action: &'s Action, texts: &mut Vec<&'s str>) {
    let tone = action.voice().and_then(|voice| voice.tone.as_ref());
    let exit = action.kind.dialogue().and_then(|dialogue| dialogue.exit.as_ref());
    let general = [action.task(), action.opening(), tone, exit];
    texts.extend(general.into_iter().flatten().map(Template::source));
    match &action.kind {
        ActionKind::Say(say) => texts.push(say.text.source()),
        ActionKind::UserOption(option) => {
            texts.push(option.ask.source());
            texts.extend(option.choices.iter().map(|choice| choice.text.source()));
        }
        ActionKind::ShowPic(picture) => {
            texts.push(&picture.url);
            texts.extend(picture.alt.as_ref().map(Template::source));
        }
        ActionKind::Set(setting) => texts.extend(written(&setting.value)),
        ActionKind::AiSay(_) | ActionKind::AiAsk(_) | ActionKind::AiThink(_) => {}
    }
    for output in action.kind.outputs() {
        match output {
            Output::Get { define, .. } => texts.extend(define.as_ref().map(Template::source)),
            Output::Set(setting) => texts.extend(written(&setting.value)),
        }
    }
}

fn written(value: &SetValue) -> Option<&str> {
    match value {
        SetValue::Literal(value) => value.json().as_str(),
        SetValue::Template(template) => Some(template.source()),
    }
}
