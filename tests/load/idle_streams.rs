//! What a stream costs while nobody says anything: its connection's share, its session, its queues.

use std::fmt;

use futures_util::future::try_join_all;

use super::{
    Failed, Place,
    client::{Talk, connect},
    server::Server,
};

/// As many as the server lets one connection have.
const STREAMS_PER_CONNECTION: u32 = 100;
/// Streams that are open before anything is counted, so that what is made once is there.
const WARM: u32 = 20;
/// The streams that are opened at once.
const AT_ONCE: u32 = 25;

/// What idle streams cost.
#[derive(Debug)]
pub struct IdleStreams {
    streams: u32,
    connections: usize,
    before: u64,
    after: u64,
}

impl IdleStreams {
    /// Opens streams, has one turn on each, leaves them alone, and looks at the server's memory.
    ///
    /// # Errors
    ///
    /// [`Failed`].
    pub async fn measure(place: &Place, streams: u32) -> Result<Self, Failed> {
        let server = Server::start(place)?;
        let mut open = open(&server, WARM).await?;
        let before = server.resident()?;
        let mut connections = 0;
        let mut left = streams;
        while left > 0 {
            let now = left.min(STREAMS_PER_CONNECTION);
            open.extend(self::open(&server, now).await?);
            connections += 1;
            left -= now;
        }
        let after = server.resident()?;
        drop(open);
        server.stop().await;
        Ok(Self { streams, connections, before, after })
    }
}

impl fmt::Display for IdleStreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { streams, connections, before, after } = self;
        let each = after.saturating_sub(*before) / u64::from(*streams);
        write!(
            f,
            "idle streams         {streams} on {connections} connections, each with a session after one turn: {} KiB a \
             stream (server {} -> {} MiB resident)",
            each / 1024,
            before >> 20,
            after >> 20,
        )
    }
}

/// Opens streams on one connection, and has one turn on each.
async fn open(server: &Server, count: u32) -> Result<Vec<Talk>, Failed> {
    let channel = connect(server).await?;
    let mut open = Vec::new();
    let mut left = count;
    while left > 0 {
        let now = left.min(AT_ONCE);
        let talks = (0..now).map(|_| async {
            let mut talk = Talk::start(&channel).await?;
            talk.say("m1", "Kim").await?;
            Ok::<_, Failed>(talk)
        });
        open.extend(try_join_all(talks).await?);
        left -= now;
    }
    Ok(open)
}
