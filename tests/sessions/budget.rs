//! What a session may hold is bounded: over it the session ends and says so, and nothing is cut in silence.

use steersman_domain::session::{EndReason, EventBody, STATE_BUDGET, Status};
use steersman_engine::testkit::{Said, ScriptedModel};
use steersman_tests::stage::{Setting, Stage, script};

/// A value just under the largest that is taken.
const LARGE: usize = 15_000;

#[tokio::test(start_paused = true)]
async fn a_session_that_holds_more_than_its_budget_ends_with_that_reason() {
    let outputs: Vec<String> = (0..20).map(|n| format!("{{get: v{n}}}")).collect();
    let yaml = format!(
        "steersman: 1\nscript: demo\nlocale: en\nphases:\n- phase: main\n  topics:\n  - topic: talk\n    actions:\n    \
         - {{id: ask, ai_ask: ask how, opening: How?, max_rounds: 9, output: [{}]}}\n",
        outputs.join(", ")
    );
    let large = "x".repeat(LARGE);
    let fill = |from: usize| {
        let values: Vec<String> = (from..from + 10).map(|n| format!("\"v{n}\": \"{large}\"")).collect();
        Said::Reply(format!("{{\"reply\": \"Go on.\", \"variables\": {{{}}}}}", values.join(", ")))
    };
    let model = ScriptedModel::new([fill(0), fill(10)]);
    let (mut stage, _) = Stage::open(&script(&yaml), Setting::with(model)).await.unwrap();
    const { assert!(10 * LARGE < STATE_BUDGET && 20 * LARGE > STATE_BUDGET) };
    assert_eq!(stage.say("one").await.outcome.unwrap().status, Status::WaitingInput);
    let seen = stage.say("two").await;
    assert_eq!(seen.outcome.as_ref().unwrap().status, Status::Ended);
    let events = seen.events();
    assert!(matches!(events.last().unwrap().body, EventBody::SessionEnded { reason: EndReason::StateBudget, .. }));
    stage.stands_by_itself().await.unwrap();
}
