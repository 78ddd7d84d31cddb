//! Laws of scopes: whatever is opened, closed, declared and written, reads and writes go where a naive model says.

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value as Json, json};
use steersman_domain::{
    clock::Timestamp,
    variable::{
        HISTORY, Kind, Lookup, Quality, Scope, Source, Value, VariableName, VariableStore, WriteError, Writing,
    },
};

const NAMES: [&str; 3] = ["a", "b", "c"];

/// What can be done to a store.
#[derive(Debug, Clone)]
enum Step {
    Open,
    Close,
    Declare(Scope, &'static str, Option<Kind>),
    Initialise(Scope, &'static str, Json),
    Seal(&'static str),
    Write(&'static str, Option<Scope>, Json),
}

/// A scope as simply as it can be told.
#[derive(Debug, Clone)]
struct Level {
    scope: Scope,
    kinds: BTreeMap<&'static str, Option<Kind>>,
    values: BTreeMap<&'static str, Json>,
    sealed: Vec<&'static str>,
}

fn level(scope: Scope) -> Level {
    Level { scope, kinds: BTreeMap::new(), values: BTreeMap::new(), sealed: Vec::new() }
}

fn step() -> impl Strategy<Value = Step> {
    let name = || select(NAMES.to_vec());
    let scope = || select(Scope::ALL.to_vec());
    let kind = select(vec![None, None, Some(Kind::Number), Some(Kind::String), Some(Kind::List)]);
    let value = || select(vec![json!(1), json!("2"), json!("x"), json!(true), json!([1]), json!({"k": 1})]);
    prop_oneof![
        2 => Just(Step::Open),
        2 => Just(Step::Close),
        3 => (scope(), name(), kind).prop_map(|(scope, name, kind)| Step::Declare(scope, name, kind)),
        1 => (scope(), name(), value()).prop_map(|(scope, name, value)| Step::Initialise(scope, name, value)),
        1 => name().prop_map(Step::Seal),
        8 => (name(), option::weighted(0.2, scope()), value()).prop_map(|(name, scope, value)| Step::Write(name, scope, value)),
    ]
}

fn name(text: &str) -> VariableName {
    VariableName::new(text).expect("a letter is a name")
}

fn at(n: usize) -> Timestamp {
    Timestamp::from_unix_ms(i64::try_from(n).expect("a few steps"))
}

fn innermost(levels: &mut [Level], scope: Scope) -> Option<&mut Level> {
    levels.iter_mut().rev().find(|level| level.scope == scope)
}

/// What a write should come to: the scope and the value, or why not.
fn written(
    levels: &mut [Level],
    what: &'static str,
    wanted: Option<Scope>,
    value: &Json,
) -> Result<Scope, &'static str> {
    let declared = levels.iter().rev().find(|level| level.kinds.contains_key(what)).map(|level| level.scope);
    let open = levels.last().map_or(Scope::Session, |level| level.scope).max(Scope::Session);
    let scope = match (declared, wanted) {
        (Some(declared), Some(wanted)) if declared != wanted => return Err("other scope"),
        (Some(declared), _) => declared,
        (None, wanted) => wanted.unwrap_or(open),
    };
    let level = innermost(levels, scope).ok_or("not open")?;
    if level.sealed.contains(&what) {
        return Err("read only");
    }
    let kind = level.kinds.get(what).copied().flatten();
    let value = Value::new(value.clone());
    let Some(value) = kind.map_or_else(|| Some(value.clone()), |kind| value.clone().convert(kind)) else {
        return Err("other kind");
    };
    level.kinds.entry(what).or_insert(None);
    level.values.insert(what, value.into_json());
    Ok(scope)
}

fn told(error: &WriteError) -> &'static str {
    match error {
        WriteError::ReadOnly { .. } => "read only",
        WriteError::OtherScope { .. } => "other scope",
        WriteError::OtherKind { .. } => "other kind",
        WriteError::NotOpen { .. } => "not open",
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_and_writes_go_to_the_innermost_declaration(steps in vec(step(), 1..60)) {
        let mut store = VariableStore::default();
        let mut levels = vec![level(Scope::Global), level(Scope::Session)];
        for (n, step) in steps.into_iter().enumerate() {
            match step {
                Step::Open if levels.len() < 6 => {
                    let scope = if levels.len() == 2 { Scope::Phase } else { Scope::Topic };
                    store.open(scope, "somewhere");
                    levels.push(level(scope));
                }
                Step::Open => {}
                Step::Close => {
                    let closed = store.close();
                    prop_assert_eq!(closed.is_some(), levels.len() > 2, "global and session stay open");
                    if let Some(closed) = closed {
                        let gone = levels.pop().unwrap();
                        let values: BTreeMap<_, _> = closed.variables.iter().map(|(name, value)| (name.as_str(), value.json().clone())).collect();
                        prop_assert_eq!((closed.scope, values), (gone.scope, gone.values));
                    }
                }
                Step::Declare(scope, what, kind) => {
                    let declared = store.declare(scope, name(what), kind).is_some();
                    let fits = innermost(&mut levels, scope).filter(|level| !level.kinds.contains_key(what));
                    prop_assert_eq!(declared, fits.is_some());
                    if let Some(level) = fits {
                        level.kinds.insert(what, kind);
                    }
                }
                Step::Initialise(scope, what, value) => {
                    // Only what was declared without a kind, or with the value's own, is given an initial value.
                    let level = innermost(&mut levels, scope).filter(|level| level.kinds.get(what) == Some(&None) && !level.sealed.contains(&what));
                    if let Some(level) = level {
                        store.initialise(scope, &name(what), Value::new(value.clone()), at(n));
                        level.values.insert(what, value);
                    }
                }
                Step::Seal(what) => {
                    store.seal(&name(what));
                    let level = &mut levels[0];
                    if level.kinds.contains_key(what) && !level.sealed.contains(&what) {
                        level.sealed.push(what);
                    }
                }
                Step::Write(what, wanted, value) => {
                    let before = store.clone();
                    let writing = Writing { source: Source { action: None, turn: 1 }, quality: Quality::Reply, at: at(n) };
                    let result = store.write(&name(what), wanted, Value::new(value.clone()), &writing);
                    let expected = written(&mut levels, what, wanted, &value);
                    prop_assert_eq!(result.as_ref().map(|written| written.scope).map_err(told), expected);
                    if result.is_err() {
                        prop_assert_eq!(&store, &before, "a refused write changes nothing");
                    }
                }
            }
            for what in NAMES {
                let expected = levels.iter().rev().find_map(|level| level.values.get(what)).cloned();
                prop_assert_eq!(store.value(what).map(Value::into_json), expected);
                let declared = levels.iter().rev().find(|level| level.kinds.contains_key(what)).map(|level| level.scope);
                prop_assert_eq!(store.declared_scope(&name(what)), declared);
                prop_assert!(store.get(what).is_none_or(|held| held.history.len() <= HISTORY));
            }
        }
        let json = serde_json::to_string(&store).unwrap();
        prop_assert_eq!(serde_json::from_str::<VariableStore>(&json).unwrap(), store);
    }
}
