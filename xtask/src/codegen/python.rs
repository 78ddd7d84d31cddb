//! Tells whether the Python client's stubs belong to the wire's files, with no Python and no protoc: the stubs hold the
//! descriptors that they were made of.

use std::fs;

use anyhow::{Context, bail};
use prost::Message as _;
use prost_types::{DescriptorProto, FileDescriptorProto, MethodDescriptorProto};

use super::wire;
use crate::step::root;

const FOLDER: &str = "clients/python";
/// What stands in front of the descriptors in a stub.
const SERIALIZED: &str = "AddSerializedFile(b'";

/// Fails and names the first stub that is not made of the wire's files as they are now.
pub(super) fn compare() -> anyhow::Result<()> {
    for file in wire::ours(&wire::descriptors()?) {
        let stem = file.name().strip_suffix(".proto").context("the wire's files end in .proto")?;
        let read = |ending: &str| {
            let path = format!("{FOLDER}/steersman/{}{ending}", stem.trim_start_matches("steersman/"));
            fs::read_to_string(root().join(&path)).with_context(|| format!("{path} could not be read"))
        };
        let (messages, types, calls) = (read("_pb2.py")?, read("_pb2.pyi")?, read("_pb2_grpc.py")?);
        let outdated = outdated(file, &messages, &types, &calls).with_context(|| format!("{stem}_pb2.py"))?;
        if let Some(what) = outdated {
            bail!("{stem}: {what} differs in the Python stubs; run {FOLDER}/stubs.sh, which says what it needs");
        }
    }
    Ok(())
}

/// Returns what of a file the stubs say otherwise.
fn outdated(file: &FileDescriptorProto, messages: &str, types: &str, calls: &str) -> anyhow::Result<Option<String>> {
    let (now, stub) = (bare(file.clone()), bare(serialized(messages)?));
    if now != stub {
        let named = now.message_type.iter().find(|message| !stub.message_type.contains(message));
        return Ok(Some(named.map_or_else(|| "something".to_owned(), |message| message.name().to_owned())));
    }
    let untyped = now.message_type.iter().find(|message| !has_types(message, types));
    if let Some(message) = untyped {
        return Ok(Some(format!("the types of {}", message.name())));
    }
    for service in &now.service {
        let path = |call: &MethodDescriptorProto| format!("'/{}.{}/{}'", now.package(), service.name(), call.name());
        let uncalled = service.method.iter().find(|call| {
            let made = format!("self.{} = channel.{}(", call.name(), kind(call));
            !calls.split_once(&made).is_some_and(|(_, rest)| rest.trim_start().starts_with(&path(call)))
        });
        if let Some(call) = uncalled {
            return Ok(Some(format!("the call {}", call.name())));
        }
    }
    Ok(None)
}

/// Leaves out what only one of the two compilers writes.
fn bare(mut file: FileDescriptorProto) -> FileDescriptorProto {
    fn without_json_names(message: &mut DescriptorProto) {
        message.field.iter_mut().chain(&mut message.extension).for_each(|field| field.json_name = None);
        message.nested_type.iter_mut().for_each(without_json_names);
    }
    file.source_code_info = None;
    file.message_type.iter_mut().for_each(without_json_names);
    file
}

/// Reads the descriptors out of a stub.
fn serialized(stub: &str) -> anyhow::Result<FileDescriptorProto> {
    let (_, literal) = stub.split_once(SERIALIZED).with_context(|| format!("there is no `{SERIALIZED}`"))?;
    FileDescriptorProto::decode(bytes(literal)?.as_slice()).context("its descriptors cannot be read")
}

/// Reads the bytes of a Python literal up to its closing quote.
fn bytes(literal: &str) -> anyhow::Result<Vec<u8>> {
    let (mut read, mut rest) = (Vec::new(), literal.bytes().peekable());
    while let Some(byte) = rest.next() {
        match byte {
            b'\'' => return Ok(read),
            b'\\' => {
                let escape = rest.next().context("an escape is cut off")?;
                read.push(match escape {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'\\' | b'\'' | b'"' => escape,
                    b'x' => {
                        let digits: Vec<u8> = rest.by_ref().take(2).collect();
                        u8::from_str_radix(std::str::from_utf8(&digits)?, 16).context("no hexadecimal byte")?
                    }
                    b'0'..=b'7' => {
                        let mut digits = vec![escape];
                        while digits.len() < 3 && rest.peek().is_some_and(|next| (b'0'..=b'7').contains(next)) {
                            digits.extend(rest.next());
                        }
                        u8::from_str_radix(std::str::from_utf8(&digits)?, 8).context("no octal byte")?
                    }
                    other => bail!("`\\{}` is no escape", char::from(other)),
                });
            }
            other => read.push(other),
        }
    }
    bail!("the literal has no end")
}

/// Tells whether the types of a message name all of its fields.
fn has_types(message: &DescriptorProto, types: &str) -> bool {
    let Some((_, rest)) = types.split_once(&format!("\nclass {}(_message.Message):", message.name())) else {
        return false;
    };
    let block = rest.split("\nclass ").next().unwrap_or(rest);
    let number = |name: &str| format!(" {}_FIELD_NUMBER: ", name.to_ascii_uppercase());
    message.field.iter().all(|field| block.contains(&number(field.name())))
}

fn kind(call: &MethodDescriptorProto) -> &'static str {
    match (call.client_streaming(), call.server_streaming()) {
        (false, false) => "unary_unary",
        (false, true) => "unary_stream",
        (true, false) => "stream_unary",
        (true, true) => "stream_stream",
    }
}

#[cfg(test)]
mod tests {
    use prost_types::FieldDescriptorProto;

    use super::*;

    #[test]
    fn the_stubs_are_made_of_the_wires_files() {
        compare().unwrap();
    }

    #[test]
    fn a_field_that_a_stub_does_not_know_is_found() {
        let descriptors = wire::descriptors().unwrap();
        let file = wire::ours(&descriptors).find(|file| file.name().ends_with("decisions.proto")).unwrap();
        let read =
            |ending: &str| fs::read_to_string(root().join(format!("{FOLDER}/steersman/v1/decisions{ending}"))).unwrap();
        let (messages, types, calls) = (read("_pb2.py"), read("_pb2.pyi"), read("_pb2_grpc.py"));
        let found = |file: &FileDescriptorProto| outdated(file, &messages, &types, &calls).unwrap();
        assert_eq!(found(file), None);
        let mut longer = file.clone();
        let field = FieldDescriptorProto { name: Some("more".to_owned()), number: Some(9), ..Default::default() };
        longer.message_type[0].field.push(field);
        assert_eq!(found(&longer).as_deref(), Some("DecideRequest"));
        let types = types.replace("KIND_FIELD_NUMBER", "SORT_FIELD_NUMBER");
        assert_eq!(outdated(file, &messages, &types, &calls).unwrap().as_deref(), Some("the types of DecideRequest"));
        let calls = calls.replace("Decisions/Decide", "Decisions/Choose");
        assert_eq!(outdated(file, &messages, &read("_pb2.pyi"), &calls).unwrap().as_deref(), Some("the call Decide"));
    }

    #[test]
    fn a_python_literal_is_read_as_python_reads_it() {
        assert_eq!(bytes(r#"a\n\x0c\"\'\\\0141'"#).unwrap(), b"a\n\x0c\"'\\\x0c1");
        for broken in [r"a", r"\", r"\q'", r"\x0'"] {
            bytes(broken).unwrap_err();
        }
    }
}
