//! A window of Chromium, which the tests control through WebDriver.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::{Value, json};
use url::Url;

/// The time limit for a change on a page.
const PATIENCE: Duration = Duration::from_secs(30);

/// A script that ends when the page shows the text in its first argument.
const SEES: &str = "
    const [text, done] = arguments;
    const sees = () => (document.body?.innerText ?? '').includes(text);
    if (sees()) return done();
    const seen = new MutationObserver(() => { if (sees()) { seen.disconnect(); done(); } });
    seen.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
";

/// A script that ends when the scripts of the page have run. Before that, the page ignores its shortcuts.
const RUNS: &str = "
    const [done] = arguments, script = document.querySelector('script[type=module]');
    if (script) import(script.src).then(() => done(), () => done()); else done();
";

/// The maximum number of attempts to start the driver. An attempt fails if the driver ends immediately.
const STARTS_MAX: usize = 5;

/// The process that controls Chromium. It is ended on drop.
struct Driver {
    process: Child,
    address: String,
}

impl Driver {
    /// Starts the driver. If another driver takes its port at the same moment, the driver ends, and the
    /// function starts it again.
    fn start() -> Option<Self> {
        (0..STARTS_MAX).find_map(|_| Self::try_start())
    }

    fn try_start() -> Option<Self> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let said = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = said.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.rsplit_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let address = port.map(|port| format!("http://127.0.0.1:{port}"));
        let driver = Self { process, address: address.clone().unwrap_or_default() };
        address.map(|_| driver)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // On SIGTERM, the driver also ends its browser. After SIGKILL, the browser would continue to run.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

pub(super) struct Window {
    client: Client,
    origin: String,
    _driver: Driver,
}

/// The appearance of a window: its width, and whether it is in dark mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looks {
    pub(super) width: u32,
    pub(super) dark: bool,
}

/// Opens a window for the service at this origin. Without a browser, the function fails if `REQUIRE_BROWSER` is set.
/// If it is not set, the function prints a line and returns `None`.
pub(super) async fn window(origin: &str) -> Option<Window> {
    let required = std::env::var_os("REQUIRE_BROWSER").is_some();
    let has_browser = ["chromium", "chromium-browser", "google-chrome"].iter().any(|name| {
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    });
    let skipped = |why: &str| {
        assert!(!required, "REQUIRE_BROWSER is set, but {why}");
        eprintln!("skipped: pages are not tested in a browser, because {why}");
    };
    let Some(driver) = Driver::start().filter(|_| has_browser) else {
        skipped("there is no chromium with chromedriver on PATH");
        return None;
    };
    let options = json!({ "args": [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--disable-background-networking", "--disable-component-update", "--no-first-run",
    ] });
    let capabilities: Capabilities = [
        ("goog:chromeOptions".to_owned(), options),
        ("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" })),
    ]
    .into_iter()
    .collect();
    let client = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
        .capabilities(capabilities)
        .connect(&driver.address)
        .await;
    let client = match client {
        Ok(client) => client,
        Err(error) => {
            skipped(&format!("chromium does not start: {error}"));
            return None;
        }
    };
    let window = Window { client, origin: origin.to_owned(), _driver: driver };
    window.look(Looks { width: 1440, dark: false }).await;
    Some(window)
}

