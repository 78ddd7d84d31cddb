//! Makes a scenario of a draft, or says everything that is wrong with it at once.
//!
//! It never stops at the first defect, and it never repeats what the reader of the file has said already.

mod policy;

use std::{num::NonZeroU32, ops::RangeInclusive, time::Duration};

use super::{
    Flaw, MAX_PARTICIPANTS, MAX_PHASES, MAX_ROUNDS, Order, Participant, ParticipantKind, Phase, PhaseKind, Scenario,
    draft::{Draft, ParticipantDraft, PhaseDraft},
};
use crate::{
    id::{AgentId, PhaseId, ScenarioId},
    locale::Locale,
    script::{
        MAX_DEFECTS,
        defect::{Defect, Severity},
        draft::{Span, Spanned, Words},
    },
};

/// The version of the language that this build reads.
const LANGUAGE: i64 = 1;
/// The longest phase, in minutes: a day.
const MAX_MINUTES: f64 = 1_440.0;

/// What came of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The scenario, if no defect is an error.
    pub scenario: Option<Scenario>,
    /// The defects, in the order of the file, at most [`MAX_DEFECTS`]; errors are kept before warnings.
    pub defects: Vec<Defect>,
    /// The most decisions until the discussion ends, whatever anyone wants; see [`Scenario::decision_bound`].
    pub bound: Option<u32>,
}

/// Checks `draft`; `found` is what its reader found already.
pub fn check(draft: &Draft, found: Vec<Defect>) -> Checked {
    let mut checker = Checker { defects: found, incomplete: None };
    let scenario = checker.scenario(draft);
    let refused = checker.defects.iter().any(|defect| defect.severity == Severity::Error);
    if let (false, None) = (refused, &scenario) {
        let span = checker.incomplete.unwrap_or(draft.span);
        checker.report(
            Defect::error("missing_key", span, "something required is missing here").hint("see the keys of a scenario"),
        );
    }
    let scenario = scenario.filter(|_| !refused);
    let bound = scenario.as_ref().map(Scenario::decision_bound);
    Checked { scenario, defects: arranged(checker.defects), bound }
}

struct Checker {
    defects: Vec<Defect>,
    /// Where something required was absent; the reader has said so.
    incomplete: Option<Span>,
}

impl Checker {
    fn scenario(&mut self, draft: &Draft) -> Option<Scenario> {
        let language = self.language(draft);
        let id = self.id_of(draft.id.as_ref(), draft.span, "a scenario", ScenarioId::new);
        let locale = match &draft.locale {
            None => Some(Locale::En),
            Some(words) => self.named(words, "locale", "unknown_locale", &Locale::ALL, Locale::as_str),
        };
        let policy = self.policy(draft);
        self.required(draft.participants.as_ref(), draft.span);
        self.required(draft.phases.as_ref(), draft.span);
        let participants: Vec<_> = draft.participants().iter().map(|one| self.participant(one)).collect();
        let phases: Vec<_> = draft.phases().iter().map(|one| self.phase(one)).collect();
        let complete = participants.iter().all(Option::is_some) && phases.iter().all(Option::is_some);
        let (people, seats) = present(participants);
        let (parts, places) = present(phases);
        // What is wrong between the entries is told although an id or a locale is wrong too.
        let checked_id = id.clone().unwrap_or_else(|| ScenarioId::new("scenario").expect("a constant id"));
        let title = draft.title.as_ref().map_or_else(|| checked_id.to_string(), |title| title.value.clone());
        let made =
            Scenario::new(checked_id, title, locale.unwrap_or(Locale::En), people, parts, policy.unwrap_or_default());
        let scenario = match made {
            Ok(scenario) => Some(scenario),
            Err(flaws) => {
                for flaw in flaws {
                    self.defects.extend(flaw_defect(flaw, draft, &seats, &places));
                }
                None
            }
        };
        let header_is_right = language.is_some() && id.is_some() && locale.is_some() && policy.is_some();
        scenario.filter(|_| complete && header_is_right)
    }

