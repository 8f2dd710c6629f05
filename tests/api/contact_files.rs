//! Tests of `GET /contacts.csv`, `GET /appointments.csv` and `POST /contacts/import` of the operator API.

use serde_json::{Value, json};

use crate::harness::{Answer, Api, Salon, Server, id};

async fn import(api: &Api, query: &str, file: impl Into<Vec<u8>>) -> Answer {
    sent(api, query, file.into(), None).await
}

async fn sent(api: &Api, query: &str, file: Vec<u8>, key: Option<&str>) -> Answer {
    let call = api.call("POST", &format!("/contacts/import{query}")).bytes(file);
    let call = call.header("content-type", "text/csv");
    match key {
        Some(key) => call.once(key).await,
        None => call.await,
    }
}

async fn exported(salon: &Salon, path: &str) -> String {
    let answer = salon.operator.get(path).await;
    String::from_utf8(answer.is(200).bytes.to_vec()).unwrap()
}

/// A salon that reads phone numbers without a country code as French numbers.
async fn french(server: &Server) -> Salon {
    let salon = server.salon().await;
    salon.operator.patch("", &json!({ "phone_region": "FR" })).await.is(200);
    salon
}

fn created(count: usize) -> Value {
    json!({ "created": count, "skipped": [] })
}

async fn names(salon: &Salon) -> Vec<String> {
    let all = salon.operator.all("/contacts").await;
    all.iter().rev().map(|contact| contact["name"].as_str().unwrap_or_default().to_owned()).collect()
}

const HEAD: &str = "\u{feff}name,phone,email,locale,timezone,notes,alert\r\n";

#[tokio::test]
async fn an_exported_file_that_is_imported_gives_the_same_file() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    assert_eq!(exported(&salon, "/contacts.csv").await, HEAD);
    let contacts = [
        json!({ "name": "=1+1", "phone": "+33612345678" }),
        json!({ "name": "'Zoé; \"the, first\"", "email": "+zoe@example.com", "locale": "fr" }),
        json!({ "name": "  spaces  ", "phone": "+3361234567", "timezone": "Asia/Tokyo" }),
        json!({ "name": "\tTab", "email": "tab@example.com" }),
        json!({ "name": "\rReturn" }),
        json!({ "name": "-1" }),
        json!({ "name": "@SUM(A1)" }),
        json!({ "name": "''" }),
        json!({ "name": "Same" }),
        json!({ "name": "Same" }),
        json!({ "phone": "+33612345670" }),
    ];
    for contact in &contacts {
        let made = salon.contact(contact.clone()).await;
        let notes = json!({ "notes": "- two\r\nlines\n", "alert": "=nuts" });
        salon.operator.patch(&format!("/contacts/{}", id(&made)), &notes).await.is(200);
    }
    let file = exported(&salon, "/contacts.csv").await;
    assert!(file.starts_with(HEAD), "{file}");
    assert!(file.contains("\r\n'=1+1,'+33612345678,,,,\"'- two\r\nlines\n\",'=nuts\r\n"), "{file}");
    assert_eq!(import(&other.operator, "", file.clone()).await.data(), created(contacts.len()));
    assert_eq!(exported(&other, "/contacts.csv").await, file);
    // Each download and the import are in the audit log.
    let actions = |log: Vec<Value>| -> Vec<String> {
        let files = log.iter().filter(|entry| entry["action"].as_str().unwrap().starts_with("contacts."));
        files.rev().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(actions(salon.operator.all("/audit").await), ["contacts.exported"; 2]);
    let log = other.operator.all("/audit").await;
    assert_eq!(log[1]["changes"][0], json!({ "field": "created", "from": null, "to": contacts.len() }));
    assert_eq!(actions(log), ["contacts.import_begun", "contacts.imported", "contacts.exported"]);
    // A HEAD request is not a download, so the audit log has no entry for it.
    salon.operator.call("HEAD", "/contacts.csv").await.is(200);
    assert_eq!(actions(salon.operator.all("/audit").await).len(), 2);
}

