//! When a deliberation has been talked through: metrics, bands, convergence, and the machine from CLARIFY to SUMMARY.
//!
//! The model reports what an answer covered; the sets, the counts and every gate are kept here.

mod agenda;
mod assessment;
mod band;
pub mod choice;
mod convergence;
mod deliberation;
mod ledger;
mod metrics;
mod question;
mod ratio;
mod record;
mod report;
mod stage;
mod texts;

pub use agenda::{Agenda, Bounds, Caps, Constraint, Mode};
pub use assessment::Assessment;
pub use band::{Band, Guidance, is_forced};
pub use convergence::{Convergence, Evidence, Fired, Outcome, Stance, Warning, Weights};
pub use deliberation::{Answer, Cause, Deliberation, Ending, Move, OutOfTurn, Step};
pub use ledger::{Feasibility, Gaps, Ledger, Obstacle};
pub use metrics::{Counts, Metrics};
pub use question::{Basis, Offer, Proposal, Purpose, Question};
pub use ratio::{NotANumber, Ratio};
pub use record::{DecisionId, InvalidDecisionId, Record, RecordedConstraint, RecordedOption};
pub use report::{Compared, Report, ReportedConstraint, ReportedOption, Standing};
pub use stage::Stage;
pub(crate) use texts::texts;