    fn language(&mut self, draft: &Draft) -> Option<()> {
        let given = self.required(draft.language.as_ref(), draft.span)?;
        let (version, span) = (given.value, given.span);
        if version == LANGUAGE {
            return Some(());
        }
        self.report(if version > LANGUAGE {
            let message =
                format!("this scenario is written in version {version} of the language, this build reads {LANGUAGE}");
            Defect::error("newer_language", span, message).hint("run it with a newer steersman")
        } else {
            Defect::error("unknown_language", span, format!("there is no version {version} of the language"))
                .hint(format!("write `steersman: {LANGUAGE}`"))
        });
        None
    }

    fn participant(&mut self, draft: &ParticipantDraft) -> Option<Participant> {
        let agent = self.id_of(draft.agent.as_ref(), draft.span, "a participant", AgentId::new);
        let kind = match &draft.kind {
            None => Some(ParticipantKind::Model),
            Some(words) => self.named(words, "kind", "unknown_kind", &ParticipantKind::ALL, ParticipantKind::as_str),
        };
        let agent = agent?;
        Some(Participant {
            name: draft.name.as_ref().map_or_else(|| agent.to_string(), |name| name.value.clone()),
            persona: draft.persona.as_ref().map(|persona| persona.value.clone()),
            kind: kind?,
            faction: draft.faction.as_ref().map(|faction| faction.value.clone()),
            agent,
        })
    }

    fn phase(&mut self, draft: &PhaseDraft) -> Option<Phase> {
        let id = self.id_of(draft.id.as_ref(), draft.span, "a phase", PhaseId::new);
        let kind = self
            .required(draft.kind.as_ref(), draft.span)
            .and_then(|words| self.named(words, "type", "unknown_phase_type", &PhaseKind::ALL, PhaseKind::as_str));
        let max_rounds = self.required(draft.max_rounds.as_ref(), draft.span).and_then(|given| {
            self.number("rounds_out_of_range", "max_rounds", given, 1..=i64::from(MAX_ROUNDS)).and_then(NonZeroU32::new)
        });
        let order = match &draft.speaking_order {
            None => Some(Order::Free),
            Some(words) => self.named(words, "speaking_order", "unknown_order", &Order::ALL, Order::as_str),
        };
        let max_time = match &draft.max_minutes {
            None => Some(None),
            Some(given) => self.minutes(given).map(Some),
        };
        Some(Phase {
            id: id?,
            kind: kind?,
            max_rounds: max_rounds?,
            allow_interrupt: draft.allow_interrupt,
            order: order?,
            force_summary: draft.force_summary,
            max_time: max_time?,
        })
    }

    fn minutes(&mut self, given: &Spanned<f64>) -> Option<Duration> {
        if given.value > 0.0 && given.value <= MAX_MINUTES {
            return Some(Duration::from_secs_f64(given.value * 60.0));
        }
        let message = format!("`max_minutes` is {}, it must be above 0 and at most {MAX_MINUTES}", given.value);
        self.report(
            Defect::error("limit_out_of_range", given.span, message)
                .hint("write the minutes, or take the key out: then only the rounds count"),
        );
        None
    }

    fn id_of<T, E>(
        &mut self,
        given: Option<&Spanned<String>>,
        of: Span,
        what: &str,
        make: impl FnOnce(String) -> Result<T, E>,
    ) -> Option<T> {
        let given = self.required(given, of)?;
        let id = make(given.value.clone()).ok();
        if id.is_none() {
            let message = format!("`{}` cannot be the id of {what}", shown(&given.value));
            self.report(
                Defect::error("invalid_id", given.span, message).hint("an id is 1 to 128 letters, digits, `_` or `-`"),
            );
        }
        id
    }

    /// Reads one of a closed list of names, in any letter case.
    fn named<T: Copy>(
        &mut self,
        words: &Spanned<String>,
        key: &str,
        code: &'static str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<T> {
        let found = all.iter().copied().find(|&one| name(one).eq_ignore_ascii_case(&words.value));
        if found.is_none() {
            let message = format!("`{key}` cannot be `{}`", shown(&words.value));
            let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
            self.report(Defect::error(code, words.span, message).nearest(&words.value, names));
        }
        found
    }

    fn number(
        &mut self,
        code: &'static str,
        key: &str,
        given: &Spanned<i64>,
        range: RangeInclusive<i64>,
    ) -> Option<u32> {
        if range.contains(&given.value) {
            return u32::try_from(given.value).ok();
        }
        let (least, most) = range.into_inner();
        let message = format!("`{key}` is {}, it must be {least} to {most}", given.value);
        self.report(Defect::error(code, given.span, message).hint("write a number in that range"));
        None
    }

