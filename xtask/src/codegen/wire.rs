//! The wire's Rust code and its descriptors, made from `proto/` without protoc.

use std::{collections::BTreeSet, fs};

use anyhow::{Context, ensure};
use prost::Message as _;
use prost_types::{DescriptorProto, FileDescriptorProto, FileDescriptorSet, source_code_info::Location};
use protox::Compiler;

use super::Files;
use crate::step::root;

const PACKAGE: &str = "steersman.v1";
const SOURCES: &[&str] = &[
    "steersman/v1/decisions.proto",
    "steersman/v1/event.proto",
    "steersman/v1/scripts.proto",
    "steersman/v1/session.proto",
    "steersman/v1/sessions.proto",
];
/// Not ours, and not in our Rust code: for clients that resolve the details of an error by reflection.
const FOREIGN: &[&str] = &["google/rpc/error_details.proto"];
/// The files whose messages are the JSON of the command line, so that one is the proof of the other.
const JSON: &[&str] = &["steersman/v1/event.proto", "steersman/v1/session.proto"];

const CODE: &str = "proto/src/v1.rs";
const DESCRIPTORS: &str = "proto/src/descriptors.bin";
const FIRST_LINE: &str = "//! The messages and services of `steersman.v1`; written by `cargo xtask codegen`.\n\n";

/// Compiles the wire's files, checks that each part of them says what it is for, and makes the Rust code.
pub(super) fn files() -> anyhow::Result<Files> {
    let descriptors = descriptors()?;
    let silent = undocumented(&descriptors);
    ensure!(silent.is_empty(), "without a comment that says what it is for: {}", silent.join(", "));
    let code = code(&descriptors)?;
    Ok(Files::from([(CODE.to_owned(), code.into_bytes()), (DESCRIPTORS.to_owned(), descriptors.encode_to_vec())]))
}

/// Compiles the wire's files.
pub(super) fn descriptors() -> anyhow::Result<FileDescriptorSet> {
    let mut compiler = Compiler::new([root().join("proto")]).context("could not look into proto/")?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(SOURCES.iter().chain(FOREIGN)).context("the wire's files are not correct")?;
    Ok(compiler.file_descriptor_set())
}

