//! A browser window that opens a booking page and its forms, and tests of their appearance.

use std::path::PathBuf;

use crate::axe::{axe, violations};
use crate::window::{Looks, Window, window};

const LOCALES: [&str; 2] = ["en", "fr"];
/// The widths at which every page is checked, in light and dark mode. The first is the narrowest screen that
/// WCAG 1.4.10 requires.
const WIDTHS: [u32; 3] = [320, 768, 1280];

pub(crate) struct Checks {
    pub(crate) window: Window,
    axe: Option<String>,
    /// The directory for pictures of the pages.
    pictures: Option<PathBuf>,
    wrong: Vec<String>,
}

impl Checks {
    /// A window for the service at this origin, or `None` without a browser.
    pub(crate) async fn open(origin: &str) -> Option<Self> {
        let window = window(origin).await?;
        let pictures = std::env::var_os("BOOK_PICTURES").map(PathBuf::from);
        Some(Self { window, axe: axe(), pictures, wrong: Vec::new() })
    }

    /// Opens a page in each language and checks it.
    pub(crate) async fn page(&mut self, name: &str, path: &str, status: u16) {
        self.after(name, path, status, ("", "main")).await;
    }

    /// Opens a page in each language, submits its first form after this script has changed the fields, and
    /// checks the response.
    pub(crate) async fn refusal(&mut self, name: &str, path: &str, status: u16, change: &str) {
        let submit = format!(
            "const form = document.forms[0], fields = form.elements; {change}; form.noValidate = true; \
             form.requestSubmit()"
        );
        self.after(name, path, status, (&submit, ".notice:focus")).await;
    }

    /// Opens a page in each language, runs a script, waits for an element, and checks the page.
    pub(crate) async fn after(&mut self, name: &str, path: &str, status: u16, (script, css): (&str, &str)) {
        let joint = if path.contains('?') { '&' } else { '?' };
        for locale in LOCALES {
            self.window.goto(&format!("{path}{joint}locale={locale}")).await;
            self.window.run(script).await;
            self.window.find(css).await;
            let lang = self.window.run("return document.documentElement.lang").await;
            let name = format!("{name}-{locale}");
            assert_eq!(lang, *locale, "{name}");
            self.check(&name, status).await;
        }
    }

    async fn check(&mut self, name: &str, status: u16) {
        // The console of the browser reports a response with an error status, which is expected here.
        let reported = format!("status of {status}");
        for complaint in self.window.complaints().await {
            if status == 200 || !complaint.contains(&reported) {
                self.wrong.push(format!("{name}: {complaint}"));
            }
        }
        let open =
            "for (const one of document.querySelectorAll('details')) { one.name = ''; one.open = true; }";
        self.window.run(open).await;
        for looks in WIDTHS.into_iter().flat_map(|width| [false, true].map(|dark| Looks { width, dark })) {
            let page = format!("{name}-{}-{}", looks.width, if looks.dark { "dark" } else { "light" });
            self.window.look(looks).await;
            let over = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
            if self.window.run(over).await.as_i64() > Some(0) {
                self.wrong.push(format!("{page} is wider than the window"));
            }
            if let Some(to) = &self.pictures {
                std::fs::write(to.join(format!("{page}.png")), self.window.picture().await).unwrap();
            }
            // The accessibility checker axe is slow. It checks both modes at the narrowest width, but only one mode
            // at each other width.
            let is_checked = looks.width == WIDTHS[0] || looks.dark == (looks.width == WIDTHS[1]);
            if let (Some(axe), true) = (&self.axe, is_checked) {
                let found = violations(&self.window, axe).await;
                self.wrong.extend(found.into_iter().map(|one| format!("{page}: {one}")));
            }
        }
    }

    pub(crate) async fn close(self) {
        self.window.close().await;
        assert_eq!(self.wrong, [""; 0], "{}", self.wrong.join("\n"));
    }
}