    fn report(&mut self, defect: Defect) {
        self.defects.push(defect);
    }

    /// Takes a part that must be there; its absence was reported by whoever could not read it.
    fn required<T>(&mut self, part: Option<T>, of: Span) -> Option<T> {
        if part.is_none() {
            self.incomplete.get_or_insert(of);
        }
        part
    }
}

/// Keeps what is there, and where it stood.
fn present<T>(entries: Vec<Option<T>>) -> (Vec<T>, Vec<usize>) {
    let kept = entries.into_iter().enumerate().filter_map(|(place, entry)| entry.map(|entry| (entry, place)));
    kept.unzip()
}

/// Puts a flaw of the scenario where the author wrote it. A list that is not there was reported by the reader, one that
/// lost every entry entry by entry.
fn flaw_defect(flaw: Flaw, draft: &Draft, seats: &[usize], places: &[usize]) -> Option<Defect> {
    let agent = |seat: usize| draft.participants().get(seats[seat]).and_then(|one| one.agent.as_ref());
    let phase = |place: usize| draft.phases().get(places[place]);
    let span = |words: Option<&Words>| words.and_then(|words| words.as_ref()).map_or(draft.span, |words| words.span);
    let defect = |code: &'static str, span: Span| Defect::error(code, span, flaw.to_string());
    match flaw {
        Flaw::Participants if seats.is_empty() && !draft.participants().is_empty() => None,
        Flaw::Participants => {
            let hint = format!("list 1 to {MAX_PARTICIPANTS} entries such as `- {{agent: ada, kind: model}}`");
            Some(defect("number_of_participants", draft.participants.as_ref()?.span).hint(hint))
        }
        Flaw::Phases if places.is_empty() && !draft.phases().is_empty() => None,
        Flaw::Phases => {
            let hint = format!(
                "list 1 to {MAX_PHASES} entries such as `- {{phase: talk, type: FREE_DISCUSSION, max_rounds: 10}}`"
            );
            Some(defect("number_of_phases", draft.phases.as_ref()?.span).hint(hint))
        }
        Flaw::DuplicateAgent { participant, first } => {
            let (again, first) = (agent(participant)?, agent(first)?);
            let message = format!("two participants have the id `{}`", again.value);
            Some(duplicate(again.span, first.span, message))
        }
        Flaw::DuplicatePhase { phase: again, first } => {
            let (again, first) = (phase(again)?.id.as_ref()?, phase(first)?.id.as_ref()?);
            Some(duplicate(again.span, first.span, format!("two phases have the id `{}`", again.value)))
        }
        Flaw::OpeningNotFirst { phase: place } => {
            let hint = "move it to the front, or give it another type";
            Some(defect("phase_order", span(phase(place).map(|phase| &phase.kind))).hint(hint))
        }
        Flaw::ClosingNotLast { phase: place } => {
            let hint = "move it to the end, or give it another type";
            Some(defect("phase_order", span(phase(place).map(|phase| &phase.kind))).hint(hint))
        }
        Flaw::Rounds { phase: place } => {
            let span = phase(place)?.max_rounds.as_ref().map_or(draft.span, |given| given.span);
            Some(defect("rounds_out_of_range", span).hint("write a number in that range"))
        }
    }
}

fn duplicate(again: Span, first: Span, message: String) -> Defect {
    let hint = "give one of them another id";
    Defect::error("duplicate_id", again, message).related(first, "the first one is here").hint(hint)
}

/// Shows a value of the file in a message, shortened.
fn shown(text: &str) -> String {
    text.chars().take(40).filter(|c| !c.is_control()).collect()
}

fn arranged(mut defects: Vec<Defect>) -> Vec<Defect> {
    if defects.len() > MAX_DEFECTS {
        defects.sort_by_key(|defect| std::cmp::Reverse(defect.severity));
        defects.truncate(MAX_DEFECTS);
    }
    defects.sort_by_key(|defect| (defect.span, defect.within.as_ref().map(|within| within.start)));
    defects.dedup();
    defects
}