#[tokio::test]
async fn a_file_has_usual_columns_separators_and_encodings() {
    let server = Server::open().await;
    let salon = french(&server).await;
    let files: [(&[u8], usize); 6] = [
        (b"name,phone\r\nA,06 12 34 56 01\r\n", 1),
        (
            "\u{feff}Prénom;Nom;Téléphone portable;Adresse e-mail\nZoé;Durand;0612345602;z@x.fr\n;;;\n"
                .as_bytes(),
            1,
        ),
        (b"Nom;Courriel\nZo\xe9 \x9cuvre;zo@x.fr\n", 1),
        (b"First name,Last name,E-mail,Language\nAda,Lovelace,ada@x.org,EN\n", 1),
        (b"email\n", 0),
        (b"Full Name\nJust a name\nJust a name\n", 2),
    ];
    for (file, count) in files {
        assert_eq!(import(&salon.operator, "?dry_run=true", file).await.data(), created(count));
        assert_eq!(import(&salon.operator, "?dry_run=false", file).await.data(), created(count));
    }
    let expected = ["A", "Zoé Durand", "Zoé œuvre", "Ada Lovelace", "Just a name", "Just a name"];
    assert_eq!(names(&salon).await, expected);
    assert_eq!(salon.operator.all("/contacts?phone=%2B33612345601").await.len(), 1);
    assert_eq!(salon.operator.all("/contacts?search=durand").await.len(), 1);
}

#[tokio::test]
async fn an_invalid_file_names_its_lines_and_creates_nothing() {
    let server = Server::open().await;
    let salon = french(&server).await;
    let cases: [(&str, &[&str]); 6] = [
        ("", &["line 1"]),
        ("name,address,phone\nA,B,C\n", &["line 1: address"]),
        ("name,Nom\nA,B\n", &["line 1: name"]),
        ("notes\nA\n", &["line 1"]),
        (
            "name,phone,locale\nA,0612345678,\nB,12,\n\"C\nC\",,de\n,,fr\nD,,,D\n",
            &["line 3: phone", "line 4: locale", "line 6", "line 7"],
        ),
        ("name,phone\nA,0612345678\nB,x\n", &["line 3: phone"]),
    ];
    for (file, paths) in cases {
        for query in ["", "?dry_run=true"] {
            import(&salon.operator, query, file).await.invalid_at(paths);
        }
    }
    let many = format!("name,phone\n{}", "A,1\n".repeat(300));
    let answer = import(&salon.operator, "", many).await;
    assert_eq!(answer.fails(400, "invalid_request").body["error"]["details"].as_array().unwrap().len(), 100);
    assert_eq!(names(&salon).await, [""; 0]);
    let log = salon.operator.all("/audit").await;
    assert!(log.iter().all(|entry| !entry["action"].as_str().unwrap().starts_with("contacts.")));
}

#[tokio::test]
async fn a_file_has_a_limit_on_bytes_and_rows() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let row = |number: usize| format!("C,c{number}@x.fr\n");
    let rows = |count: usize| format!("name,email\n{}", (0..count).map(row).collect::<String>());
    let answer = import(&salon.operator, "", rows(20_001)).await;
    answer.invalid_at(&["line 20002"]);
    // Blank lines count towards the limit on bytes, but not towards the limit on rows.
    let largest = |more: usize| {
        let mut file = b"name\nA\n".to_vec();
        file.resize((10 << 20) + more, b'\n');
        file
    };
    import(&salon.operator, "", largest(1)).await.fails(413, "invalid_request").says("10485760 bytes");
    assert_eq!(import(&salon.operator, "", largest(0)).await.data(), created(1));
    assert_eq!(import(&salon.operator, "", rows(20_000)).await.data(), created(20_000));
    // A second import of the same file skips each row. A request with the same idempotency key gets the same
    // response.
    let again = sent(&salon.operator, "", rows(20_000).into_bytes(), Some("again")).await;
    let skipped = again.data()["skipped"].as_array().unwrap().len();
    assert_eq!((&again.data()["created"], skipped), (&json!(0), 20_000));
    let replayed = sent(&salon.operator, "", rows(20_000).into_bytes(), Some("again")).await;
    assert_eq!(replayed.header("idempotent-replayed"), "true");
    assert_eq!(replayed.data(), again.data());
    let file = exported(&salon, "/contacts.csv").await;
    assert_eq!(file.lines().count(), 20_002);
}

