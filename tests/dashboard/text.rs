//! Tests that pages show the input of customers as text, and not as markup.

use serde_json::json;

use crate::harness::Server;

#[tokio::test]
async fn names_become_neither_markup_nor_links_and_do_not_change_the_direction_of_text() {
    let server = Server::open().await;
    for name in [
        "<script>alert(1)</script><b>x",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "javascript:alert(1)",
        "\u{202e}desrever \u{2066}isolated",
        "שלום עולם",
        "{{ 7 * 7 }} { $count } &lt;b&gt;",
        &"W".repeat(200),
    ] {
        let salon = server.business(name).await;
        let email = format!("{}@example.com", salon.replace('-', ""));
        let ada = server.person(&salon, &email, "owner").await;
        let mut browser = server.signed_in(&salon, &ada).await;
        let page = browser.get("/dashboard/account").await;
        browser.submit(&page, "/dashboard/account", &[("name", name)]).await.is(303);
        let base = format!("/businesses/{salon}");
        let service = server.offers(&salon, (name, 30), name).await;
        let booking = json!({
            "service_id": service, "starts_at": "2026-03-02T09:00:00Z", "contact": { "name": name, "phone": "+33612345678" }
        });
        server.operator("POST", &format!("{base}/appointments"), booking).await;
        let other = server.business(&name.chars().rev().take(200).collect::<String>()).await;
        server.invited(&other, &email, "admin").await;
        // The harness checks every page for markup that the templates do not contain.
        for path in ["/dashboard", "/dashboard/account", &format!("/dashboard/b/{salon}/today")] {
            let page = browser.get(path).await.is(200);
            let tags = page.tags();
            assert!(
                !tags.iter().any(|tag| ["img", "script>", "b>x"].contains(&tag.name.as_str())),
                "{path} {name}"
            );
            if path.ends_with("today") {
                // The visible text must contain the name completely and unchanged.
                let shown: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(page.body.contains("<span class=\"name strong\"><bdi>"), "{path}");
                assert!(
                    page.text().contains(&shown) || name.contains("&lt;"),
                    "{path}: {name} is missing in {}",
                    page.text()
                );
            }
        }
        let link = server.link(&salon, &ada, "reset").await;
        server.browser().get(&link).await.is(200);
    }
}
