//! A test that completes tasks of the team without scripts. It uses only links and forms on the pages that it
//! has received.

use serde_json::json;

use crate::day_salon::{Salon, key};
use crate::harness::{Browser, Page};

/// A person who reads a page in a browser without scripts.
struct Reader {
    browser: Browser,
    page: Page,
}

impl Reader {
    async fn open(mut browser: Browser, path: &str) -> Self {
        let page = browser.get(path).await.is(200);
        Self { browser, page }
    }

    /// Follows the first link whose address contains this text.
    async fn follow(&mut self, part: &str) {
        self.page = self.browser.get(&self.page.link(part)).await.is(200);
    }

    /// Follows the first link with this text.
    async fn follow_text(&mut self, text: &str) {
        let link = self.page.tags().into_iter().find(|tag| tag.name == "a" && tag.text.trim() == text);
        let link = link.unwrap_or_else(|| panic!("there is no link {text:?}: {}", self.page.text()));
        self.page = self.browser.get(link.get("href").unwrap()).await.is(200);
    }

    /// Searches for a text with the search form that has this action. The form must have only the field `q`.
    async fn search(&mut self, action: &str, text: &str) {
        let form = self.page.forms().into_iter().find(|form| form.action == action && form.method == "get");
        assert!(form.is_some_and(|form| form.controls == ["q"]), "{action}: {}", self.page.body);
        let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        self.page = self.browser.get(&format!("{action}?q={text}")).await.is(200);
    }

    /// Sends the form with this action, and opens the page to which the response redirects, if any.
    async fn send(&mut self, action: &str, fields: &[(&str, &str)]) {
        let sent = self.browser.submit(&self.page, action, fields).await;
        self.page = match sent.status {
            303 => self.browser.get(sent.header("location")).await.is(200),
            _ => sent.is(200),
        };
    }

    /// The first time that the page offers.
    fn first_time(&self) -> String {
        let tags = self.page.tags();
        let times = tags.iter().filter(|tag| tag.name == "input" && tag.get("name") == Some("starts_at"));
        let mut times = times.filter_map(|tag| tag.get("value")).filter(|time| *time != "other");
        times.next().unwrap_or_else(|| panic!("the page offers no time: {}", self.page.text())).to_owned()
    }

    fn says(&self, text: &str) {
        assert!(self.page.text().contains(text), "{text:?} is missing in {}", self.page.text());
    }
}

#[tokio::test]
async fn the_team_reads_books_moves_and_cancels_from_every_page_without_scripts() {
    let salon = Salon::open().await;
    let contact = json!({ "name": "Ada Martin", "phone": "+33612345678" });
    let contact = key(&salon.operator("POST", "/contacts", contact).await);
    let [new, search] = ["appointments/new", "search"].map(|path| salon.to(path));
    let mut reader = Reader::open(salon.member.clone(), &salon.to("today")).await;
    for (view, book) in [
        ("/today", "/appointments/new"),
        ("view=day", "&time="),
        ("view=week", "/appointments/new"),
        ("view=month", "/appointments/new"),
        ("view=list", "/appointments/new"),
        ("/contacts/", "/appointments/new"),
    ] {
        // The person opens the view.
        match view {
            "/today" => reader.follow("/today").await,
            "/contacts/" => {
                reader.search(&search, "ada mar").await;
                reader.follow(&format!("/contacts/{contact}")).await;
            }
            _ => {
                reader.follow("/calendar").await;
                reader.follow(view).await;
            }
        }
        // The person books: searches for the contact, chooses a day and selects a time.
        reader.follow(book).await;
        if view != "/contacts/" {
            reader.send(&new, &[("show", "contacts"), ("q", "Ada Martin")]).await;
        }
        assert_eq!(reader.page.field(&new, "who"), contact, "{view}");
        reader.send(&new, &[("day", "2026-03-04")]).await;
        let time = reader.first_time();
        reader.send(&new, &[("starts_at", &time)]).await;
        reader.says("Booked.");
        reader.follow_text("Open the appointment").await;
        let path = reader.page.what.strip_prefix("GET ").unwrap().to_owned();
        let id = path.rsplit('/').next().unwrap().to_owned();
        let booked = salon.appointment(&id).await;
        assert_eq!((&booked["starts_at"], &booked["contact_id"]), (&json!(time), &json!(contact)), "{view}");
        // The person moves the appointment to the next day.
        reader.follow(&format!("{path}/move")).await;
        reader.send(&format!("{path}/move"), &[("day", "2026-03-05")]).await;
        let time = reader.first_time();
        reader.send(&format!("{path}/move"), &[("starts_at", &time)]).await;
        reader.says("Moved.");
        assert_eq!(salon.appointment(&id).await["starts_at"], json!(time), "{view}");
        // The person finds the appointment again, and cancels it.
        reader.search(&search, "ada mar").await;
        reader.follow(&path).await;
        reader.follow(&format!("{path}/cancel")).await;
        reader.send(&format!("{path}/cancel"), &[]).await;
        reader.says("Cancelled. The time is open again.");
        assert_eq!(salon.appointment(&id).await["status"], "cancelled", "{view}");
    }
}