fn code(descriptors: &FileDescriptorSet) -> anyhow::Result<String> {
    let folder = std::env::temp_dir().join(format!("steersman-codegen-wire-{}", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("could not make {}", folder.display()))?;
    let mut builder = tonic_prost_build::configure()
        .build_transport(false)
        .btree_map(".")
        .skip_debug(["."])
        .extern_path(".google.protobuf.Value", "crate::json::Value")
        .extern_path(".google.protobuf.Struct", "crate::json::Struct")
        .extern_path(".google.rpc", "::tonic_types::pb")
        .out_dir(&folder);
    for (field, rule) in [
        ("VariableView.updated_at", "serialize_with = \"crate::json::time\""),
        ("ModelCalled.prompt", "skip_serializing_if = \"Option::is_none\""),
        ("ModelCalled.reply", "skip_serializing_if = \"Option::is_none\""),
    ] {
        builder = builder.field_attribute(format!(".{PACKAGE}.{field}"), format!("#[serde({rule})]"));
    }
    for message in ours(descriptors).filter(|file| JSON.contains(&file.name())).flat_map(|file| &file.message_type) {
        let (path, shape) = match message.name() {
            "Event" => ("Event.body".to_owned(), "#[serde(tag = \"type\", rename_all = \"snake_case\")]"),
            "ScopeView" => ("ScopeView".to_owned(), "#[serde(transparent)]"),
            other => (other.to_owned(), ""),
        };
        builder =
            builder.type_attribute(format!(".{PACKAGE}.{path}"), format!("#[derive(::serde::Serialize)] {shape}"));
    }
    builder.compile_fds(descriptors.clone()).context("could not write the Rust code of the wire")?;
    let made = folder.join(format!("{PACKAGE}.rs"));
    let code = fs::read_to_string(&made).with_context(|| format!("could not read {}", made.display()))?;
    fs::remove_dir_all(&folder).with_context(|| format!("could not remove {}", folder.display()))?;
    Ok(format!("{FIRST_LINE}{code}\n{}", debugs(descriptors)))
}

/// Writes how the messages show themselves: by name and size, never with what a person said.
fn debugs(descriptors: &FileDescriptorSet) -> String {
    let (mut messages, mut choices) = (BTreeSet::new(), BTreeSet::new());
    for message in ours(descriptors).flat_map(|file| &file.message_type) {
        messages.insert(message.name().to_owned());
        for choice in choices_of(message) {
            choices.insert(format!("{}::{}", snake(message.name()), pascal(choice)));
        }
    }
    let list = |names: BTreeSet<String>| names.into_iter().map(|name| format!("    {name},")).collect::<Vec<_>>();
    format!(
        "crate::debug::by_size! {{\n{}\n}}\ncrate::debug::by_name! {{\n{}\n}}\n",
        list(messages).join("\n"),
        list(choices).join("\n")
    )
}

/// Returns the files of our own package.
pub(super) fn ours(descriptors: &FileDescriptorSet) -> impl Iterator<Item = &FileDescriptorProto> {
    descriptors.file.iter().filter(|file| file.package() == PACKAGE)
}

/// Returns the real choices of a message; an `optional` field is a choice of one by nature of the format.
fn choices_of(message: &DescriptorProto) -> impl Iterator<Item = &str> {
    message.oneof_decl.iter().enumerate().filter_map(|(index, choice)| {
        let is_of_it = |field: &&prost_types::FieldDescriptorProto| {
            field.oneof_index.is_some_and(|at| usize::try_from(at).is_ok_and(|at| at == index))
        };
        let is_real = message.field.iter().filter(is_of_it).any(|field| !field.proto3_optional());
        is_real.then(|| choice.name())
    })
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

fn pascal(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

/// Names each service, call, message and field of ours without a comment in front of it.
fn undocumented(descriptors: &FileDescriptorSet) -> Vec<String> {
    let mut silent = Vec::new();
    for file in ours(descriptors) {
        let locations = file.source_code_info.as_ref().map_or(&[][..], |info| &info.location);
        for (path, name) in parts(file) {
            if !locations.iter().any(|location| location.path == path && says_something(location)) {
                silent.push(format!("{}: {name}", file.name()));
            }
        }
    }
    silent
}

/// Lists the parts of a file, as the path by which its comments are found, and a name.
fn parts(file: &FileDescriptorProto) -> Vec<(Vec<i32>, String)> {
    // The numbers of the fields of a descriptor that hold these.
    const MESSAGES: i32 = 4;
    const SERVICES: i32 = 6;
    const FIELDS: i32 = 2;
    const CHOICES: i32 = 8;
    const CALLS: i32 = 2;
    let mut parts = Vec::new();
    for (at, message) in (0..).zip(&file.message_type) {
        parts.push((vec![MESSAGES, at], message.name().to_owned()));
        for (inner, field) in (0..).zip(&message.field) {
            parts.push((vec![MESSAGES, at, FIELDS, inner], format!("{}.{}", message.name(), field.name())));
        }
        let real: BTreeSet<&str> = choices_of(message).collect();
        for (inner, choice) in (0..).zip(&message.oneof_decl).filter(|(_, choice)| real.contains(choice.name())) {
            parts.push((vec![MESSAGES, at, CHOICES, inner], format!("{}.{}", message.name(), choice.name())));
        }
    }
    for (at, service) in (0..).zip(&file.service) {
        parts.push((vec![SERVICES, at], service.name().to_owned()));
        for (inner, call) in (0..).zip(&service.method) {
            parts.push((vec![SERVICES, at, CALLS, inner], format!("{}.{}", service.name(), call.name())));
        }
    }
    parts
}

fn says_something(location: &Location) -> bool {
    !location.leading_comments().trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_wire_says_what_it_is_for_and_one_that_does_not_is_named() {
        let mut descriptors = descriptors().unwrap();
        assert_eq!(undocumented(&descriptors), Vec::<String>::new());
        let file = descriptors.file.iter_mut().find(|file| file.name().ends_with("decisions.proto")).unwrap();
        for location in &mut file.source_code_info.as_mut().unwrap().location {
            location.leading_comments = None;
        }
        let silent = undocumented(&descriptors);
        assert!(silent.contains(&"steersman/v1/decisions.proto: DecideRequest.kind".to_owned()), "{silent:?}");
        assert!(silent.contains(&"steersman/v1/decisions.proto: Decisions.Decide".to_owned()), "{silent:?}");
    }

    #[test]
    fn names_follow_the_generator() {
        assert_eq!(snake("ClientFrame"), "client_frame");
        assert_eq!(pascal("submit_form"), "SubmitForm");
    }
}
