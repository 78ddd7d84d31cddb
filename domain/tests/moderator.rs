//! The table of the moderator, through the same door as the command line.

use steersman_domain::decide::{Verdict, kind};

#[test]
fn every_case_of_the_moderator_table_is_decided_as_expected() {
    let kind = kind("moderator").unwrap();
    let mut cases = 0;
    for line in include_str!("cases/moderator.jsonl").lines() {
        let answer = kind.answer(line);
        assert_eq!(answer.verdict, Verdict::Fine, "{line}\n{}", answer.json);
        assert_eq!(answer.json["match"], true, "the case expects nothing: {line}");
        cases += 1;
    }
    assert!(cases >= 9, "the table lost cases");
}
