//! The rigidity table: what a route and the questionnaires' totals mean for a model call, decided together.

use serde::{Deserialize, Serialize};

use super::Route;

/// The tokens that the JSON around a reply may take; added to [`ModelColumns::reply_tokens`] for a call's limit.
pub const JSON_OVERHEAD_TOKENS: u32 = 512;
/// The lowest temperature that a model is called with.
pub const LOWEST_TEMPERATURE: f64 = 0.1;

const LOW_BASE: f64 = 0.9;
const MEDIUM_BASE: f64 = 0.6;
/// How much of the rigid score is taken off the base temperature.
const RIGIDITY_WEIGHT: f64 = 0.8;
/// Temperatures are rounded to this many parts of one, so that 0.9 - 0.8 x 0.15 is 0.78 and prints so.
const PARTS: f64 = 1e9;

/// How closely the next utterance is led: the route and all that follows from it, made by [`rigidity`] alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rigidity {
    route: Route,
    rigid_score: f64,
    model: Option<ModelColumns>, // Invariant: none exactly when the route is high.
}

/// What the table says about a model call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelColumns {
    /// The temperature before rigidity is taken off.
    pub base: f64,
    /// The temperature of a call, the ceiling for what an action may ask.
    pub temperature: f64,
    /// What the reply must be made of.
    pub structure: Structure,
    /// The most tokens of the reply's text.
    pub reply_tokens: u32,
    /// How many past rounds the model sees.
    pub history_rounds: u32,
    /// Whether a reply is checked whole before any of it is shown.
    pub buffered: bool,
    /// Whether the reply itself is scanned for risk.
    pub reply_scanned: bool,
}

/// What an utterance must be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Structure {
    /// As the model likes.
    Free,
    /// Acknowledge, one point, one question.
    Outline,
    /// Two slots: acknowledge, ask.
    Slots,
    /// A reviewed text; no model.
    Script,
}

/// Looks up everything that `route` and the worse of the PHQ-9 and GAD-7 totals (absent = 0) mean.
pub fn rigidity(route: Route, worst_total: u8) -> Rigidity {
    let (rigid_score, columns) = match (route, worst_total) {
        (Route::Low, 0..=4) => (0.15, Some((LOW_BASE, Structure::Free, 460, 10, false, false))),
        (Route::Low, 5..) => (0.30, Some((LOW_BASE, Structure::Free, 420, 10, false, false))),
        (Route::Medium, 0..=9) => (0.50, Some((MEDIUM_BASE, Structure::Outline, 360, 6, true, false))),
        (Route::Medium, 10..=14) => (0.60, Some((MEDIUM_BASE, Structure::Slots, 330, 4, true, false))),
        (Route::Medium, 15..) => (0.75, Some((MEDIUM_BASE, Structure::Slots, 290, 4, true, true))),
        (Route::High, _) => (1.0, None),
    };
    let model = columns.map(|(base, structure, reply_tokens, history_rounds, buffered, reply_scanned)| ModelColumns {
        base,
        temperature: temperature(base, rigid_score),
        structure,
        reply_tokens,
        history_rounds,
        buffered,
        reply_scanned,
    });
    Rigidity { route, rigid_score, model }
}

/// Takes rigidity off a base temperature, never below [`LOWEST_TEMPERATURE`]; rounded to a billionth.
pub fn temperature(base: f64, rigid_score: f64) -> f64 {
    let lowered = (base - RIGIDITY_WEIGHT * rigid_score).max(LOWEST_TEMPERATURE);
    (lowered * PARTS).round() / PARTS
}

impl Rigidity {
    /// Returns the route it was looked up for.
    pub const fn route(&self) -> Route {
        self.route
    }

    /// Returns the rigid score, 0.15 to 1.
    pub const fn rigid_score(&self) -> f64 {
        self.rigid_score
    }

    /// Returns what holds for model calls; none when no model may speak.
    pub const fn model(&self) -> Option<&ModelColumns> {
        self.model.as_ref()
    }

