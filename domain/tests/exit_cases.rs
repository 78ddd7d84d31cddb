//! The decision table of `decide exit`, row by row.

use steersman_domain::decide::{Verdict, kind};

#[test]
fn every_row_of_the_exit_table_is_decided_as_expected() {
    let exit = kind("exit").unwrap();
    for row in include_str!("cases/exit.jsonl").lines().filter(|row| !row.is_empty()) {
        let answer = exit.answer(row);
        assert_eq!(answer.verdict, Verdict::Fine, "{row}\n{}", answer.json);
    }
}
