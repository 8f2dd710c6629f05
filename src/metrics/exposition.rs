//! The response of `GET /metrics`, which is computed for each request.

use std::collections::HashSet;
use std::fmt::{self, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use domain::Timestamp;
use engine::mail::MailFigures;
use engine::{ENGINE_PERMITS, Engine, TalkingCounts};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};
use store::RoomLevel;
use store::measure::Distribution;

use super::process::ThisProcess;
use super::{METHODS, Metrics, STATUSES, Series};
use crate::rest::error::ApiError;
use crate::rest::router::open;
use crate::telemetry;

const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
const MICROS: f64 = 1e6;

pub(crate) fn router(metrics: Arc<Metrics>, engine: Engine) -> Router {
    let waiting = Arc::new(Waiting::default());
    let mut registry = Registry::default();
    registry.register_collector(Box::new(ThisProcess));
    let own = registry.sub_registry_with_prefix("receptionist");
    let exposition = Exposition { metrics, engine: engine.clone(), waiting: Arc::clone(&waiting) };
    own.register_collector(Box::new(exposition));
    let registry = Arc::new(registry);
    open("/metrics", move || {
        let (engine, registry, waiting) = (engine.clone(), Arc::clone(&registry), Arc::clone(&waiting));
        async move {
            if let Some(mails) = engine.mails_waiting().await {
                waiting.mails.store(mails, Ordering::Relaxed);
            }
            if let Some(writes) = engine.calendar_writes_pending().await {
                waiting.calendar_writes.store(writes, Ordering::Relaxed);
            }
            show(&registry)
        }
    })
}

fn show(registry: &Registry) -> Response {
    let mut body = String::new();
    match text::encode(&mut body, registry) {
        Ok(()) => ([(header::CONTENT_TYPE, MEDIA_TYPE)], plain(&body)).into_response(),
        Err(error) => ApiError::internal(error).into_response(),
    }
}

/// Converts OpenMetrics to the Prometheus text format. In OpenMetrics, the `HELP` and `TYPE` lines of a counter contain
/// its name without `_total`. In the Prometheus format, these lines contain the name with `_total`.
fn plain(open_metrics: &str) -> String {
    let types = open_metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let counters: HashSet<&str> = types.filter_map(|line| line.strip_suffix(" counter")).collect();
    let lines = open_metrics.lines().filter(|line| *line != "# EOF" && !line.starts_with("# UNIT "));
    let written = lines.map(|line| match line.splitn(4, ' ').collect::<Vec<_>>()[..] {
        ["#", keyword, name, about] if counters.contains(name) => {
            format!("# {keyword} {name}_total {about}\n")
        }
        _ => format!("{line}\n"),
    });
    written.collect()
}

struct Exposition {
    metrics: Arc<Metrics>,
    engine: Engine,
    waiting: Arc<Waiting>,
}

/// The numbers of waiting mails and calendar writes at the last count.
#[derive(Default)]
struct Waiting {
    mails: AtomicUsize,
    calendar_writes: AtomicUsize,
}

impl fmt::Debug for Exposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exposition")
    }
}

impl Collector for Exposition {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        self.requests(&mut encoder)?;
        self.edges(&mut encoder)?;
        self.commits(&mut encoder)?;
        self.engine(&mut encoder)?;
        self.talking(&mut encoder)?;
        self.operations(&mut encoder)
    }
}

impl Exposition {
    fn series(&self) -> impl Iterator<Item = ([(&'static str, &'static str); 2], &Series)> {
        self.metrics.routes.iter().flat_map(|(path, methods)| {
            let named = METHODS.iter().zip(methods.iter());
            named.map(move |(method, series)| ([("route", *path), ("method", *method)], series))
        })
    }

