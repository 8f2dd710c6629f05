//! Tests of the search field of every page, which finds contacts, appointments, calls and messages by name,
//! phone number or email address.

use serde_json::json;

use crate::day_salon::Salon;
use crate::harness::Page;

/// The targets of the links in the results.
fn found(page: &Page) -> Vec<String> {
    let tags = page.tags();
    let links = tags.iter().filter(|tag| tag.get("class") == Some("cover"));
    links.filter_map(|tag| tag.get("href").map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_search_finds_the_records_of_a_person_and_leads_to_them() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Zoé Lefèvre").await;
    let visit = salon.appointment(&id).await;
    let (contact, phone) = (visit["contact_id"].as_str().unwrap(), visit["contact_phone"].as_str().unwrap());
    let message = json!({ "body": "Call me", "caller_name": "Zoe Le Fèvre", "caller_phone": phone });
    let message = crate::day_salon::key(&salon.operator("POST", "/messages", message).await);
    let call = json!({ "direction": "inbound", "status": "missed", "outcome": "hangup", "from_number": phone,
        "started_at": "2026-03-02T05:10:00Z", "ended_at": "2026-03-02T05:10:20Z" });
    let call = crate::day_salon::key(&salon.operator("POST", "/calls", call).await);
    let ways = [
        format!("contacts/{contact}"),
        format!("appointments/{id}"),
        format!("calls/{call}"),
        format!("messages/{message}"),
    ];
    let ways = ways.map(|way| salon.to(&way));
    for q in ["lefevre+zoe", &phone[5..]] {
        let page = salon.member.get(&salon.to(&format!("search?q={q}"))).await.is(200);
        let page = page.says("Zoé Lefèvre").says("Monday 2 March at 10:00").says("Cut · Inès");
        assert_eq!(found(&page), ways, "{q}");
        for way in found(&page) {
            salon.member.get(&way).await.is(200);
        }
    }
    let page =
        salon.owner.get(&salon.to("search?q=nobody")).await.is(200).says("Nothing found for “nobody”.");
    assert_eq!(found(&page), [""; 0]);
    let page = salon.owner.get(&salon.to("search")).await.is(200);
    assert!(!page.text().contains("Nothing found"));
    let long = "a".repeat(201);
    salon.owner.get(&salon.to(&format!("search?q={long}"))).await.is(200).says("Nothing found");
}
