//! The tables of depth and convergence, through the same door as the command line.

use steersman_domain::decide::{Verdict, kind};

#[test]
fn every_case_of_the_depth_and_convergence_tables_is_decided_as_expected() {
    let tables =
        [("depth", include_str!("cases/depth.jsonl")), ("convergence", include_str!("cases/convergence.jsonl"))];
    for (name, table) in tables {
        let kind = kind(name).unwrap();
        let mut cases = 0;
        for line in table.lines() {
            let answer = kind.answer(line);
            assert_eq!(answer.verdict, Verdict::Fine, "{name}: {line}\n{}", answer.json);
            assert_eq!(answer.json["match"], true, "{name}: the case expects nothing: {line}");
            cases += 1;
        }
        assert!(cases >= 6, "{name}: the table lost cases");
    }
}

mod totality {
    //! Over the whole unit square, not over chosen points.

    use proptest::prelude::*;
    use steersman_domain::depth::{Band, Evidence, Guidance, Outcome, Ratio, Stance, Weights, is_forced};

    fn stance() -> impl Strategy<Value = Stance> {
        prop_oneof![Just(Stance::Chosen), Just(Stance::Unclear), Just(Stance::Open)]
    }

    fn ratio(number: f64) -> Ratio {
        Ratio::new(number).expect("the strategy makes no NaN")
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

        #[test]
        fn every_point_has_the_one_band_that_its_bounds_say(x in 0.0..=1.0, y in 0.0..=1.0) {
            let (x, y) = (ratio(x).get(), ratio(y).get());
            let expected = match (x >= 0.7 && y >= 0.7, x >= 0.5 && y >= 0.5, x >= 0.5) {
                (true, _, _) => Band::Deep,
                (false, true, _) => Band::Adequate,
                (false, false, true) => Band::Covered,
                (false, false, false) => Band::Shallow,
            };
            prop_assert_eq!(Band::of(ratio(x), ratio(y)), expected);
        }

        #[test]
        fn the_band_never_falls_when_a_metric_rises(x in 0.0..=1.0, y in 0.0..=1.0, dx in 0.0..=1.0, dy in 0.0..=1.0) {
            prop_assert!(Band::of(ratio(x + dx), ratio(y + dy)) >= Band::of(ratio(x), ratio(y)));
        }

        #[test]
        fn every_point_has_an_outcome_and_it_is_the_one_of_the_table(
            consensus in 0.0..=1.0, coverage in 0.0..=1.0, stance in stance(), single: bool,
            round: u32, max_rounds in 1..=u32::MAX,
        ) {
            let evidence = Evidence {
                choice: stance, single, consensus: ratio(consensus), coverage: Some(ratio(coverage)), round, max_rounds,
            };
            let decision = Weights::default().decide(&evidence);
            let consensus = ratio(consensus).get();
            let converges = stance == Stance::Chosen || single || consensus >= 0.7;
            let forced = f64::from(round) / f64::from(max_rounds) >= 0.8;
            prop_assert_eq!(decision.forced, forced);
            prop_assert_eq!(decision.outcome, match (converges, forced) {
                (true, _) => Outcome::Converge,
                (false, true) => Outcome::Suggest,
                (false, false) => Outcome::Continue,
            });
            prop_assert_eq!(decision.next.is_some(), converges);
            prop_assert!(decision.confirm || !converges || stance == Stance::Chosen);
        }

        #[test]
        fn force_never_ends_once_it_holds(round in 0..u32::MAX, max_rounds in 1..=u32::MAX) {
            prop_assert!(!is_forced(round, max_rounds) || is_forced(round + 1, max_rounds));
            prop_assert!(is_forced(max_rounds, max_rounds));
        }
    }

    #[test]
    fn the_corners_of_the_unit_square_lie_in_their_bands() {
        let corners =
            [(0.0, 0.0, Band::Shallow), (0.0, 1.0, Band::Shallow), (1.0, 0.0, Band::Covered), (1.0, 1.0, Band::Deep)];
        for (x, y, band) in corners {
            assert_eq!(Band::of(ratio(x), ratio(y)), band, "{x} {y}");
        }
    }