    /// Returns the temperature of model calls; none when no model may speak.
    pub fn temperature(&self) -> Option<f64> {
        self.model.map(|columns| columns.temperature)
    }

    /// Returns what an utterance must be made of.
    pub fn structure(&self) -> Structure {
        self.model.map_or(Structure::Script, |columns| columns.structure)
    }
}

impl ModelColumns {
    /// Returns the token limit of the call: the reply's and what the JSON around it may take.
    pub const fn call_tokens(&self) -> u32 {
        self.reply_tokens + JSON_OVERHEAD_TOKENS
    }

    /// Returns the temperature for an action that asks for `base`; it can only lower the table's.
    ///
    /// A base that is no number counts as not asked for.
    pub fn temperature_for(&self, base: Option<f64>, rigid_score: f64) -> f64 {
        match base {
            Some(base) if base < self.base => temperature(base, rigid_score).min(self.temperature),
            Some(_) | None => self.temperature,
        }
    }
}

impl Structure {
    /// All structures, freest first.
    pub const ALL: [Self; 4] = [Self::Free, Self::Outline, Self::Slots, Self::Script];

    /// Returns the structure as prompts and views name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Outline => "outline",
            Self::Slots => "slots",
            Self::Script => "script",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_as_written() {
        let rows = [
            (Route::Low, 0, 0.15, 0.78, Structure::Free, 460, 10, false, false),
            (Route::Low, 4, 0.15, 0.78, Structure::Free, 460, 10, false, false),
            (Route::Low, 5, 0.30, 0.66, Structure::Free, 420, 10, false, false),
            (Route::Low, 27, 0.30, 0.66, Structure::Free, 420, 10, false, false),
            (Route::Medium, 0, 0.50, 0.20, Structure::Outline, 360, 6, true, false),
            (Route::Medium, 9, 0.50, 0.20, Structure::Outline, 360, 6, true, false),
            (Route::Medium, 10, 0.60, 0.12, Structure::Slots, 330, 4, true, false),
            (Route::Medium, 14, 0.60, 0.12, Structure::Slots, 330, 4, true, false),
            (Route::Medium, 15, 0.75, 0.10, Structure::Slots, 290, 4, true, true),
            (Route::Medium, 27, 0.75, 0.10, Structure::Slots, 290, 4, true, true),
        ];
        for (route, total, score, temperature, structure, tokens, history, buffered, scanned) in rows {
            let row = rigidity(route, total);
            let columns = row.model().expect("low and medium have a model");
            let place = format!("{route} {total}");
            assert_eq!((row.route(), row.structure()), (route, structure), "{place}");
            assert_eq!(
                serde_json::json!([row.rigid_score(), row.temperature()]),
                serde_json::json!([score, temperature])
            );
            assert_eq!((columns.reply_tokens, columns.history_rounds), (tokens, history), "{place}");
            assert_eq!((columns.buffered, columns.reply_scanned), (buffered, scanned), "{place}");
            assert_eq!(columns.call_tokens(), tokens + 512, "{place}");
        }
        for total in [0, 12, 27] {
            let row = rigidity(Route::High, total);
            assert_eq!((row.temperature(), row.structure(), row.model()), (None, Structure::Script, None));
            assert_eq!(serde_json::json!(row.rigid_score()), serde_json::json!(1.0));
        }
    }

    #[test]
    fn an_action_can_lower_the_temperature_and_never_raise_it() {
        let row = rigidity(Route::Low, 0);
        let columns = row.model().expect("low has a model");
        for (asked, expected) in
            [(None, 0.78), (Some(0.5), 0.38), (Some(0.9), 0.78), (Some(2.0), 0.78), (Some(0.0), 0.1), (Some(-1.0), 0.1)]
        {
            let given = columns.temperature_for(asked, row.rigid_score());
            assert_eq!(serde_json::json!(given), serde_json::json!(expected), "{asked:?}");
        }
        let given = columns.temperature_for(Some(f64::NAN), row.rigid_score());
        assert_eq!(serde_json::json!(given), serde_json::json!(0.78));
    }
}
