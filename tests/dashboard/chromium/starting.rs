//! Tests of the first steps of a new business in a browser: the owner chooses a starting set for a trade, adds
//! a staff member, and books one of the services of the set.

use domain::Locale;
use serde_json::{Value, json};

use super::axe::{axe, violations};
use super::keyboard::{ENTER, tab_to};
use super::pages::take_over;
use super::window::{Looks, Window, window};
use crate::harness::{Person, Server};

/// A starting set, the service that is booked, and texts of the pages.
struct Set {
    trade: &'static str,
    locale: Locale,
    title: &'static str,
    hours: &'static str,
    customer: &'static str,
    /// Two services of the set. The first text of a pair is the name of the service. The second text is its duration
    /// and price, as the page shows them. The test books the first service.
    services: [(&'static str, &'static str); 2],
    count: usize,
    /// The first day on which the business is open.
    first_day: &'static str,
}

const SETS: [Set; 4] = [
    Set {
        trade: "hair",
        locale: Locale::En,
        title: "Hair salon",
        hours: "Tuesday to Saturday, 09:00 – 18:00",
        customer: "Client",
        services: [("Blow-dry", "30 min\t€30"), ("Colour", "90 min\t€70")],
        count: 6,
        first_day: "2026-03-03",
    },
    Set {
        trade: "dentist",
        locale: Locale::Fr,
        title: "Cabinet dentaire",
        hours: "Lundi à vendredi, 09:00 – 18:00",
        customer: "Patient",
        services: [("Détartrage", "45 min\t75 €"), ("Première consultation", "45 min\t60 €")],
        count: 5,
        first_day: "2026-03-02",
    },
    Set {
        trade: "physio",
        locale: Locale::Fr,
        title: "Kinésithérapie",
        hours: "Lundi à vendredi, 09:00 – 18:00",
        customer: "Patient",
        services: [("Séance", "30 min\t40 €"), ("Premier bilan", "60 min\t65 €")],
        count: 4,
        first_day: "2026-03-02",
    },
    Set {
        trade: "garage",
        locale: Locale::En,
        title: "Garage",
        hours: "Monday to Friday, 09:00 – 18:00",
        customer: "Client",
        services: [("Oil change", "60 min\t€90"), ("Brakes", "120 min\t€190")],
        count: 5,
        first_day: "2026-03-02",
    },
];

impl Set {
    fn says<'a>(&self, english: &'a str, french: &'a str) -> &'a str {
        if self.locale == Locale::Fr { french } else { english }
    }

    fn is_practice(&self) -> bool {
        self.locale == Locale::Fr && self.customer == "Patient"
    }
}

/// A new business without hours, services and staff members, whose owner uses the window.
struct New<'a> {
    server: &'a Server,
    window: &'a Window,
    id: String,
    by_keyboard: bool,
}

impl<'a> New<'a> {
    async fn begin(server: &'a Server, window: &'a Window, set: &Set, by_keyboard: bool) -> Self {
        let business = json!({ "name": set.title, "timezone": "Europe/Paris", "phone_region": "FR", "locale": set.locale });
        let business = server.operator("POST", "/businesses", business).await;
        let id = business["id"].as_str().unwrap().to_owned();
        let of = |path: &str| format!("/businesses/{id}/{path}");
        let owner =
            json!({ "email": format!("{}@example.com", set.trade), "role": "owner", "locale": set.locale });
        let owner = server.operator("POST", &of("people"), owner).await;
        let owner = Person { id: owner["id"].as_str().unwrap().to_owned(), link: String::new() };
        server.operator("PATCH", &of(&format!("people/{}", owner.id)), json!({ "status": "active" })).await;
        take_over(window, &server.signed_in(&id, &owner).await).await;
        window.goto(&format!("/dashboard/b/{id}/today")).await;
        Self { server, window, id, by_keyboard }
    }

    /// Activates a link or button, or moves the focus into a field.
    async fn goes(&self, css: &str) {
        if self.by_keyboard {
            tab_to(self.window, css).await;
            self.window.keys(ENTER).await;
        } else {
            self.window.click(css).await;
        }
    }

    async fn types(&self, css: &str, text: &str) {
        if self.by_keyboard {
            tab_to(self.window, css).await;
            self.window.keys(text).await;
        } else {
            self.window.find(css).await.send_keys(text).await.unwrap();
        }
    }

    async fn meets_wcag(&self) {
        if let Some(axe) = axe() {
            assert_eq!(violations(self.window, &axe).await, [""; 0], "{}", self.window.path().await);
        }
        let over = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
        assert_eq!(self.window.run(over).await, 0, "{}", self.window.path().await);
    }

    /// Checks a page after the set was created. The pages of a French practice must not contain the words `prestation`
    /// and `client`.
    async fn is_right(&self, set: &Set) {
        self.meets_wcag().await;
        if set.is_practice() {
            let text = self.window.text().await.to_lowercase();
            for word in ["prestation", "client"] {
                assert!(!text.contains(word), "{word}: {} {text}", self.window.path().await);
            }
        }
    }

    async fn get(&self, path: &str) -> Value {
        self.server.operator("GET", &format!("/businesses/{}{path}", self.id), Value::Null).await
    }
}

