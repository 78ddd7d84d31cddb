//! The other things that the port offers: reflection, health, gRPC-web, probes, scripts and single decisions.

use prost::{Message, bytes::Bytes};
use steersman_proto::v1::{self, decisions_client::DecisionsClient, scripts_client::ScriptsClient};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use crate::{
    served::{SCRIPT, Served},
    talk::{soon, told},
};

/// Calls with bytes that no client of ours would send.
pub(crate) async fn raw(channel: &Channel, path: &'static str, bytes: Vec<u8>) -> Result<Vec<u8>, Status> {
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let path = tonic::codegen::http::uri::PathAndQuery::from_static(path);
    let answer = soon(client.unary(Request::new(bytes), path, Raw)).await?;
    Ok(answer.into_inner())
}

/// Bytes as they are.
#[derive(Debug, Default, Clone, Copy)]
struct Raw;

impl tonic::codec::Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl tonic::codec::Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, into: &mut tonic::codec::EncodeBuf<'_>) -> Result<(), Status> {
        use prost::bytes::BufMut;
        into.put_slice(&item);
        Ok(())
    }
}

impl tonic::codec::Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut tonic::codec::DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        use prost::bytes::Buf;
        let bytes: Bytes = from.copy_to_bytes(from.remaining());
        Ok(Some(bytes.to_vec()))
    }
}

/// Speaks HTTP/1.1 by hand, and returns all that comes back.
async fn http(served: &Served, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(&served.address).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    soon(stream.read_to_end(&mut answer)).await.unwrap();
    answer
}

async fn get(served: &Served, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    String::from_utf8(http(served, request.as_bytes()).await).unwrap()
}

#[tokio::test]
async fn whoever_watches_the_process_is_told_that_it_lives_and_is_ready() {
    let served = Served::offline();
    for (path, says) in [("/healthz", "ok"), ("/readyz", "ready")] {
        let answer = get(&served, path).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.trim_end().ends_with(says), "{answer}");
    }
    let mut health = HealthClient::new(served.channel().await);
    for service in ["", "steersman.v1.Sessions", "steersman.v1.Scripts", "steersman.v1.Decisions"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let answer = soon(health.check(request)).await.unwrap().into_inner();
        assert_eq!(answer.status, 1, "{service} serves");
    }
}

/// Calls as a browser does; returns the last message of the answer, or the code and the reason of a refusal.
pub(crate) async fn call_over_http(
    served: &Served,
    path: &str,
    message: &impl Message,
    headers: &[(&str, &str)],
) -> Result<Vec<u8>, (Code, String)> {
    let message = message.encode_to_vec();
    let body = [&[0], u32::try_from(message.len()).unwrap().to_be_bytes().as_slice(), &message].concat();
    let own = [("content-type", "application/grpc-web+proto"), ("host", "localhost"), ("connection", "close")];
    let lines: Vec<String> = own.iter().chain(headers).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("POST {path} HTTP/1.1\r\n{}content-length: {}\r\n\r\n", lines.concat(), body.len());
    let answer = http(served, &[head.as_bytes(), &body].concat()).await;
    let split = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("an answer has a head");
    let (head, body) = (String::from_utf8_lossy(&answer[..split]).into_owned(), &answer[split + 4..]);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_vec() };
    let (mut rest, mut message, mut trailers) = (body.as_slice(), Vec::new(), head);
    while let [kind, a, b, c, d, tail @ ..] = rest {
        let length = usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).unwrap();
        match kind {
            0 => message = tail[..length].to_vec(),
            _ => trailers = String::from_utf8_lossy(&tail[..length]).into_owned(),
        }
        rest = &tail[length..];
    }
    let headers = trailers.lines().filter_map(|line| line.split_once(':'));
    let mut map = tonic::metadata::MetadataMap::new().into_headers();
    for (name, value) in headers.filter(|(name, _)| name.trim().starts_with("grpc-")) {
        let name: tonic::codegen::http::HeaderName = name.trim().parse().unwrap();
        map.insert(name, value.trim().parse().unwrap());
    }
    let status = Status::from_header_map(&map).expect("an answer has a status");
    if status.code() == Code::Ok { Ok(message) } else { Err(told(&status)) }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|bytes| bytes == b"\r\n").unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 2 + length + 2..];
    }
}

