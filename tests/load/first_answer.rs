//! How long it takes from the start of the process to its first answer: the opening of a new session, which is kept.

use std::{fmt, time::Duration};

use steersman_proto::v1::{ListSessionsRequest, sessions_client::SessionsClient};
use tonic::transport::Channel;

use super::{
    Failed, Place,
    client::{Talk, connect},
    server::Server,
};

/// The most sessions of one page.
const PAGE: u32 = 500;

/// What several starts came to, the quickest first.
#[derive(Debug)]
pub struct FirstAnswers {
    /// To the end of the first opening.
    answered: Vec<Duration>,
    /// To the line that says where it listens.
    listening: Vec<Duration>,
    /// The sessions that were in the file at the last start.
    pub stored: usize,
}

impl FirstAnswers {
    /// Starts the server that often over the same file. The file is made before, by a start that does not count.
    ///
    /// # Errors
    ///
    /// [`Failed`].
    pub async fn measure(place: &Place, starts: u32) -> Result<Self, Failed> {
        Server::start(place)?.stop().await;
        let (mut answered, mut listening, mut stored) = (Vec::new(), Vec::new(), 0);
        for _ in 0..starts {
            let server = Server::start(place)?;
            let channel = connect(&server).await?;
            let talk = Talk::start(&channel).await?;
            answered.push(server.started.elapsed());
            listening.push(server.listening - server.started);
            stored = sessions(&channel).await?;
            drop((talk, channel));
            server.stop().await;
        }
        answered.sort_unstable();
        listening.sort_unstable();
        Ok(Self { answered, listening, stored })
    }
}

impl fmt::Display for FirstAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { answered, listening, stored: _ } = self;
        write!(
            f,
            "start to answer      median {:.1} ms, fastest {:.1} ms of {} starts ({:.1} ms until it listens)",
            milliseconds(middle(answered)),
            milliseconds(answered.first().copied().unwrap_or_default()),
            answered.len(),
            milliseconds(middle(listening)),
        )
    }
}

fn middle(sorted: &[Duration]) -> Duration {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Counts the sessions of the file.
async fn sessions(channel: &Channel) -> Result<usize, Failed> {
    let (mut client, mut count, mut page_token) = (SessionsClient::new(channel.clone()), 0, String::new());
    loop {
        let asked = ListSessionsRequest { page_size: PAGE, page_token, ..ListSessionsRequest::default() };
        let page = client.list_sessions(asked).await?.into_inner();
        count += page.sessions.len();
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(count);
        }
    }
}
