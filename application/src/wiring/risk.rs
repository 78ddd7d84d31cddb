//! Reads what looks at messages beside the lexical floor, and sets it up: one way for every command that runs sessions.

use std::{path::Path, sync::Arc};

use steersman_adapters::risk::{HttpConfig, HttpDetector, RecordedScores};
use steersman_domain::control::Thresholds;
use steersman_engine::ports::RiskDetector;

use crate::{config::Settings, failure::Failure, terminal::Terminal};

/// The floor alone.
const DEFAULT: &str = "floor";

/// What looks at messages, and from which scores on that counts.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Beside the floor, if anything.
    pub(crate) detector: Option<Arc<dyn RiskDetector>>,
    /// From which scores on a message raises the route.
    pub(crate) thresholds: Thresholds,
}

impl Watch {
    /// The floor alone, as it ships.
    pub(crate) fn floor() -> Self {
        Self { detector: None, thresholds: Thresholds::default() }
    }

    /// Sets up what the flag `--risk` names, else the settings. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// A detector that there is not, an address or a file that cannot be; thresholds that would loosen control.
    pub(crate) fn set_up(flag: Option<&str>, settings: &Settings, terminal: &Terminal) -> Result<Self, Failure> {
        let thresholds = settings.thresholds.read()?;
        let chosen = flag.or(settings.risk.as_deref()).unwrap_or(DEFAULT);
        let detector: Option<Arc<dyn RiskDetector>> = match chosen.split_once(':') {
            None if chosen == DEFAULT => None,
            Some(("http", address)) => {
                let wrong = |error: steersman_adapters::risk::DetectorError| Failure::Usage(format!("--risk: {error}"));
                let config = HttpConfig::at(address.trim()).map_err(wrong)?;
                terminal.note(&format!("note: what people say goes to the detector at {}", config.host()));
                Some(Arc::new(HttpDetector::new(config).map_err(wrong)?))
            }
            Some(("scores", file)) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| Failure::file("cannot read", Path::new(file), &error))?;
                let scores = RecordedScores::parse(&text);
                Some(Arc::new(scores.map_err(|error| Failure::Usage(format!("{file}: {error}")))?))
            }
            Some(_) | None => {
                let offer = "there are floor, http:URL and scores:FILE";
                return Err(Failure::Usage(format!("--risk: `{chosen}` is no detector; {offer}")));
            }
        };
        Ok(Self { detector, thresholds })
    }
}