/// Carries out all first steps of a new business, once with each starting set.
async fn start_with_each_set(by_keyboard: bool, looks: [Looks; 4]) {
    let server = Server::open().await;
    let Some(window) = window(&server.origin()).await else { return };
    for (set, looks) in SETS.iter().zip(looks) {
        window.look(looks).await;
        let new = New::begin(&server, &window, set, by_keyboard).await;
        new.goes("main a[href$='/settings/services/start']").await;
        window.sees(set.title).await;
        new.meets_wcag().await;
        let shown = format!(
            "const set = document.getElementById('set-{}').closest('section');
             const rows = [...set.querySelectorAll('tbody tr')].map(row => [...row.cells].map(one => one.textContent));
             return [rows.length, rows.map(([name, ...others]) => [name, others.join('\\t').replaceAll('\\u00a0', ' ')]), set.innerText]",
            set.trade
        );
        let shown = window.run(&shown).await;
        assert_eq!(shown[0], set.count);
        for service in set.services {
            let rows = shown[1].as_array().unwrap();
            assert!(rows.contains(&json!(service)), "{service:?} in {shown}");
        }
        let text = shown[2].as_str().unwrap();
        assert!(text.contains(set.hours) && text.contains(set.customer), "{text}");
        new.goes(&format!("button[name=trade][value={}]", set.trade)).await;

        // The list of services says that none of them can be booked yet, and leads to the next step.
        window.sees(set.says("Not bookable", "Non réservable")).await;
        for (name, _) in set.services {
            window.sees(name).await;
        }
        window.sees(set.says("Services", "Actes")).await;
        new.is_right(set).await;
        new.goes("main .notice a[href$='/today']").await;
        new.goes("main .steps a.first[href$='/settings/staff']").await;
        new.goes("main a[href$='/settings/staff/new']").await;
        let ticked = "return document.querySelectorAll('main [name=service_ids]:checked').length";
        window.find("main [name=service_ids]").await;
        assert_eq!(window.run(ticked).await, set.count, "a new staff member offers all services");
        new.is_right(set).await;
        new.types("main [name=name]", "Inès").await;
        new.goes("main .does-form button.first").await;
        window.sees(set.says("During opening hours", "Aux horaires de l’établissement")).await;
        new.goes("main .notice a[href$='/today']").await;

        // The owner books a service that the chosen set has created, at the first free time.
        new.goes("main .steps a.first[href$='/appointments/new']").await;
        window.find("dialog.beside[open] [name=q]").await;
        new.is_right(set).await;
        if by_keyboard {
            tab_to(&window, "dialog [name=service]").await;
            window.keys(set.services[0].0).await;
        } else {
            let choose = format!(
                "const field = document.querySelector('dialog [name=service]');
                 field.value = [...field.options].find(one => one.text.startsWith('{}')).value;
                 field.dispatchEvent(new Event('input', {{ bubbles: true }}));",
                set.services[0].0
            );
            window.run(&choose).await;
        }
        // After the response has arrived, the page shows the free times of the chosen service.
        let chosen = "return document.querySelector('dialog [name=service]').value";
        let chosen = window.run(chosen).await.as_str().unwrap().to_owned();
        window.find(&format!("dialog [name=times_of][value^='{chosen}']")).await;
        new.goes("dialog [name=starts_at]:not([value=other])").await;
        window.find("dialog [name=starts_at]:not([value=other]):checked").await;
        new.types("dialog [name=q]", "Nora Haddad").await;
        window.sees("Nora Haddad").await;
        new.goes("dialog [data-does]").await;
        window.sees(set.says("Booked.", "Réservé.")).await;
        let booked = new.get("/appointments").await;
        assert_eq!(booked[0]["service_name"], set.services[0].0, "{booked}");
        assert!(booked[0]["starts_at"].as_str().unwrap().starts_with(set.first_day), "{booked}");
        window.goto(&format!("/dashboard/b/{}/calendar?view=day&date={}", new.id, set.first_day)).await;
        window.sees("Nora Haddad").await;
        window.sees("Inès").await;
        new.is_right(set).await;
        if set.is_practice() {
            for page in [
                "today",
                "appointments/new",
                "contacts",
                "insights",
                "settings/services",
                "settings/services/new",
                "settings/staff",
                "settings/hours",
                "settings/website",
                "settings/notices",
                "settings/data",
                "settings/keys/new",
                "settings/calendars",
                "knowledge",
            ] {
                window.goto(&format!("/dashboard/b/{}/{page}", new.id)).await;
                assert!(window.path().await.ends_with(page), "{page}");
                new.is_right(set).await;
            }
        }
        let profile = new.get("").await;
        assert_eq!(profile["customer_word"], set.customer.to_lowercase());
        let complaints = window.complaints().await;
        // When another owner signs in, the stream of the previous owner ends. The browser reports that.
        let complaints: Vec<_> = complaints
            .iter()
            .filter(|one| !one.contains("the server responded with a status of 4"))
            .collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
    window.close().await;
}

const fn looks(width: u32, dark: bool) -> Looks {
    Looks { width, dark }
}

#[tokio::test]
async fn an_owner_starts_with_the_set_of_a_trade_and_books_a_service_of_it() {
    let each = [looks(1280, false), looks(390, false), looks(768, true), looks(1920, true)];
    start_with_each_set(false, each).await;
}

#[tokio::test]
async fn an_owner_starts_with_the_set_of_a_trade_with_the_keyboard_alone() {
    let each = [looks(768, false), looks(1280, true), looks(1920, false), looks(1280, false)];
    start_with_each_set(true, each).await;
}
