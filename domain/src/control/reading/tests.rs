//! What looks the same is read the same; where words, clauses, sentences and quotations begin and end.

use super::*;

fn plain(text: &str) -> Vec<String> {
    Reading::of(text).tokens.into_iter().map(|token| token.forms[0].clone()).collect()
}

#[test]
fn what_cannot_be_seen_and_what_looks_the_same_is_folded() {
    for text in
        ["Kill it", "Ｋｉｌｌ　ｉｔ", "k\u{200b}i\u{ad}ll i\u{202e}t", "kíll ït", "kіll it", "kill\u{301}\u{301} it"]
    {
        assert_eq!(plain(text), ["kill", "it"], "{text:?}");
    }
    assert_eq!(plain("殺 死"), ["杀", "死"]);
    assert_eq!(plain("don't Don’t dont"), ["dont", "dont", "dont"]);
}

#[test]
fn digits_and_signs_stand_for_letters_inside_a_word_only() {
    for (written, meant) in
        [("k1ll", "kill"), ("su!c!de", "suicide"), ("$elf", "self"), ("s*icide", "suicide"), ("killll", "kill")]
    {
        let reading = Reading::of(written);
        assert_eq!(reading.tokens.len(), 1, "{written}");
        assert!(reading.tokens[0].forms.contains(&meant.to_owned()), "{written}");
    }
    assert_eq!(plain("die! 10"), ["die", "10"]);
    assert_eq!(Reading::of("10").tokens[0].forms, ["10"]);
}

#[test]
fn one_slip_is_forgiven_and_two_are_not() {
    for (word, slip) in [
        ("myslef", true),
        ("mysef", true),
        ("myyself", true),
        ("mysalf", true),
        ("himself", false),
        ("myslfe", false),
        ("nyself", false),
    ] {
        assert_eq!(is_slip(word, "myself"), slip, "{word}");
    }
    for (word, slip) in [("lfie", true), ("lief", true), ("live", false), ("lif", false), ("lifes", false)] {
        assert_eq!(is_slip(word, "life"), slip, "{word}");
    }
}

#[test]
fn a_word_has_bounded_forms_and_a_slip_of_a_short_or_known_word_is_none() {
    let slips = |words: &[&str], never: &[&str]| Slips {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        never: never.iter().map(|&word| word.to_owned()).collect(),
    };
    assert_eq!(forms("dei", &slips(&["die"], &[])), ["dei"]);
    assert_eq!(forms("overdone", &slips(&["overdose"], &["overdone"])), ["overdone"]);
    assert_eq!(forms("overdone", &slips(&["overdose"], &[])), ["overdone", "overdose"]);
    assert_eq!(forms("a*b*c*d1e", &Slips::default()).len(), MAX_FORMS);
    for (length, more) in [(MAX_FORMED_CHARS, true), (MAX_FORMED_CHARS + 1, false)] {
        assert_eq!(forms(&"a".repeat(length), &Slips::default()).len() > 1, more, "{length}");
    }
}

#[test]
fn clauses_sentences_and_quotations_are_told_apart() {
    let reading = Reading::of("he said: \"go on. now\", then left. ok");
    let seen: Vec<_> = reading.tokens.iter().map(|token| (token.sentence, token.quoted)).collect();
    assert_eq!(seen[..2], [(0, false), (0, false)]);
    assert_eq!(seen[2..5], [(0, true), (0, true), (1, true)]);
    assert_eq!(seen.last(), Some(&(2, false)));
    assert!(reading.tokens[2].clause > reading.tokens[1].clause);
    assert!(Reading::of("an \"open end").tokens.iter().all(|token| !token.quoted));
    let places = |text: &str| -> Vec<_> {
        Reading::of(text).tokens.iter().map(|token| (token.sentence, token.clause, token.quoted)).collect()
    };
    for text in ["a “b” c", "a 「b」 c", "a 『b』 c", "a \"b\" c", "a ‘b’ c", "a 'b' c"] {
        assert_eq!(places(text), [(0, 0, false), (0, 1, true), (0, 2, false)], "{text}");
    }
    assert_eq!(places("a. b, c"), [(0, 0, false), (1, 1, false), (1, 2, false)]);
    assert_eq!(places("a.b"), [(0, 0, false), (0, 0, false)]);
    let quoted = |text: &str| -> Vec<bool> { Reading::of(text).tokens.iter().map(|token| token.quoted).collect() };
    assert_eq!(quoted("the dogs' and cats' food"), [false; 5]);
    assert_eq!(quoted("said 'get 'em now' ok"), [false, false, true, true, false], "the last that opens");
    assert!(Reading::of("it's 'mine' ok").tokens[1].quoted);
}

#[test]
fn a_word_that_is_written_letter_by_letter_is_read_as_one() {
    for (text, words) in [
        ("i k i l l me", &["i", "kill", "me"] as &[_]),
        ("a k i l l b", &["a", "killb"]),
        ("k.i.l.l me", &["kill", "me"]),
        ("k.m.s. tonight", &["kms", "tonight"]),
        ("k-i-l-l my_s", &["kill", "my", "s"]),
        ("a b c", &["a", "b", "c"]),
        ("e.g. this", &["e", "g", "this"]),
        ("1.2.3", &["1", "2", "3"]),
        ("k i l l ab c", &["kill", "ab", "c"]),
        ("k i l l s@d", &["kill", "s@d"]),
        ("k i l l ж", &["kill", "ж"]),
        ("k i l l-m e", &["kill", "m", "e"]),
        ("k i l l!", &["kill"]),
        ("- k i l l me", &["kill", "me"]),
        ("a,b,c,d", &["a", "b", "c", "d"]),
        ("so k*m*s now", &["so", "kms", "now"]),
        ("a b c d", &["abcd"]),
    ] {
        assert_eq!(plain(text), words, "{text}");
    }
    assert_eq!(Reading::of("d i e s now").rows(), [Row::Letters("dies".to_owned())]);
    assert_eq!(Reading::of("#killmyself").rows(), [Row::Word("killmyself".to_owned())]);
    assert_eq!(Reading::of("a b c").rows(), []);
}
