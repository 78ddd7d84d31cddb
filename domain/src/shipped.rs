//! The files that the domain is built with: what the engine says and recognises, as data. Whoever has to prove what a
//! session was decided by takes their digests.

/// A file that is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File {
    /// Its path below the crate, such as `texts/en/session.json`.
    pub path: &'static str,
    /// What it holds.
    pub text: &'static str,
}

macro_rules! files {
    ($($path:literal),* $(,)?) => { [$(File { path: $path, text: include_str!(concat!("../", $path)) }),*] };
}

/// What the engine says by itself.
pub const TEXTS: [File; 10] = files![
    "texts/en/crisis.json",
    "texts/en/depth.json",
    "texts/en/exit.json",
    "texts/en/moderator.json",
    "texts/en/session.json",
    "texts/zh-CN/crisis.json",
    "texts/zh-CN/depth.json",
    "texts/zh-CN/exit.json",
    "texts/zh-CN/moderator.json",
    "texts/zh-CN/session.json",
];

/// What the engine recognises, asks and points to.
pub const PACKS: [File; 16] = files![
    "packs/en/choice.json",
    "packs/en/crisis_resources.json",
    "packs/en/output_check.json",
    "packs/en/questionnaires.json",
    "packs/en/referral.json",
    "packs/en/risk.json",
    "packs/en/safety.json",
    "packs/host_endings.json",
    "packs/zh-CN/choice.json",
    "packs/zh-CN/crisis_resources.json",
    "packs/zh-CN/folds.json",
    "packs/zh-CN/output_check.json",
    "packs/zh-CN/questionnaires.json",
    "packs/zh-CN/referral.json",
    "packs/zh-CN/risk.json",
    "packs/zh-CN/safety.json",
];

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn every_file_of_the_two_folders_is_listed() {
        for (folder, listed) in [("texts", &TEXTS[..]), ("packs", &PACKS[..])] {
            let mut there = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
            there.sort();
            assert_eq!(listed.iter().map(|file| file.path).collect::<Vec<_>>(), there);
        }
    }

    fn files_below(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| {
                if path.is_dir() {
                    return files_below(&path);
                }
                let below = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
                vec![below.to_str().unwrap().replace('\\', "/")]
            })
            .collect()
    }
}
