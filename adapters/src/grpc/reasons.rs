//! Gives what the library answers by itself a reason: calls that do not exist, messages that cannot be decoded.
//!
//! All refusals of ours carry details already and pass as they are.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use http::{HeaderMap, Request, Response};
use tonic::Status;
use tower::Service;

use super::refusals::reasoned;

const DETAILS: &str = "grpc-status-details-bin";

/// Answers as the inner service does, and never without a reason.
#[derive(Debug, Clone)]
pub(super) struct Reasoned<S>(pub(super) S);

impl<S, In, Out> Service<Request<In>> for Reasoned<S>
where
    S: Service<Request<In>, Response = Response<Out>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Out>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Out>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<In>) -> Self::Future {
        let answer = self.0.call(request);
        Box::pin(async move {
            let mut response = answer.await?;
            give_reason(response.headers_mut());
            Ok(response)
        })
    }
}

fn give_reason(headers: &mut HeaderMap) {
    if headers.contains_key(DETAILS) {
        return;
    }
    let Some(status) = Status::from_header_map(headers) else { return };
    if status.code() == tonic::Code::Ok {
        return;
    }
    let reasoned = reasoned(&status);
    for name in ["grpc-status", "grpc-message"] {
        headers.remove(name);
    }
    if reasoned.add_header(headers).is_err() {
        tracing::error!("a status could not be written");
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;
    use tonic_types::StatusExt;

    use super::*;
    use crate::grpc::status::Reason;

    fn answered(status: &Status) -> Status {
        let mut headers = HeaderMap::new();
        status.add_header(&mut headers).unwrap();
        give_reason(&mut headers);
        Status::from_header_map(&headers).unwrap()
    }

    #[test]
    fn a_status_without_a_reason_gets_one_and_never_the_librarys_words() {
        let rows = [
            (Code::Internal, Code::InvalidArgument, "BAD_ENCODING"),
            (Code::OutOfRange, Code::ResourceExhausted, "MESSAGE_TOO_LARGE"),
            (Code::Unimplemented, Code::Unimplemented, "METHOD_UNKNOWN"),
            (Code::Unknown, Code::Internal, "INTERNAL"),
        ];
        for (from, to, reason) in rows {
            let status = answered(&Status::new(from, "failed to decode Protobuf message: Say.text: invalid"));
            assert_eq!(status.code(), to);
            assert_eq!(status.get_error_details().error_info().unwrap().reason, reason);
            assert!(!status.message().contains("Protobuf"), "{}", status.message());
        }
    }

    #[test]
    fn a_status_with_a_reason_and_a_success_pass_as_they_are() {
        let ours = Status::from(Reason::NotWaiting);
        assert_eq!(answered(&ours).message(), ours.message());
        let mut headers = HeaderMap::new();
        Status::ok("").add_header(&mut headers).unwrap();
        let before = headers.clone();
        give_reason(&mut headers);
        assert_eq!(headers, before);
    }
}
