//! What goes wrong inside a running server, one line on standard error each: our own warnings and defects, and nothing
//! that a foreign library logs, since it may quote a conversation.

use std::{
    fmt::{self, Write as _},
    io::{self, Write as _},
    sync::atomic::{AtomicU64, Ordering},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// What the targets of our own crates begin with.
const OURS: &str = "steersman";

/// Logs from now on, for the life of the process.
pub(crate) fn begin() {
    let _first = tracing::subscriber::set_global_default(Log::default()).is_ok();
}

/// Writes lines; knows no spans.
#[derive(Debug, Default)]
struct Log {
    spans: AtomicU64,
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN && metadata.target().starts_with(OURS)
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) | 1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        // Standard error that is gone leaves nowhere to say so.
        let _gone = writeln!(io::stderr(), "{}", line(event)).is_err();
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// Writes an event as `error: what happened (field=value, …)`.
fn line(event: &Event<'_>) -> String {
    let mut line = Line::default();
    event.record(&mut line);
    let level = if *event.metadata().level() == Level::ERROR { "error" } else { "warning" };
    let fields = if line.fields.is_empty() { String::new() } else { format!(" ({})", line.fields.join(", ")) };
    format!("{level}: {}{fields}", line.message)
}

#[derive(Debug, Default)]
struct Line {
    message: String,
    fields: Vec<String>,
}

impl Line {
    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        if field.name() == "message" {
            self.message.write_fmt(value).expect("a string takes it");
        } else {
            self.fields.push(format!("{}={value}", field.name()));
        }
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Keeps what the log would write.
    struct Kept(Log, Arc<Mutex<Vec<String>>>);

    impl Subscriber for Kept {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            self.0.enabled(metadata)
        }
        fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
            self.0.new_span(attributes)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, event: &Event<'_>) {
            self.1.lock().unwrap().push(line(event));
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    #[test]
    fn our_defects_are_lines_with_their_id_and_what_others_log_is_none() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        tracing::subscriber::with_default(Kept(Log::default(), Arc::clone(&kept)), || {
            tracing::error!(target: "steersman_adapters::grpc", id = "42", count = 3, "a call met a defect");
            tracing::warn!(target: "steersman_adapters::grpc", "odd");
            tracing::info!(target: "steersman_adapters::grpc", "nobody asked");
            tracing::error!(target: "genai::client", "somebody said: my secret");
        });
        assert_eq!(*kept.lock().unwrap(), ["error: a call met a defect (id=42, count=3)", "warning: odd"]);
    }
}
