//! What is said about a key that its mapping does not have.

use steersman_domain::{
    nearest::nearest,
    script::{defect::Defect, draft::Span},
};

use super::shape::{SHAPES, Shape};

/// Parts of keys that would set what no script can set.
const CONTROL: [&str; 12] = [
    "route",
    "rigid",
    "crisis",
    "guardrail",
    "threshold",
    "risk",
    "permit",
    "hotline",
    "floor",
    "detector",
    "disclosure",
    "output_check",
];
/// Keys that other languages use to read another file.
const INCLUDE: [&str; 5] = ["include", "includes", "import", "imports", "extends"];
/// Keys of actions that only interactive kinds have.
const EXITS: [&str; 4] = ["exit", "exit_criteria", "exit_sources", "max_rounds"];

/// Says that `shape` has no key `name`.
pub(super) fn unknown(name: &str, span: Span, shape: &Shape) -> Defect {
    let shown: String = name.chars().take(60).filter(|c| !c.is_control()).collect();
    let lower = name.to_lowercase();
    if INCLUDE.contains(&lower.trim_start_matches('!')) {
        return Defect::error("include", span, "a script is one file, it cannot include another")
            .hint("write the text here");
    }
    if name == "<<" {
        return Defect::error("unknown_key", span, "`<<` does not merge mappings here").hint("repeat the keys");
    }
    let elsewhere: Vec<_> =
        SHAPES.all().into_iter().filter(|other| other.position(name).is_some()).map(|other| other.what).collect();
    let near = nearest(name, shape.names());
    if elsewhere.is_empty() && near.is_none() && CONTROL.iter().any(|part| lower.contains(part)) {
        let message = format!("`{shown}`: no script can set routes, thresholds, crisis texts or other protection");
        return Defect::error("control_key", span, message).hint(
            "take it out; protection is the same for every script and can only be tightened in the configuration",
        );
    }
    let message = format!("{} has no key `{shown}`", shape.what);
    if shape.is_action && EXITS.contains(&name) {
        return Defect::error("no_exits", span, format!("{message}: it does not wait for answers"))
            .hint("only `ai_ask`, and `ai_say` with `max_rounds: 2` or more, have rounds and exits");
    }
    let defect = Defect::error("unknown_key", span, message);
    if let Some(near) = near {
        return defect.hint(format!("did you mean `{near}`?"));
    }
    match elsewhere.as_slice() {
        [] => defect.hint(format!("allowed: {}", shape.listed())),
        some => defect.hint(format!(
            "`{shown}` belongs to {}; allowed here: {}",
            some[..some.len().min(3)].join(", "),
            shape.listed()
        )),
    }
}

/// Says that the key is part of the language and not run yet.
pub(super) fn not_yet(name: &str, span: Span) -> Defect {
    Defect::error("not_yet", span, format!("`{name}` is part of the language, but this build does not run it yet"))
        .hint("take it out, or use a newer steersman")
}