    fn requests(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let about = "Requests answered, by route, method and status";
        let mut counter = encoder.encode_descriptor("http_requests", about, None, MetricType::Counter)?;
        for ([route, method], series) in self.series() {
            let statuses = STATUSES.map(|status| status.to_string());
            let counters = statuses.iter().map(String::as_str).zip(&series.statuses);
            for (status, count) in counters.chain([("other", &series.other_status)]) {
                let count = get_count(count);
                if count > 0 {
                    count_of(&mut counter.encode_family(&[route, method, ("status", status)])?, count)?;
                }
            }
        }
        let about = "Time from the head of a request to its response";
        let mut histogram = encoder.encode_descriptor(
            "http_request_duration",
            about,
            Some(&Unit::Seconds),
            MetricType::Histogram,
        )?;
        for (labels, series) in self.series() {
            let read = series.answer_micros.read();
            if read.count() > 0 {
                distribution(&mut histogram.encode_family(&labels)?, &read, MICROS)?;
            }
        }
        Ok(())
    }

    fn edges(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let about = "Requests refused because of the rate limit of their key or address, or because the table of addresses was full";
        let limited = &self.metrics.rate_limited;
        let counts =
            [("key", &limited.keys), ("address", &limited.addresses), ("uncounted", &limited.uncounted)];
        let counts = counts.map(|(by, count)| (by, get_count(count)));
        counter_by(encoder, "rate_limited_requests", about, "by", counts)?;
        let connections = &self.metrics.connections;
        let about = "Connections refused because their address or the listener had too many connections";
        counter(encoder, "connections_refused", about, get_count(&connections.refused))?;
        let about = "Idle connections closed to make room for others";
        counter(encoder, "connections_evicted", about, get_count(&connections.evicted))?;
        let about = "Log lines dropped because standard error was not read fast enough";
        counter(encoder, "log_lines_dropped", about, telemetry::lines_dropped())
    }

    fn commits(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let stats = self.engine.commit_stats();
        counter(encoder, "commits", "Groups of changes written and synced", stats.groups)?;
        counter(encoder, "commit_changes", "Store changes written and synced, in all groups", stats.changes)?;
        counter(encoder, "commit_writes", "Keys written or deleted by changes", stats.writes)?;
        let about = "Bytes of the keys and values written by changes";
        counter(encoder, "commit_bytes", about, stats.bytes)?;
        let about = "Time spent writing and syncing groups of changes";
        encoder
            .encode_descriptor("commit_time", about, Some(&Unit::Seconds), MetricType::Counter)?
            .encode_counter::<NoLabelSet, f64, f64>(&stats.commit_time.as_secs_f64(), None)?;
        let about = "Changes per sync";
        let mut group =
            encoder.encode_descriptor("commit_group_changes", about, None, MetricType::Histogram)?;
        distribution(&mut group, &stats.group_changes, 1.0)?;
        let about = "Duration of a sync of the store";
        let mut sync =
            encoder.encode_descriptor("sync_duration", about, Some(&Unit::Seconds), MetricType::Histogram)?;
        distribution(&mut sync, &stats.sync_micros, MICROS)?;
        gauge(encoder, "commit_queue", "Changes that wait to be written", stats.queued)
    }

    fn talking(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let TalkingCounts { asked, first_token, turns, dropped } = self.engine.talking();
        let about = "Number of requests to the server of the chat model, by result";
        counter_by(encoder, "model_requests", about, "result", asked)?;
        let about = "Time from a request to the chat model to its first token";
        let seconds = Some(&Unit::Seconds);
        let mut first =
            encoder.encode_descriptor("model_first_token", about, seconds, MetricType::Histogram)?;
        distribution(&mut first, &first_token, MICROS)?;
        let about = "Duration of a turn of the receptionist, by channel";
        let mut turn = encoder.encode_descriptor("turn", about, seconds, MetricType::Histogram)?;
        for (channel, read) in &turns {
            distribution(&mut turn.encode_family(&[("channel", *channel)])?, read, MICROS)?;
        }
        let about = "Number of sentences of the chat model that were dropped, by the rule that they broke";
        counter_by(encoder, "gate_dropped", about, "rule", dropped)
    }

