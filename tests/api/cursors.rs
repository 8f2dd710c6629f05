//! Tests that a cursor is valid only for its list, filters and business. It stays valid after a restart of
//! the service.

use crate::harness::{Api, Salon, Server, ids};

async fn next(api: &Api, path: &str) -> String {
    api.get(path).await.is(200).body["next_cursor"]
        .as_str()
        .expect("the page must have a next page")
        .to_owned()
}

async fn busy_salon(server: &Server) -> Salon {
    let salon = server.salon().await;
    for hour in 8..12 {
        salon.book(&salon.cut, &format!("2026-03-03T{hour:02}:00:00Z")).await;
    }
    salon
}

#[tokio::test]
async fn an_altered_cursor_is_refused() {
    let server = Server::open().await;
    let salon = busy_salon(&server).await;
    let cursor = next(&salon.api, "/appointments?limit=1").await;
    let mut altered: Vec<String> = (0..cursor.len())
        .map(|at| {
            let other = if &cursor[at..=at] == "A" { "B" } else { "A" };
            format!("{}{other}{}", &cursor[..at], &cursor[at + 1..])
        })
        .filter(|text| text != &cursor)
        .collect();
    altered.extend((0..cursor.len()).map(|end| cursor[..end].to_owned()));
    altered.extend([
        format!("{cursor}A"),
        format!("{cursor}="),
        "x".repeat(5_000),
        "%00".into(),
        "null".into(),
    ]);
    for text in altered {
        salon.get(&format!("/appointments?limit=1&cursor={text}")).await.invalid_at(&["cursor"]);
    }
    salon.get(&format!("/appointments?limit=1&cursor={cursor}")).await.is(200);
}

#[tokio::test]
async fn a_cursor_of_another_list_filter_or_business_is_refused() {
    let server = Server::open().await;
    let (salon, other) = (busy_salon(&server).await, busy_salon(&server).await);
    let slots = |service: &str, rest: &str| format!("/availability?service_id={service}&{rest}&limit=1");
    let lists = [
        "/appointments?limit=1".to_owned(),
        "/appointments?limit=1&status=confirmed".to_owned(),
        "/appointments?limit=1&status=confirmed,pending".to_owned(),
        "/appointments?limit=1&from=2026-03-03T00:00:00Z".to_owned(),
        "/appointments?limit=1&to=2026-03-04T00:00:00Z".to_owned(),
        "/appointments?limit=1&updated_since=2026-03-02T00:00:00Z".to_owned(),
        format!("/appointments?limit=1&service_id={}", salon.cut),
        "/services?limit=1".to_owned(),
        "/staff?limit=1".to_owned(),
        slots(&salon.cut, "start_date=2026-03-03"),
        slots(&salon.massage, "start_date=2026-03-03"),
        slots(&salon.cut, "start_date=2026-03-04"),
        slots(&salon.cut, "start_date=2026-03-03&end_date=2026-03-04"),
        slots(&salon.cut, &format!("start_date=2026-03-03&staff_id={}", salon.ben)),
    ];
    let mut cursors = Vec::new();
    for list in &lists {
        cursors.push(next(&salon.api, list).await);
    }
    for (at, list) in lists.iter().enumerate() {
        for (of, cursor) in cursors.iter().enumerate() {
            let answer = salon.get(&format!("{list}&cursor={cursor}")).await;
            if of == at {
                answer.is(200)
            } else {
                answer.invalid_at(&["cursor"])
            };
        }
    }
    for list in [&lists[0], &lists[7], &lists[8]] {
        let theirs = next(&other.api, list).await;
        salon.get(&format!("{list}&cursor={theirs}")).await.invalid_at(&["cursor"]);
    }
    let operators = next(&salon.operator, "/services?limit=1").await;
    salon.get(&format!("/services?cursor={operators}")).await.invalid_at(&["cursor"]);
}

#[tokio::test]
async fn a_cursor_works_with_the_same_filters_in_another_notation() {
    let server = Server::open().await;
    let salon = busy_salon(&server).await;
    let cursor =
        next(&salon.api, "/appointments?limit=1&status=confirmed,pending&from=2026-03-03T00:00:00Z").await;
    let same = "/appointments?from=2026-03-03T01:00:00.000%2B01:00&status=pending,confirmed&limit=3";
    assert_eq!(salon.get(&format!("{same}&cursor={cursor}")).await.list().len(), 3);
}

#[tokio::test]
async fn the_page_size_may_change_from_page_to_page() {
    let server = Server::open().await;
    let salon = busy_salon(&server).await;
    let whole = ids(&salon.api.all("/appointments").await);
    let first = salon.get("/appointments?limit=1").await;
    let second = salon
        .get(&format!("/appointments?limit=2&cursor={}", first.body["next_cursor"].as_str().unwrap()))
        .await;
    let third =
        salon.get(&format!("/appointments?cursor={}", second.body["next_cursor"].as_str().unwrap())).await;
    assert_eq!(ids(&[first.list(), second.list(), third.list()].concat()), whole);
}

#[tokio::test]
async fn a_cursor_works_after_a_restart_and_with_another_key_of_the_business() {
    let mut server = Server::open().await;
    let salon = busy_salon(&server).await;
    let lists = [
        "/appointments?limit=1".to_owned(),
        "/services?limit=1".to_owned(),
        format!("/availability?service_id={}&start_date=2026-03-03&limit=1", salon.cut),
    ];
    let mut pages = Vec::new();
    for list in &lists {
        let cursor = next(&salon.api, list).await;
        let path = format!("{list}&cursor={cursor}");
        let page = salon.get(&path).await;
        let reader = salon.key(&["appointments:read", "business:read"]).await;
        assert_eq!(reader.get(&path).await.list(), page.list());
        pages.push((path, page.body));
    }
    server.restart().await;
    let salon = salon.again(&server);
    for (path, body) in pages {
        assert_eq!(salon.get(&path).await.is(200).body, body);
    }
}

#[tokio::test]
async fn a_cursor_continues_after_its_record_even_if_the_record_has_changed() {
    let server = Server::open().await;
    let salon = busy_salon(&server).await;
    let whole = salon.api.all("/appointments").await;
    let cursor = next(&salon.api, "/appointments?limit=2").await;
    salon.cancel(&whole[1]).await.is(200);
    salon.book(&salon.cut, "2026-03-03T08:30:00Z").await;
    let late = salon.book(&salon.cut, "2026-03-03T13:00:00Z").await;
    let rest = salon.get(&format!("/appointments?cursor={cursor}")).await.list();
    assert_eq!(rest, [whole[2].clone(), whole[3].clone(), late]);
    let of_confirmed = next(&salon.api, "/appointments?limit=1&status=confirmed").await;
    salon.cancel(&whole[0]).await.is(200);
    let rest = salon.get(&format!("/appointments?status=confirmed&cursor={of_confirmed}")).await.list();
    assert_eq!(
        rest.len(),
        4,
        "the list must continue with the appointment at 08:30, after the cancelled one"
    );
}