    #[test]
    fn force_speaks_louder_than_any_band() {
        for band in Band::ALL {
            assert_eq!(Guidance::of(band, true), Guidance::Forced);
            assert_ne!(Guidance::of(band, false), Guidance::Forced);
        }
    }

    #[test]
    fn weights_and_thresholds_are_configuration() {
        let strict: Weights = serde_json::from_str(r#"{"alone": 1.0}"#).unwrap();
        let evidence = |consensus: f64, round| Evidence {
            choice: Stance::Open,
            single: false,
            consensus: ratio(consensus),
            coverage: None,
            round,
            max_rounds: 10,
        };
        assert_eq!(strict.decide(&evidence(0.8, 1)).outcome, Outcome::Continue, "0.8 alone is no longer enough");
        assert_eq!(strict.decide(&evidence(0.8, 8)).outcome, Outcome::Converge, "0.8 and 0.6 together are");
        assert!(serde_json::from_str::<Weights>(r#"{"alnoe": 1.0}"#).is_err());
    }
}

mod choice {
    //! What the decision tables do not show: the words themselves, bare names, yes and no.

    use steersman_domain::{
        depth::choice::{Consent, Reading, Veto, read_bare_option, read_choice, read_consent},
        locale::Locale,
        utterance::Text,
    };

    #[test]
    fn without_options_the_chosen_words_come_back_as_they_were_written() {
        let cases = [
            ("决定用 Milvus 吧。", "Milvus"),
            ("I'll go with PostgreSQL 16, it is fine", "PostgreSQL 16"),
            ("就用这个", ""),
        ];
        for (message, words) in cases {
            let reading = read_choice(message, &[], &Locale::ALL);
            assert_eq!(reading, Reading::InOwnWords(Text::from(words)), "{message}");
        }
    }

    #[test]
    fn words_of_choice_that_choose_nothing_say_why() {
        let cases = [("我不采用它", Veto::Negated), ("采用它吗", Veto::Asked), ("if we go with it", Veto::Supposed)];
        for (message, veto) in cases {
            assert_eq!(read_choice(message, &["it"], &Locale::ALL), Reading::Withheld(veto), "{message}");
        }
    }

    #[test]
    fn an_option_inside_another_word_is_not_named_and_the_longer_of_two_is() {
        let options = ["go", "Redis", "Redis Stack"];
        assert_eq!(read_choice("I choose Redis Stack", &options, &Locale::ALL), Reading::Named(2));
        assert_eq!(read_choice("I choose Django", &options, &Locale::ALL), Reading::Unnamed);
    }

    #[test]
    fn a_bare_name_is_an_option_only_if_nothing_else_is_said() {
        let options = ["FAISS", "Milvus"];
        for (message, option) in [
            ("Milvus", Some(1)),
            ("milvus 吧。", Some(1)),
            ("the FAISS one, please", Some(0)),
            ("Milvus is slow", None),
            ("Milvus?", None),
            ("", None),
        ] {
            assert_eq!(read_bare_option(message, &options, &Locale::ALL), option, "{message}");
        }
    }

    #[test]
    fn yes_and_no_are_read_only_where_nothing_speaks_against_them() {
        let cases = [
            ("好的", Some(Consent::Yes)),
            ("是的，没问题。", Some(Consent::Yes)),
            ("Yes, go ahead!", Some(Consent::Yes)),
            ("不", Some(Consent::No)),
            ("好的，不过再想想", Some(Consent::No)),
            ("No, thanks", Some(Consent::No)),
            ("yes, but it is not fast", None),
            ("yes?", None),
            ("可以吗", None),
            ("maybe", None),
            ("It is raining", None),
            ("", None),
        ];
        for (message, consent) in cases {
            assert_eq!(read_consent(message, &Locale::ALL), consent, "{message}");
        }
    }
}
