//! The service `Decisions`: the registry of the domain, as `steersman decide` shows it.

use steersman_domain::decide::kind;
use steersman_proto::v1;
use tonic::{Request, Response, Status};

use super::status::Refused;

/// Answers calls for single decisions.
#[derive(Debug)]
pub(super) struct Registry;

#[tonic::async_trait]
impl v1::decisions_server::Decisions for Registry {
    async fn decide(&self, request: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        let v1::DecideRequest { kind: name, json } = request.into_inner();
        let kind = kind(&name).map_err(|refusal| Refused::field("kind", refusal.message))?;
        Ok(Response::new(v1::DecideResponse { json: kind.answer(&json).json.to_string() }))
    }
}
