//! What the sessions of this build are decided by: digests that go into the journal with a session's start, and that a
//! replay is held against.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};
use steersman_domain::{
    session::Basis,
    shipped::{self, File},
};

use crate::{chain::hex, prompts::PromptSet};

/// Returns what a session on this script is decided by, here and now. `script` is the digest of the script's text.
pub fn basis(script: &str, prompts: &PromptSet) -> Basis {
    static TEXTS: LazyLock<String> = LazyLock::new(|| of_shipped(&shipped::TEXTS));
    static PACKS: LazyLock<String> = LazyLock::new(|| of_shipped(&shipped::PACKS));
    Basis {
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        script: script.to_owned(),
        texts: TEXTS.clone(),
        packs: PACKS.clone(),
        prompts: prompts.digest().to_owned(),
    }
}

fn of_shipped(files: &[File]) -> String {
    digest_of_files(files.iter().map(|file| (file.path, file.text)))
}

/// Returns one digest of many files, in the given order; a path and a text are told apart by their lengths.
pub(crate) fn digest_of_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut hasher = Sha256::new();
    for part in files.into_iter().flat_map(|(path, text)| [path, text]) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hex(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn another_prompt_is_another_basis() {
        let shipped = PromptSet::shipped();
        let file = ("en/speaking.txt".to_owned(), "{%task%}".to_owned());
        let other = PromptSet::with_files(&BTreeMap::from([file])).unwrap();
        let (before, after) = (basis("s", &shipped), basis("s", &other));
        assert_ne!(before.prompts, after.prompts);
        assert_eq!((before.texts, before.packs), (after.texts, after.packs));
    }

    #[test]
    fn moving_a_letter_from_a_name_to_a_text_is_another_digest() {
        assert_ne!(digest_of_files([("ab", "c")]), digest_of_files([("a", "bc")]));
        assert_ne!(digest_of_files([("a", "b"), ("c", "d")]), digest_of_files([("c", "d"), ("a", "b")]));
    }
}
