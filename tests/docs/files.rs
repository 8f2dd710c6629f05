//! Functions that read the files of the documentation, run the program, and request pages of the service.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use axum::body::Body;
use axum::http::Request;
use engine::Engine;
use http_body_util::BodyExt;
use net::Ports;
use receptionist::app::App;
use receptionist::config::{AdminToken, RateLimits};
use receptionist::{docs, service};
use tower::ServiceExt;

pub(crate) fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

/// The paths of the topics and of the README, relative to the repository.
pub(crate) fn files() -> Vec<String> {
    let topics = docs::topics().map(|topic| format!("src/docs/topics/{}.md", topic.name));
    topics.chain(["README.md".to_owned()]).collect()
}

pub(crate) fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap()
}

/// Runs the program without a terminal.
pub(crate) fn run(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_receptionist")).args(words).env_clear().output().unwrap()
}

/// The output of a command that must succeed.
pub(crate) fn printed(words: &[&str]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The public listener and the operator listener of a service, which the tests call without sockets.
pub(crate) struct Served {
    pub(crate) public: App,
    pub(crate) operator: App,
    _dir: tempfile::TempDir,
}

impl Served {
    pub(crate) async fn open() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::open(dir.path(), Ports::system().unwrap(), |_| {}).await.unwrap();
        let rate_limits = RateLimits { key: NonZeroU32::MAX, person: NonZeroU32::MAX };
        let stopping = tokio::sync::watch::channel(false).1;
        let token = AdminToken::new("for-operators-only").unwrap();
        let (public, operator) = service::apps(&engine, &token, rate_limits, stopping);
        Self { public, operator, _dir: dir }
    }
}

pub(crate) async fn get(app: &App, path: &str) -> (u16, String) {
    let request = Request::get(path).header("host", "localhost").body(Body::empty()).unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8_lossy(&body).into_owned())
}

/// The values of this attribute in a page.
pub(crate) fn attributes(page: &str, name: &str) -> Vec<String> {
    let opening = format!(" {name}=\"");
    let parts = page.split(&opening).skip(1);
    parts.filter_map(|part| Some(part.split_once('"')?.0.replace("&amp;", "&"))).collect()
}