#[tokio::test]
async fn a_browser_calls_over_plain_http() {
    let served = Served::offline();
    let json = r#"{"base":1,"rigid_score":0.15}"#.to_owned();
    let message = v1::DecideRequest { kind: "temperature".to_owned(), json };
    let answer = call_over_http(&served, "/steersman.v1.Decisions/Decide", &message, &[]).await.unwrap();
    assert!(v1::DecideResponse::decode(answer.as_slice()).unwrap().json.contains("\"temperature\":"));
    let unknown = v1::DecideRequest { kind: "temprature".to_owned(), json: "{}".to_owned() };
    let refused = call_over_http(&served, "/steersman.v1.Decisions/Decide", &unknown, &[]).await.unwrap_err();
    assert_eq!(refused, (Code::InvalidArgument, "FIELD_INVALID".to_owned()));
}

/// Asks for the files of a symbol in one dialect of reflection.
macro_rules! reflect {
    ($dialect:ident, $channel:expr, $request:expr) => {{
        use tonic_reflection::pb::$dialect::{
            ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
            server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
        };
        let (request, symbol): (&str, bool) = $request;
        let request = request.to_owned();
        let request = match symbol {
            true => MessageRequest::FileContainingSymbol(request),
            false => MessageRequest::ListServices(request),
        };
        let request = ServerReflectionRequest { host: String::new(), message_request: Some(request) };
        let mut client = ServerReflectionClient::new($channel.clone());
        let asked = futures_util::stream::iter([request]);
        let mut answers = soon(client.server_reflection_info(asked)).await.unwrap().into_inner();
        match soon(answers.message()).await.unwrap().unwrap().message_response.unwrap() {
            MessageResponse::FileDescriptorResponse(files) => {
                files.file_descriptor_proto.iter().map(|file| String::from_utf8_lossy(file).into_owned()).collect()
            }
            MessageResponse::ListServicesResponse(list) => {
                list.service.into_iter().map(|service| service.name).collect()
            }
            other => vec![format!("{other:?}")],
        }
    }};
}

#[tokio::test]
async fn both_dialects_of_reflection_show_the_services_and_the_files_of_errors() {
    let served = Served::offline();
    let channel = served.channel().await;
    let services: Vec<String> = reflect!(v1, channel, ("", false));
    let alpha: Vec<String> = reflect!(v1alpha, channel, ("", false));
    for service in ["steersman.v1.Sessions", "steersman.v1.Scripts", "steersman.v1.Decisions"] {
        assert!(services.iter().any(|name| name == service), "{services:?}");
        assert!(alpha.iter().any(|name| name == service), "{alpha:?}");
    }
    for symbol in ["steersman.v1.Sessions", "google.rpc.Status", "google.rpc.ErrorInfo"] {
        let file: Vec<String> = reflect!(v1, channel, (symbol, true));
        let name = symbol.rsplit('.').next().unwrap();
        assert!(file[0].contains(name), "{file:?}");
        let file: Vec<String> = reflect!(v1alpha, channel, (symbol, true));
        assert!(file[0].contains(name), "{file:?}");
    }
}

