//! Stopping: not ready any more, `draining` on every stream, gone in time.
#![cfg(unix)]

use steersman_proto::v1::server_frame::Frame;
use tonic::Code;

use crate::{
    served::Served,
    talk::{Talk, soon, told},
};

#[tokio::test]
async fn a_server_that_is_asked_to_stop_tells_every_stream_and_is_gone() {
    let served = Served::offline();
    let channel = served.channel().await;
    let (mut talk, _, _) = Talk::start(&channel).await;
    let silent = Talk::silent(&channel).await;
    served.terminate();
    assert!(matches!(talk.frame().await, Ok(Some(Frame::Draining(_)))));
    assert_eq!(told(&talk.frame().await.unwrap_err()), (Code::Unavailable, "DRAINING".to_owned()));
    assert_eq!(told(&silent.end().await.unwrap_err()), (Code::Unavailable, "DRAINING".to_owned()));
    let (code, log) = soon(served.gone()).await;
    assert_eq!(code, Some(0), "{log}");
    assert!(log.ends_with("stopped"), "{log}");
}
