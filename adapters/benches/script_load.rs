//! What loading and checking a script costs beside a bare YAML parse of the same text.

use std::fmt::Write as _;

use divan::{Bencher, black_box, counter::BytesCount};
use saphyr::LoadableYamlNode;
use steersman_adapters::scripts;

const LINES: [usize; 2] = [200, 5000];

fn main() {
    divan::main();
}

#[divan::bench(args = LINES)]
fn bare_yaml_parse(bencher: Bencher<'_, '_>, lines: usize) {
    let text = script(lines);
    bencher.counter(BytesCount::of_str(&text)).bench(|| saphyr::MarkedYaml::load_from_str(black_box(&text)));
}

#[divan::bench(args = LINES)]
fn load_and_check(bencher: Bencher<'_, '_>, lines: usize) {
    let text = script(lines);
    assert!(scripts::load("bench.yaml", text.as_bytes()).script.is_some());
    bencher.counter(BytesCount::of_str(&text)).bench(|| scripts::load("bench.yaml", black_box(text.as_bytes())));
}

/// Writes a script of about `lines` lines: topics of mixed actions with placeholders, conditions and outputs.
fn script(lines: usize) -> String {
    let mut text = String::from(
        "steersman: 1\nscript: bench\ntitle: A script of some length\nlocale: zh-CN\ndeclare:\n  - {var: mood, define: 情绪, value: calm}\n\
         limits: {turns: 10000, model_calls: 100000}\nphases:\n  - phase: only\n    goal: 了解来访者\n    topics:\n",
    );
    for topic in 0..(lines - 10) / 24 {
        write!(text, "{}", TOPIC.replace('N', &topic.to_string())).expect("a text can be written to");
    }
    text
}

const TOPIC: &str = r#"      - topic: topic_N
        title: 话题 N
        goal: 了解睡眠和情绪
        declare: [{var: note_N, value: none}]
        actions:
          - say: 你好，我们来谈谈第 N 个话题，你现在感觉 {mood}。
          - id: ask_N
            ai_ask: 询问来访者最近的睡眠情况，并记下频率，已知情绪是 {mood}
            opening: 最近睡得怎么样？
            tone: 温和
            exit: 来访者说出了频率
            max_rounds: 3
            exit_criteria: {understanding_threshold: 80, has_questions: false, min_rounds: 1}
            output:
              - {get: frequency_N, define: 每周几次, type: string, scope: session}
              - {set: note_N, value: "{mood}"}
          - user_option: way_N
            ask: 今天想先聊哪个？
            choices: [{sleep: 睡眠}, {mood: 情绪}]
          - ai_say: 解释睡眠和情绪的关系，语气温和，不超过三句话。
            when: way_N == "sleep" and mood != "angry"
            purpose: explain
          - say: 谢谢，{note_N}。
            wait: true
"#;
