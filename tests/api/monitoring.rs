//! Compares the Prometheus rules and the Grafana dashboard in `.deploy` with the metrics of the service.
//!
//! If `promtool` and `prometheus` are not on `PATH`, the tests that need them print a note and pass. With
//! `REQUIRE_PROMETHEUS=1`, these tests fail instead.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

use crate::harness::Server;

const RULES: &str = ".deploy/prometheus-rules.yml";
const RULES_TEST: &str = "tests/api/monitoring.yml";
const DASHBOARD: &str = ".deploy/grafana-dashboard.json";
/// The maximum wait for Prometheus.
const PATIENCE: Duration = Duration::from_secs(60);

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Whether Prometheus is installed. Prints a note if it is not.
#[allow(clippy::print_stderr, reason = "prints which tests are skipped")]
fn has_prometheus() -> bool {
    let has = |name| Command::new(name).arg("--version").stderr(Stdio::null()).output().is_ok();
    if has("promtool") && has("prometheus") {
        return true;
    }
    assert!(
        std::env::var_os("REQUIRE_PROMETHEUS").is_none(),
        "REQUIRE_PROMETHEUS is set, but Prometheus is not installed"
    );
    eprintln!("skipped: the rules and metrics are not checked, because Prometheus is not on PATH");
    false
}

/// The body of the response, or `None` if the status is not 200. The request uses HTTP/1.0, so the response is
/// not chunked and ends with the connection.
async fn try_get(address: SocketAddr, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.0\r\nhost: localhost\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    head.contains(" 200 ").then(|| body.to_owned())
}

async fn get(address: SocketAddr, path: &str) -> String {
    try_get(address, path).await.unwrap_or_else(|| panic!("{path} did not return the status 200"))
}

async fn metrics(server: &Server) -> String {
    get(server.operator_of("").address, "/metrics").await
}

/// The query expressions of the dashboard's panels.
fn panels() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(&file(DASHBOARD)).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    targets.map(|target| target["expr"].as_str().unwrap().replace("$__rate_interval", "1m")).collect()
}

#[tokio::test]
async fn every_metric_of_the_rules_and_of_the_dashboard_is_served() {
    let text = metrics(&Server::open().await).await;
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let served: BTreeSet<String> = types
        .flat_map(|(name, kind)| {
            let parts: &[&str] = if kind == "histogram" { &["", "_bucket", "_sum", "_count"] } else { &[""] };
            parts.iter().map(move |part| format!("{name}{part}"))
        })
        .collect();
    for (path, text) in [(RULES, file(RULES)), (DASHBOARD, panels().join("\n"))] {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_metric = |word: &&str| word.starts_with("receptionist_") || word.starts_with("process_");
        let named: BTreeSet<String> = words.filter(is_metric).map(str::to_owned).collect();
        assert!(!named.is_empty());
        let missing: Vec<_> = named.difference(&served).collect();
        assert!(missing.is_empty(), "{path} uses metrics that do not exist: {missing:?}");
    }
}

#[tokio::test]
async fn promtool_accepts_the_metrics_and_the_rules() {
    if !has_prometheus() {
        return;
    }
    let server = Server::open().await;
    server.salon().await.get("/services").await.is(200);
    let metrics = metrics(&server).await;
    for arguments in
        [["check", "metrics"].as_slice(), &["check", "rules", RULES], &["test", "rules", RULES_TEST]]
    {
        let mut promtool = Command::new("promtool");
        promtool.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
        promtool.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut promtool = promtool.spawn().unwrap();
        // A subcommand of `promtool` that reads no metrics may end before the test has written all metrics,
        // so a failed write is ignored.
        let _ = promtool.stdin.take().unwrap().write_all(metrics.as_bytes());
        let ended = promtool.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "promtool {arguments:?}: {said}");
    }
}

/// A Prometheus server that scrapes the service. Its process is killed on drop.
struct Prometheus {
    process: Child,
    address: SocketAddr,
    _directory: tempfile::TempDir,
}

impl Prometheus {
    fn start(service: SocketAddr) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name).display().to_string();
        let config = json!({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [Path::new(env!("CARGO_MANIFEST_DIR")).join(RULES)],
            "scrape_configs": [{"job_name": "receptionist", "static_configs": [{"targets": [service.to_string()]}]}],
        });
        std::fs::write(place("prometheus.yml"), config.to_string()).unwrap();
        let mut process = Command::new("prometheus")
            .arg(format!("--config.file={}", place("prometheus.yml")))
            .arg(format!("--storage.tsdb.path={}", place("data")))
            .arg("--web.listen-address=127.0.0.1:0")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.split_once("\"Listening on\" address=")?.1.parse().ok());
        // Prometheus stops if its output is not read.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address: address.expect("Prometheus listens"), _directory: directory }
    }

    async fn query(&self, expression: &str) -> Value {
        let url = Url::parse_with_params("http://localhost/api/v1/query", [("query", expression)]).unwrap();
        let answer = get(self.address, &url.as_str()["http://localhost".len()..]).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        answer["data"]["result"].clone()
    }

    /// The alerting rules with their state. The state shows whether Prometheus has evaluated the rule.
    async fn rules(&self) -> Vec<Value> {
        let answer: Value = serde_json::from_str(&get(self.address, "/api/v1/rules").await).unwrap();
        let groups = answer["data"]["groups"].as_array().unwrap().iter();
        groups.flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn prometheus_evaluates_every_rule_and_every_panel_on_the_running_service() {
    if !has_prometheus() {
        return;
    }
    let server = Server::open().await;
    let prometheus = Prometheus::start(server.operator_of("").address);
    let evaluated = async {
        while try_get(prometheus.address, "/-/ready").await.is_none() {}
        let up = |found: &Value| found[0]["value"][1] == "1";
        while !up(&prometheus.query("up{job=\"receptionist\"}").await) {}
        loop {
            let rules = prometheus.rules().await;
            assert!(!rules.iter().any(|rule| rule["health"] == "err"), "{rules:?}");
            if !rules.is_empty() && rules.iter().all(|rule| rule["health"] == "ok") {
                return rules;
            }
        }
    };
    let rules = tokio::time::timeout(PATIENCE, evaluated)
        .await
        .expect("Prometheus did not evaluate the rules in time");
    let tested = file(RULES_TEST);
    for rule in rules {
        let name = rule["name"].as_str().unwrap();
        assert!(tested.contains(&format!("alertname=\"{name}\"")), "{RULES_TEST} has no test of {name}");
        for text in ["summary", "description"] {
            assert!(rule["annotations"][text].is_string(), "{name} has no {text}");
        }
    }
    for expression in panels() {
        assert!(prometheus.query(&expression).await.is_array(), "{expression}");
    }
}