#[tokio::test]
async fn existing_contacts_are_skipped_and_a_repeated_request_gives_the_same_answer() {
    let server = Server::open().await;
    let salon = french(&server).await;
    salon.contact(json!({ "name": "Zoé", "phone": "+33612345678", "email": "zoe@x.fr" })).await;
    let file = "name,phone,email\nA,0612345678,a@x.fr\nB,,ZOE@x.fr\n\"C\nC\",0612345679,\nD,+33612345679,\nE,,a@x.fr\nF,,\nG,,a@x.fr\n";
    let expected = json!({ "created": 3, "skipped": [
        { "line": 2, "reason": "phone_exists" },
        { "line": 3, "reason": "email_exists" },
        { "line": 6, "reason": "phone_repeated" },
        { "line": 9, "reason": "email_repeated" },
    ] });
    assert_eq!(sent(&salon.operator, "?dry_run=true", file.into(), Some("k")).await.data(), expected);
    for replayed in [false, true, true] {
        let answer = sent(&salon.operator, "", file.into(), Some("k")).await;
        assert_eq!((answer.data(), answer.has("idempotent-replayed")), (expected.clone(), replayed));
    }
    sent(&salon.operator, "", b"name\nX\n".to_vec(), Some("k")).await.fails(422, "idempotency_key_reused");
    assert_eq!(names(&salon).await, ["Zoé", "C\nC", "E", "F"]);
}

#[tokio::test]
async fn an_import_sends_no_event_and_needs_the_token_the_media_type_and_the_business() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let webhook = salon.webhook().await;
    import(&salon.operator, "", "name\nA\n").await.is(200);
    let deliveries = format!("/webhooks/{}/deliveries", id(&webhook));
    assert_eq!(salon.operator.all(&deliveries).await, [] as [Value; 0]);
    assert_eq!(names(&other).await, [""; 0]);
    import(&salon.operator.anonymous(), "", "name\nA\n").await.fails(401, "unauthorized");
    salon.operator.anonymous().get("/contacts.csv").await.fails(401, "unauthorized");
    let call = salon.operator.call("POST", "/contacts/import").json(&json!({ "name": "A" }));
    call.await.fails(415, "invalid_request");
    for query in ["?dry_run=perhaps", "?dry=true"] {
        import(&salon.operator, query, "name\nA\n").await.fails(400, "invalid_request");
    }
    let unknown = server.operator_of("018f0000-0000-7000-8000-000000000000");
    import(&unknown, "", "name\nA\n").await.fails(404, "not_found");
    for path in ["/contacts.csv", "/appointments.csv"] {
        unknown.get(path).await.fails(404, "not_found");
    }
    salon.operator.patch("/budget", &json!({ "contacts": { "rows_max": 2 } })).await.is(200);
    for query in ["?dry_run=true", ""] {
        import(&salon.operator, query, "name\nB\nC\n").await.fails(409, "conflict");
    }
    assert_eq!(names(&salon).await, ["A"]);
    import(&salon.operator, "", "name\nB\n").await.is(200);
}

#[tokio::test]
async fn appointments_are_exported_in_local_time() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let second = salon.book(&salon.massage, "2026-03-30T09:00:00Z").await;
    let notes = json!({ "notes": "=SUM(A1)" });
    salon.operator.patch(&format!("/appointments/{}", id(&first)), &notes).await.is(200);
    let file = exported(&salon, "/appointments.csv").await;
    let lines: Vec<_> = file.lines().collect();
    assert_eq!(lines.len(), 3, "{file}");
    let head = "\u{feff}starts_at,ends_at,timezone,starts_at_utc,status,attendance,service,staff,contact,contact_phone,source,notes,customer_note,id";
    assert_eq!(lines[0], head);
    let start = "2026-03-03 10:00,2026-03-03 10:30,Europe/Paris,2026-03-03T09:00:00.000Z,confirmed,,Cut,";
    assert!(lines[1].starts_with(start), "{file}");
    let end = format!(",Zoé Martin,'+33612345678,api,'=SUM(A1),,{}", id(&first));
    assert!(lines[1].ends_with(&end), "{file}");
    assert!(lines[2].starts_with("2026-03-30 11:00,2026-03-30 12:00,"), "{file}");
    let later = exported(&salon, "/appointments.csv?from=2026-03-04T00:00:00Z&to=2026-03-31T00:00:00Z").await;
    assert_eq!(later.lines().count(), 2);
    assert!(later.contains(id(&second)), "{later}");
    assert_eq!(exported(&salon, "/appointments.csv?to=2026-03-03T09:00:00Z").await.lines().count(), 1);
    salon.operator.get("/appointments.csv?from=x").await.invalid_at(&["from"]);
    let log = salon.operator.all("/audit").await;
    assert_eq!(log.iter().filter(|entry| entry["action"] == "appointments.exported").count(), 3);
}