    fn engine(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let engine = &self.engine;
        let about = "Webhook endpoints disabled because all attempts to send an event failed";
        counter(encoder, "webhooks_turned_off", about, engine.endpoints_turned_off())?;
        let about = "Deliveries marked missed because the queue of their business was full";
        counter(encoder, "webhooks_missed_over_budget", about, engine.missed_over_budget())?;
        let about = "Alerts without a mail because the mail queue of their business was full";
        counter(encoder, "alerts_not_mailed", about, engine.alerts_not_mailed())?;
        let about = "Attempts to deliver a webhook, by outcome";
        let (delivered, failed) = engine.attempts_made();
        let counts = [("delivered", delivered), ("failed", failed)];
        counter_by(encoder, "webhook_attempts", about, "outcome", counts)?;
        let (read, failed) = engine.calendar_reads();
        let counts = [("read", read), ("failed", failed)];
        counter_by(
            encoder,
            "calendar_reads",
            "Number of reads of connected calendars, by outcome",
            "outcome",
            counts,
        )?;
        let (written, failed) = engine.calendar_writes();
        let about = "Number of attempts to write an appointment to a connected calendar, by outcome";
        let counts = [("written", written), ("failed", failed)];
        counter_by(encoder, "calendar_writes", about, "outcome", counts)?;
        let about = "Number of appointments that wait to be written to a connected calendar, up to 10,000";
        gauge(
            encoder,
            "calendar_writes_pending",
            about,
            self.waiting.calendar_writes.load(Ordering::Relaxed),
        )?;
        let (calendars, oldest) = engine.calendars();
        let about = "Number of connected calendars, by kind and status";
        let mut gauge_of = encoder.encode_descriptor("calendars", about, None, MetricType::Gauge)?;
        for ((kind, status), count) in calendars {
            let labels = [("kind", kind.as_str()), ("status", status.as_str())];
            gauge_of.encode_family(&labels)?.encode_gauge(&i64::try_from(count).unwrap_or(i64::MAX))?;
        }
        let about =
            "Longest time since the last successful read of any calendar that the service reads, in seconds";
        let oldest = oldest.map_or(0, |age| usize::try_from(age.num_seconds()).unwrap_or_default());
        gauge(encoder, "calendar_oldest_read_seconds", about, oldest)?;
        let about = "Inactive businesses that were checked for expired rows; the label says whether the check started background work";
        let (idle, started) = engine.unused_businesses_looked_at();
        let counts = [("nothing", idle), ("something", started)];
        counter_by(encoder, "unused_businesses_looked_at", about, "had", counts)?;
        let (done, incomplete, failed) = engine.backups_ended();
        let counts = [("done", done), ("incomplete", incomplete), ("failed", failed)];
        counter_by(encoder, "backups", "Finished backups, by outcome", "outcome", counts)?;
        let about = "Businesses whose rows were counted and compared with the recorded usage, by result";
        let (equal, different) = engine.businesses_counted();
        let counts = [("equal", equal), ("different", different)];
        counter_by(encoder, "businesses_counted", about, "result", counts)?;
        counter(encoder, "listed_rows", "Rows read for pages of lists", engine.rows_listed())?;
        let free = engine.permits_available();
        for (name, about, value) in [
            ("long_lists", "Requests that read a long list or wait to do so", engine.long_lists()),
            ("running_businesses", "Businesses in memory", engine.running_businesses()),
            ("running_deliveries", "Webhook endpoints in memory", engine.running_deliveries()),
            ("webhook_attempts_under_way", "Delivery attempts in progress", engine.attempts_under_way()),
            (
                "webhooks_network_out",
                "1 while webhooks wait because this host has no network",
                usize::from(engine.is_cut_off()),
            ),
            (
                "webhook_endpoints_waiting",
                "Webhook endpoints whose next attempt waits for its turn or for its scheduled time",
                engine.endpoints_waiting(),
            ),
            (
                "permits_available",
                "Free permits; each request to a business holds one permit while the request is in progress",
                free,
            ),
            (
                "permits_in_use",
                "Permits in use by requests to businesses",
                ENGINE_PERMITS.saturating_sub(free),
            ),
            (
                "wall_clock_doubted",
                "1 while the service ignores a jump of the wall clock",
                usize::from(engine.clock_doubted()),
            ),
            (
                "store_rows_set_aside",
                "Rows that could not be decoded when they were read from the store, since the start",
                engine.rows_set_aside(),
            ),
            (
                "businesses_set_aside",
                "Businesses whose requests get a 500 because some of their rows are lost or damaged",
                engine.businesses_set_aside().len(),
            ),
            ("store_failed", "1 after the store has failed permanently", usize::from(engine.store_failed())),
        ] {
            gauge(encoder, name, about, value)?;
        }
        let about = "Age of the oldest store sync that is in progress";
        encoder
            .encode_descriptor("store_sync_age", about, Some(&Unit::Seconds), MetricType::Gauge)?
            .encode_gauge(&engine.sync_age().as_secs_f64())?;
        self.disk(encoder)
    }