/// A WebDriver command that is not in the standard. Only Chromium's driver has it.
#[derive(Debug)]
struct Own {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Own {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

impl Window {
    /// Sets the appearance of the window.
    pub(super) async fn look(&self, looks: Looks) {
        let Looks { width, dark } = looks;
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.tools("Emulation.setDeviceMetricsOverride", metrics).await;
        let scheme = if dark { "dark" } else { "light" };
        let features = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ] });
        self.tools("Emulation.setEmulatedMedia", features).await;
    }

    /// Disables scripts in pages.
    pub(super) async fn without_script(&self) {
        self.tools("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
    }

    /// Counts the documents that the window loads from now on. The count is in the session storage of their origin.
    #[allow(dead_code, reason = "only the tests of the dashboard count page loads")]
    pub(super) async fn count_loads(&self) {
        let source = "if (window === top)
            try { sessionStorage.loads = 1 + Number(sessionStorage.loads ?? 0); } catch {}";
        self.tools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
    }

    /// Advances the clock of the page, so that the timers of the page run without a wait. Afterwards the clock
    /// of the page is stopped.
    #[allow(dead_code, reason = "only the tests of the dashboard have timers")]
    pub(super) async fn advance_timers(&self, by: Duration) {
        let policy = json!({ "policy": "advance", "budget": by.as_millis() });
        self.tools("Emulation.setVirtualTimePolicy", policy).await;
    }

    /// Sets the time zone of the visitor for the pages that are loaded from now on.
    #[allow(dead_code, reason = "only the tests of the booking page have visitors in other zones")]
    pub(super) async fn in_zone(&self, zone: &str) {
        self.tools("Emulation.setTimezoneOverride", json!({ "timezoneId": zone })).await;
    }

    async fn tools(&self, cmd: &str, params: Value) {
        let body = json!({ "cmd": cmd, "params": params });
        self.client.issue_cmd(Own { path: "goog/cdp/execute", body }).await.unwrap();
    }

    /// Sends a mouse event at a point of the window: `mousePressed`, `mouseMoved` or `mouseReleased`.
    #[allow(dead_code, reason = "only the tests of the dashboard drag")]
    pub(super) async fn mouse(&self, kind: &str, (x, y): (f64, f64)) {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.tools("Input.dispatchMouseEvent", event).await;
    }

    /// Clicks the middle of an element. The click goes to the topmost element at that point.
    #[allow(dead_code, reason = "only the tests of the dashboard have links over other elements")]
    pub(super) async fn click_middle(&self, css: &str) {
        self.find(css).await;
        let quoted = json!(css);
        self.run(&format!("document.querySelector({quoted}).scrollIntoView({{ block: 'center' }})")).await;
        let at = self.middle(css).await;
        self.mouse("mousePressed", at).await;
        self.mouse("mouseReleased", at).await;
    }

    /// Sends a touch event: `touchStart`, `touchMove` or `touchEnd`.
    #[allow(dead_code, reason = "only the tests of the dashboard drag")]
    pub(super) async fn touch(&self, kind: &str, at: Option<(f64, f64)>) {
        let points: Vec<_> = at.into_iter().map(|(x, y)| json!({ "x": x, "y": y })).collect();
        self.tools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points })).await;
    }

    /// The middle of the first element that matches this selector.
    #[allow(dead_code, reason = "only the tests of the dashboard drag")]
    pub(super) async fn middle(&self, css: &str) -> (f64, f64) {
        let css = serde_json::to_string(css).unwrap();
        let script = format!(
            "const box = document.querySelector({css}).getBoundingClientRect();
             return [box.left + box.width / 2, box.top + box.height / 2]"
        );
        let at = self.run(&script).await;
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    }

    /// Sets a cookie.
    pub(super) async fn set_cookie(&self, name: &str, value: &str) {
        let cookie = json!({ "name": name, "value": value, "url": self.origin, "httpOnly": true });
        self.tools("Network.setCookie", cookie).await;
    }

    pub(super) async fn goto(&self, path: &str) {
        self.client.goto(&format!("{}{path}", self.origin)).await.unwrap();
    }

    /// Makes the first frame of the page the current page.
    #[allow(dead_code, reason = "only the tests of the booking page have frames")]
    pub(super) async fn enter_frame(&self) {
        self.client.enter_frame(0).await.unwrap();
    }

    #[allow(dead_code, reason = "only the tests of the booking page have frames")]
    pub(super) async fn leave_frame(&self) {
        self.client.enter_parent_frame().await.unwrap();
    }

    /// The path of the current page, with its query.
    pub(super) async fn path(&self) -> String {
        let url = self.client.current_url().await.unwrap();
        url.as_str().strip_prefix(&self.origin).unwrap_or(url.as_str()).to_owned()
    }

    /// The visible text of the current page.
    pub(super) async fn text(&self) -> String {
        // While the browser changes to another page, there may be no body.
        let text = self.client.execute("return document.body?.innerText ?? ''", Vec::new()).await;
        text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Waits until the page shows this text. A script in the page checks the text after every change.
    pub(super) async fn sees(&self, text: &str) {
        if let Err(error) = self.patiently(SEES, vec![json!(text)]).await {
            let (path, shown) = (self.path().await, self.text().await);
            panic!("{path} does not show {text:?}: {error}: {:?}: {shown}", self.complaints().await);
        }
    }

    /// Runs a script until it ends without an error. The script fails at the browser's own timeout, and also when
    /// another page is loaded. The function then runs the script again.
    async fn patiently(&self, script: &str, given: Vec<Value>) -> Result<Value, CmdError> {
        let begun = Instant::now();
        loop {
            let ended = self.client.execute_async(script, given.clone()).await;
            if ended.is_ok() || begun.elapsed() >= PATIENCE {
                return ended;
            }
        }
    }

    /// The first element that matches this selector.
    pub(super) async fn find(&self, css: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await;
        match found {
            Ok(found) => found,
            Err(error) => panic!("{} has no {css}: {error}: {}", self.path().await, self.text().await),
        }
    }

    /// Clicks the first element that matches this selector. If a live update removes this element before the click, the
    /// function finds the element again.
    #[allow(dead_code, reason = "only the tests of the dashboard have live updates")]
    pub(super) async fn click(&self, css: &str) {
        let begun = Instant::now();
        loop {
            let element = self.find(css).await;
            let shown = vec![serde_json::to_value(&element).unwrap()];
            let shown = self.client.execute("arguments[0].scrollIntoView({ block: 'center' })", shown).await;
            let clicked = match shown {
                Ok(_) => element.click().await,
                Err(error) => Err(error),
            };
            match clicked {
                Ok(()) => return,
                Err(error) if error.is_stale_element_reference() && begun.elapsed() < PATIENCE => {}
                Err(error) => panic!("{css} cannot be clicked: {error}"),
            }
        }
    }

    /// Replaces the text in a field.
    pub(super) async fn fill(&self, name: &str, value: &str) {
        let field = self.find(&format!("main [name='{name}']:not([type=hidden])")).await;
        field.clear().await.unwrap();
        field.send_keys(value).await.unwrap();
    }

    /// Selects an option of a list.
    pub(super) async fn choose(&self, name: &str, value: &str) {
        let field = self.find(&format!("main select[name='{name}']")).await;
        field.select_by_value(value).await.unwrap();
    }

    /// Ticks a checkbox or radio button.
    pub(super) async fn tick(&self, name: &str, value: &str) {
        let css = format!("main input[name='{name}'][value='{value}']");
        let input = self.find(&css).await;
        // Only the label of a radio button is visible, so a script clicks the input.
        self.client
            .execute("arguments[0].click()", vec![serde_json::to_value(input).unwrap()])
            .await
            .unwrap();
    }

    /// Clicks the button or link with this name.
    pub(super) async fn press(&self, name: &str) {
        let path = format!(
            "//main//button[normalize-space()={quoted} or starts-with(normalize-space(),{quoted})]\
             |//main//a[normalize-space()={quoted} or starts-with(normalize-space(),{quoted})]",
            quoted = quoted(name)
        );
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::XPath(&path)).await;
        let Ok(found) = found else {
            panic!("{} has no button {name:?}: {}", self.path().await, self.text().await);
        };
        self.client
            .execute(
                "arguments[0].scrollIntoView({block:'center'})",
                vec![serde_json::to_value(&found).unwrap()],
            )
            .await
            .unwrap();
        found.click().await.unwrap();
    }

    pub(super) async fn run(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    /// Runs a script. The last argument of the script is a function that the script calls with its result.
    pub(super) async fn run_async(&self, script: &str) -> Value {
        self.client.execute_async(script, Vec::new()).await.unwrap()
    }

    /// Waits until the scripts of the page have run.
    pub(super) async fn ready(&self) {
        if let Err(error) = self.patiently(RUNS, Vec::new()).await {
            panic!("the scripts of {} do not run: {error}: {:?}", self.path().await, self.complaints().await);
        }
    }

    /// Sends keys to the focused element, when the scripts of the page have run.
    pub(super) async fn keys(&self, keys: &str) {
        self.keys_holding("", keys).await;
    }

    /// Sends keys like [`Self::keys`] while other keys, for example Shift, are held down.
    pub(super) async fn keys_holding(&self, held: &str, keys: &str) {
        self.ready().await;
        // The browser sends each key to the element that has the focus at that moment. The test does not name
        // an element, because the page may replace it in the meantime.
        let down = |keyboard: KeyActions, value| keyboard.then(KeyAction::Down { value });
        let up = |keyboard: KeyActions, value| keyboard.then(KeyAction::Up { value });
        let holding = held.chars().fold(KeyActions::new("keyboard".to_owned()), down);
        let pressed = keys.chars().fold(holding, |keyboard, value| up(down(keyboard, value), value));
        self.client.perform_actions(held.chars().fold(pressed, up)).await.unwrap();
    }

    /// The messages of the browser since the last call: violations of the content security policy, missing
    /// files, and script errors.
    pub(super) async fn complaints(&self) -> Vec<String> {
        let log =
            self.client.issue_cmd(Own { path: "se/log", body: json!({ "type": "browser" }) }).await.unwrap();
        let entries = log.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        severe.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// A screenshot of the window.
    pub(super) async fn picture(&self) -> Vec<u8> {
        self.client.screenshot().await.unwrap()
    }

    pub(super) async fn close(self) {
        self.client.close().await.unwrap();
    }
}

/// The text as an XPath string literal.
fn quoted(text: &str) -> String {
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}
