//! Says how dangerous a message is, beside the lexical floor.

use async_trait::async_trait;
use steersman_domain::{control::RiskSignal, locale::Locale, utterance::Text};

/// Says how dangerous a message is. The floor stands below whatever it says, so that it can only make control stricter.
#[async_trait]
pub trait RiskDetector: Send + Sync + std::fmt::Debug {
    /// Looks at one message. It cannot fail: whatever is odd, late or missing is an unknown score, and the message is held.
    async fn look_at(&self, message: &Text, language: Locale) -> RiskSignal;

    /// Returns its name, as events tell it.
    fn name(&self) -> &str;
}
