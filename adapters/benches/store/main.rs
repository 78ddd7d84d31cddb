//! What it costs to keep a turn in SQLite, beside the same rows written by the bare library; what it costs to go on with a
//! session; and how many bytes a turn takes.

mod floor;
mod house;

use std::fs;

use divan::{Bencher, counter::ItemsCount};
use rusqlite::Connection;
use steersman_domain::id::SessionId;
use steersman_engine::{
    Principal,
    ports::{MessageId, SessionStore, TurnCommit},
    testkit::{Teller, store_contract::all_at_once},
};

use self::{
    floor::floor,
    house::{ANSWER, House},
};

/// The long session.
const MANY: usize = 10_000;
/// The turns over which bytes are counted.
const COUNTED: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--bench")
        && arguments.iter().all(|argument| argument.starts_with('-'))
    {
        bytes_per_turn();
    }
    divan::main();
}

/// One message through the engine, kept in SQLite with a sync, while nobody else writes.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn turn_of_one_session(bencher: Bencher<'_, '_>) {
    turns(bencher, "one", 1);
}

/// The same while 64 sessions write at once.
#[divan::bench(sample_count = 60, sample_size = 1)]
fn turns_of_64_sessions(bencher: Bencher<'_, '_>) {
    turns(bencher, "many", 64);
}

/// What the store does for those 64 turns, without the engine.
#[divan::bench(sample_count = 60, sample_size = 1)]
fn keep_64_turns(bencher: Bencher<'_, '_>) {
    let house = House::open("keep");
    let mut tellers: Vec<Teller> = (0..64).map(|n| Teller::new(&format!("01980000-0000-7000-8000-{n:012}"))).collect();
    let openings: Vec<_> = tellers.iter_mut().map(Teller::opens).collect();
    let keep = |turns: Vec<TurnCommit>| {
        house.runtime.block_on(async {
            for kept in all_at_once(turns.into_iter().map(|turn| house.store.commit(turn))).await {
                kept.expect("it is kept");
            }
        });
    };
    keep(openings);
    let mut turn = 0;
    bencher
        .counter(ItemsCount::new(64_usize))
        .with_inputs(|| {
            turn += 1;
            tellers.iter_mut().map(|teller| teller.says(&format!("m{turn}"), ANSWER)).collect::<Vec<_>>()
        })
        .bench_local_values(keep);
}

/// Whether a message was answered before: what every turn asks first.
#[divan::bench(sample_count = 100, sample_size = 10)]
fn look_up_a_message(bencher: Bencher<'_, '_>) {
    let house = House::open("look-up");
    let id = house.session();
    house.turns(std::slice::from_ref(&id));
    let message = MessageId::new("never-sent").expect("an id");
    let tenant = Principal::local().tenant;
    bencher.bench_local(|| house.runtime.block_on(house.store.turn(&tenant, &id, &message)).expect("it reads"));
}

/// The rows of one turn, written by the bare library in one transaction with a sync.
#[divan::bench(sample_count = 200, sample_size = 1)]
fn floor_of_one_session(bencher: Bencher<'_, '_>) {
    floor(bencher, "floor-one", 1);
}

/// The rows of 64 turns, written by the bare library in one transaction with a sync.
#[divan::bench(sample_count = 60, sample_size = 1)]
fn floor_of_64_sessions(bencher: Bencher<'_, '_>) {
    floor(bencher, "floor-many", 64);
}

/// Going on with a session that nobody is in, and its first turn.
#[divan::bench(args = [10, MANY], sample_count = 40, sample_size = 1)]
fn resume_and_first_turn(bencher: Bencher<'_, '_>, turns: usize) {
    let house = House::open(&format!("resume-{turns}"));
    let id = house.session();
    (0..turns.saturating_sub(50)).for_each(|_| house.turns(std::slice::from_ref(&id)));
    bencher.bench_local(|| house.resumed_turn(&id));
}

fn turns(bencher: Bencher<'_, '_>, name: &str, sessions: usize) {
    let house = House::open(name);
    let ids: Vec<SessionId> = (0..sessions).map(|_| house.session()).collect();
    let _rooms = house.enter(&ids);
    bencher.counter(ItemsCount::new(sessions)).bench_local(|| house.turns(&ids));
}

/// Prints the bytes that a turn adds to the file and those that it writes to the disk, early and late in a session.
#[expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its figures, and none is huge"
)]
fn bytes_per_turn() {
    let mut figures = Vec::new();
    for (before, sessions) in [(10, 20), (1_000, 1)] {
        let house = House::open(&format!("bytes-{before}"));
        let ids: Vec<SessionId> = (0..sessions).map(|_| house.session()).collect();
        let rooms = house.enter(&ids);
        let each =
            |times: usize| (0..times).for_each(|_| ids.iter().for_each(|id| house.turns(std::slice::from_ref(id))));
        each(before);
        let look = || {
            let db = Connection::open(&house.file).expect("it opens");
            let pages: i64 = db.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a count");
            (u64::try_from(pages).expect("a count") * 4096, written())
        };
        let (file, disk) = look();
        each(COUNTED / sessions);
        let (file_after, disk_after) = look();
        let per_turn = |before: u64, after: u64| (after - before) / COUNTED as u64;
        figures.push((before, per_turn(file, file_after), per_turn(disk, disk_after)));
        drop(rooms);
        house.leave();
    }
    println!("bytes per turn    in the file    to the disk");
    for (before, file, disk) in &figures {
        println!("after {before:>5} turns {file:>13} {disk:>14}");
    }
    let ratio = |early: u64, late: u64| late as f64 / early as f64;
    let [(_, file, disk), (_, late_file, late_disk)] = figures[..] else { return };
    println!("ratio             {:>13.2} {:>14.2}\n", ratio(file, late_file), ratio(disk, late_disk));
}

/// Returns what this process has given the system to write, in bytes (Linux).
fn written() -> u64 {
    let told = fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or(0)
}