    fn operations(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        // If no relay is configured, the metrics of mails are zero.
        let about = "Attempts to send a mail, by outcome: the relay accepted the mail, the mail will be retried, the mail \
                     failed permanently, or its recipient may no longer receive it";
        let MailFigures { sent, put_off, failed, dropped } = self.engine.mail_figures().unwrap_or_default();
        let counts = [("sent", sent), ("put_off", put_off), ("failed", failed), ("dropped", dropped)];
        counter_by(encoder, "mails", about, "outcome", counts)?;
        let about =
            "Number of mails that are due or wait for a retry; numbers above 10,000 are shown as 10,000";
        gauge(encoder, "mails_waiting", about, self.waiting.mails.load(Ordering::Relaxed))?;
        let about = "1, with the version of the service";
        let mut build = encoder.encode_descriptor("build_info", about, None, MetricType::Gauge)?;
        build.encode_family(&[("version", env!("CARGO_PKG_VERSION"))])?.encode_gauge(&1_i64)?;
        let seconds = |at: Timestamp| at.millis() / 1_000;
        let about = "Earliest expiry of a certificate in a listener's chain, in Unix seconds";
        let name = "certificate_expiry_timestamp";
        let mut expiry = encoder.encode_descriptor(name, about, Some(&Unit::Seconds), MetricType::Gauge)?;
        for (listener, certificates) in &self.metrics.certificates {
            let until = seconds(certificates.valid_until());
            expiry.encode_family(&[("listener", *listener)])?.encode_gauge(&until)?;
        }
        let about = "Time of the newest complete backup, in seconds since 1970; 0 if there is none";
        let name = "newest_backup_timestamp";
        let newest = self.engine.newest_backup().map_or(0, seconds);
        encoder.encode_descriptor(name, about, Some(&Unit::Seconds), MetricType::Gauge)?.encode_gauge(&newest)
    }

    fn disk(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let (level, space) = self.engine.room();
        if let Some(space) = space {
            let free = usize::try_from(space.free).unwrap_or(usize::MAX);
            gauge(encoder, "disk_free_bytes", "Free space on the disk of the store", free)?;
        }
        for (name, about, from) in [
            ("disk_reserved", "1 while changes that enlarge the store are refused", RoomLevel::Scarce),
            (
                "disk_exhausted",
                "1 while only changes that stop or delete something are accepted",
                RoomLevel::Exhausted,
            ),
            ("disk_full", "1 while the disk is full and no change is accepted", RoomLevel::Full),
        ] {
            gauge(encoder, name, about, usize::from(level >= from))?;
        }
        Ok(())
    }
}