#[tokio::test]
async fn scripts_are_checked_published_found_and_listed() {
    let served = Served::offline();
    let mut scripts = ScriptsClient::new(served.channel().await);
    let defective = SCRIPT.replace("ai_ask: find out the name", "ai_aks: find out the name");
    let request = v1::CheckScriptRequest { source: defective.clone(), file: String::new() };
    let checked = scripts.check(request).await.unwrap().into_inner();
    let defect = &checked.defects[0];
    assert_eq!((defect.file.as_str(), defect.severity.as_str()), ("script.yaml", "error"));
    assert!(defect.line > 1 && !defect.code.is_empty() && checked.bounds.is_none());
    let request = v1::CheckScriptRequest { source: SCRIPT.to_owned(), file: String::new() };
    let checked = scripts.check(request).await.unwrap().into_inner();
    assert!(checked.defects.is_empty() && checked.bounds.is_some());

    let refused = scripts.publish(v1::PublishScriptRequest { source: defective }).await.unwrap_err();
    assert_eq!(told(&refused), (Code::InvalidArgument, "SCRIPT_DEFECTIVE".to_owned()));
    let same = scripts.publish(v1::PublishScriptRequest { source: SCRIPT.to_owned() }).await.unwrap().into_inner();
    let same = same.script.unwrap();
    assert_eq!((same.script_id.as_str(), same.version.as_str()), ("demo", "1.0.0"));
    let other = SCRIPT.replace("See you soon.", "See you.");
    let refused = scripts.publish(v1::PublishScriptRequest { source: other.clone() }).await.unwrap_err();
    assert_eq!(told(&refused), (Code::AlreadyExists, "SCRIPT_EXISTS".to_owned()));
    let newer = other.replace("version: 1.0.0", "version: 1.1.0");
    scripts.publish(v1::PublishScriptRequest { source: newer.clone() }).await.unwrap();

    let found = scripts.get(v1::GetScriptRequest { script_id: "demo".to_owned(), version: None }).await.unwrap();
    assert_eq!(found.into_inner().source, newer);
    let old = v1::GetScriptRequest { script_id: "demo".to_owned(), version: Some("1.0.0".to_owned()) };
    assert_eq!(scripts.get(old).await.unwrap().into_inner().source, SCRIPT);
    let none = v1::GetScriptRequest { script_id: "no id".to_owned(), version: None };
    let none = scripts.get(none).await.unwrap_err();
    assert_eq!(told(&none), (Code::NotFound, "SCRIPT_NOT_FOUND".to_owned()));

    let first = v1::ListScriptsRequest { page_size: 1, page_token: String::new() };
    let first = scripts.list(first).await.unwrap().into_inner();
    let rest = v1::ListScriptsRequest { page_size: 1, page_token: first.next_page_token };
    let rest = scripts.list(rest).await.unwrap().into_inner();
    let versions = [&first.scripts[0].version, &rest.scripts[0].version];
    assert_eq!(versions, ["1.0.0", "1.1.0"]);
    assert_eq!(rest.next_page_token, "");
    let broken = v1::ListScriptsRequest { page_size: 1, page_token: "nonsense".to_owned() };
    assert_eq!(told(&scripts.list(broken).await.unwrap_err()).1, "FIELD_INVALID");
}

#[tokio::test]
async fn a_decision_is_the_one_of_the_command_line() {
    let served = Served::offline();
    let mut decisions = DecisionsClient::new(served.channel().await);
    let ask = |kind: &str, json: &str| v1::DecideRequest { kind: kind.to_owned(), json: json.to_owned() };
    let answer = decisions.decide(ask("temperature", r#"{"base":1,"rigid_score":0.15}"#)).await.unwrap();
    let ours = steersman_domain::decide::kind("temperature").unwrap().answer(r#"{"base":1,"rigid_score":0.15}"#);
    assert_eq!(answer.into_inner().json, ours.json.to_string());
    let bad = decisions.decide(ask("temperature", "{")).await.unwrap().into_inner().json;
    assert!(bad.contains("invalid_json"), "{bad}");
    let unknown = decisions.decide(ask("temprature", "{}")).await.unwrap_err();
    assert_eq!(told(&unknown), (Code::InvalidArgument, "FIELD_INVALID".to_owned()));
    assert!(unknown.message().contains("did you mean `temperature`?"), "{}", unknown.message());
}

#[tokio::test]
async fn what_is_not_there_says_so_with_a_reason() {
    let served = Served::offline();
    let channel = served.channel().await;
    let status = raw(&channel, "/steersman.v1.Sessions/Dance", Vec::new()).await.unwrap_err();
    assert_eq!(told(&status), (Code::Unimplemented, "METHOD_UNKNOWN".to_owned()));
    let status = raw(&channel, "/somebody.Else/Call", Vec::new()).await.unwrap_err();
    assert_eq!(told(&status), (Code::Unimplemented, "METHOD_UNKNOWN".to_owned()));
}