fn get_count(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

fn count_of(encoder: &mut MetricEncoder<'_>, count: u64) -> Result<(), Error> {
    encoder.encode_counter::<NoLabelSet, u64, f64>(&count, None)
}

fn counter(encoder: &mut DescriptorEncoder<'_>, name: &str, about: &str, count: u64) -> Result<(), Error> {
    count_of(&mut encoder.encode_descriptor(name, about, None, MetricType::Counter)?, count)
}

fn counter_by<'a>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    about: &str,
    label: &str,
    counts: impl IntoIterator<Item = (&'a str, u64)>,
) -> Result<(), Error> {
    let mut counter = encoder.encode_descriptor(name, about, None, MetricType::Counter)?;
    for (value, count) in counts {
        count_of(&mut counter.encode_family(&[(label, value)])?, count)?;
    }
    Ok(())
}

fn gauge(encoder: &mut DescriptorEncoder<'_>, name: &str, about: &str, value: usize) -> Result<(), Error> {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    encoder.encode_descriptor(name, about, None, MetricType::Gauge)?.encode_gauge(&value)
}

/// Writes a histogram whose values are divided by `scale`.
#[allow(clippy::cast_precision_loss, reason = "f64 represents these bounds and sums exactly")]
fn distribution(encoder: &mut MetricEncoder<'_>, read: &Distribution, scale: f64) -> Result<(), Error> {
    let mut buckets: Vec<(f64, u64)> =
        read.buckets.iter().map(|(bound, count)| (*bound as f64 / scale, *count)).collect();
    buckets.push((f64::MAX, read.above));
    encoder.encode_histogram::<NoLabelSet>(read.sum as f64 / scale, read.count(), &buckets, None)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::body::Body;
    use axum::http::{Method, Request, StatusCode};
    use http_body_util::BodyExt;
    use net::Ports;
    use store::DiskReserve;
    use tower::ServiceExt;

    use super::*;

    async fn scrape(metrics: &Arc<Metrics>, engine: &Engine) -> String {
        let request = Request::get("/metrics").body(Body::empty()).unwrap();
        let response = router(Arc::clone(metrics), engine.clone()).oneshot(request).await.unwrap();
        assert_eq!(response.headers()[header::CONTENT_TYPE], MEDIA_TYPE);
        String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    fn has(text: &str, line: &str) {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }

    #[tokio::test]
    async fn requests_are_counted_by_template_method_and_status() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), Ports::system().unwrap(), |_| {}).await.unwrap();
        engine.set_disk_reserve(DiskReserve::Bytes(0)); // the test must also pass on a nearly full disk
        let metrics = Arc::new(Metrics::new(["/v1/appointments/{appointment_id}"], vec![]));
        let answered = |route, method, status, micros| {
            let status = StatusCode::from_u16(status).unwrap();
            metrics.answered(route, &method, status, Duration::from_micros(micros));
        };
        let route = Some("/v1/appointments/{appointment_id}");
        answered(route, Method::GET, 200, 90);
        answered(route, Method::HEAD, 200, 900);
        answered(route, Method::GET, 418, 20_000_000);
        answered(Some("/v1/made-up"), Method::TRACE, 404, 1);
        answered(None, Method::TRACE, 404, 1);
        metrics.rate_limited.keys.fetch_add(3, Ordering::Relaxed);
        metrics.connections.refused.fetch_add(4, Ordering::Relaxed);
        metrics.connections.evicted.fetch_add(5, Ordering::Relaxed);

        let text = scrape(&metrics, &engine).await;
        let of =
            |rest: &str| format!(r#"{{route="/v1/appointments/{{appointment_id}}",method="GET",{rest}}}"#);
        has(&text, &format!("receptionist_http_requests_total{} 2", of(r#"status="200""#)));
        has(&text, &format!("receptionist_http_requests_total{} 1", of(r#"status="other""#)));
        has(&text, r#"receptionist_http_requests_total{route="unmatched",method="other",status="404"} 2"#);
        assert!(!text.contains("made-up"), "{text}");
        let bucket = "receptionist_http_request_duration_seconds_bucket";
        for (le, count) in [("0.0001", 1), ("0.001", 2), ("10.0", 2), ("+Inf", 3)] {
            let labels = format!(r#"{{le="{le}",route="/v1/appointments/{{appointment_id}}",method="GET"}}"#);
            has(&text, &format!("{bucket}{labels} {count}"));
        }
        has(&text, r#"receptionist_rate_limited_requests_total{by="key"} 3"#);
        has(&text, "receptionist_connections_refused_total 4");
        has(&text, "receptionist_connections_evicted_total 5");
        has(&text, "receptionist_log_lines_dropped_total 0");
        // The first start writes two changes. They are committed either together, with one sync, or separately, with
        // two syncs.
        has(&text, "receptionist_commit_changes_total 2");
        let commits = if text.contains("\nreceptionist_commits_total 1\n") { 1 } else { 2 };
        has(&text, &format!("receptionist_commits_total {commits}"));
        has(&text, &format!(r#"receptionist_commit_group_changes_bucket{{le="2.0"}} {commits}"#));
        has(&text, &format!("receptionist_sync_duration_seconds_count {commits}"));
        has(&text, "receptionist_webhooks_turned_off_total 0");
        has(&text, "receptionist_webhooks_missed_over_budget_total 0");
        has(&text, "receptionist_alerts_not_mailed_total 0");
        has(&text, r#"receptionist_webhook_attempts_total{outcome="delivered"} 0"#);
        has(&text, "receptionist_webhook_attempts_under_way 0");
        has(&text, "receptionist_webhooks_network_out 0");
        has(&text, "receptionist_webhook_endpoints_waiting 0");
        has(&text, "receptionist_running_businesses 0");
        has(&text, "receptionist_running_deliveries 0");
        has(&text, "receptionist_permits_available 16384");
        has(&text, "receptionist_permits_in_use 0");
        has(&text, "receptionist_store_failed 0");
        has(&text, "receptionist_store_sync_age_seconds 0.0");
        has(&text, "receptionist_store_rows_set_aside 0");
        has(&text, "receptionist_businesses_set_aside 0");
        has(&text, r#"receptionist_model_requests_total{result="answered"} 0"#);
        has(&text, "receptionist_model_first_token_seconds_count 0");
        has(&text, r#"receptionist_turn_seconds_count{channel="website"} 0"#);
        has(&text, r#"receptionist_gate_dropped_total{rule="claim"} 0"#);
        has(&text, r#"receptionist_unused_businesses_looked_at_total{had="nothing"} 0"#);
        has(&text, r#"receptionist_unused_businesses_looked_at_total{had="something"} 0"#);
        has(&text, r#"receptionist_backups_total{outcome="incomplete"} 0"#);
        has(&text, r#"receptionist_businesses_counted_total{result="different"} 0"#);
        has(&text, "receptionist_disk_reserved 0");
        has(&text, "receptionist_disk_exhausted 0");
        has(&text, "receptionist_disk_full 0");
        assert!(text.contains("\nreceptionist_disk_free_bytes "), "{text}");
        has(&text, "# TYPE receptionist_commits_total counter");
        has(&text, "# TYPE receptionist_http_request_duration_seconds histogram");
        assert!(text.ends_with('\n') && !text.contains("# EOF") && !text.contains("# UNIT"), "{text}");
        has(&text, &format!(r#"receptionist_build_info{{version="{}"}} 1"#, env!("CARGO_PKG_VERSION")));
        has(&text, "receptionist_newest_backup_timestamp_seconds 0");
        for name in
            ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"]
        {
            assert!(text.contains(&format!("\n{name} ")), "{name} is not in\n{text}");
        }
        engine.close().await.unwrap();
    }
}
