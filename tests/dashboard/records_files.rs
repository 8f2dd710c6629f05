//! Tests of CSV files: downloads, and the import of contacts with a preview.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

async fn salon(server: &Server, role: &str) -> (String, Browser) {
    let salon = server.business("Salon Zoé").await;
    let path = format!("/businesses/{salon}");
    server.operator("PATCH", &path, json!({ "phone_region": "FR" })).await;
    let contact = json!({ "name": "=Zoé", "phone": "+33612345678" });
    server.operator("POST", &format!("{path}/contacts"), contact).await;
    let ada = server.person(&salon, "ada@example.com", role).await;
    let browser = server.signed_in(&salon, &ada).await;
    (salon, browser)
}

async fn names(server: &Server, salon: &str) -> Vec<String> {
    let all = server.operator("GET", &format!("/businesses/{salon}/contacts"), Value::Null).await;
    let all = all.as_array().unwrap().iter().rev();
    all.map(|contact| contact["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_file_of_contacts_is_shown_before_it_is_imported() {
    let server = Server::open().await;
    let (salon, mut browser) = salon(&server, "admin").await;
    let import = format!("/dashboard/b/{salon}/contacts/import");
    let list = browser.get(&format!("/dashboard/b/{salon}/contacts")).await.is(200).says("Import contacts");
    assert!(list.body.contains(&import));
    let page = browser.get(&import).await.is(200).says("can bring back people who were erased");
    // The second line has the phone number of an existing contact, so it is skipped. The third line is in
    // Windows-1252.
    let file = b"Nom;Portable\nZoe;06 12 34 56 78\nJos\xe9;0612345670\n<b>;\n";
    let preview = browser.upload(&page, &import, Some(file)).await.is(200);
    let preview = preview.says("2 contacts will be created.").says("One row will be skipped.");
    let preview =
        preview.says("Check that letters with accents look right.").says("José").says("+33 6 12 34 56 70");
    let preview = preview.says("A contact has this phone number.").says("can bring back people");
    assert_eq!(names(&server, &salon).await, ["=Zoé"], "a preview changes nothing");
    let done = format!("/dashboard/b/{salon}/contacts?done=imported");
    let (mut one, mut other) = (browser.clone(), browser.clone());
    let at_once = tokio::join!(one.upload(&preview, &import, None), other.upload(&preview, &import, None));
    at_once.0.leads_to(&done);
    at_once.1.leads_to(&done);
    browser.get(&done).await.is(200).says("The contacts were imported.").says("José");
    assert_eq!(names(&server, &salon).await, ["=Zoé", "José", "<b>"]);
    // This file contains only an existing contact, so there is nothing to import.
    let page = browser.get(&import).await;
    let file = b"name,phone\nZoe,+33612345678\n";
    let none = browser.upload(&page, &import, Some(file)).await.is(200);
    let none = none.says("No contact will be created.");
    assert!(!none.forms().iter().any(|form| form.action == import), "there is nothing to import");
}

#[tokio::test]
async fn an_invalid_file_shows_its_lines() {
    let server = Server::open().await;
    let (salon, mut browser) = salon(&server, "owner").await;
    let import = format!("/dashboard/b/{salon}/contacts/import");
    let page = browser.get(&import).await;
    let file = b"name,phone\nA,12\nB,,C\n";
    let refused = browser.upload(&page, &import, Some(file)).await.is(422).says("Nothing was imported.");
    let refused = refused.says("Line 2, phone:").says("Line 3:");
    // A refused form can be sent again, with another file.
    browser.upload(&refused, &import, Some(b"name,address\nA,B\n")).await.is(422).says("Line 1, address:");
    let mixed = b"name\nZo\xc3\xa9\nJos\xe9\n";
    browser.upload(&page, &import, Some(mixed)).await.is(422).says("Line 3:").says("is not UTF-8 text");
    browser.upload(&page, &import, None).await.is(422).says("must begin with a row of column names");
    let mut long = b"name\n".to_vec();
    long.resize(15 << 20, b'\n');
    browser.upload(&page, &import, Some(&long)).await.is(413);
    let budget = json!({ "contacts": { "rows_max": 1 } });
    server.operator("PATCH", &format!("/businesses/{salon}/budget"), budget).await;
    browser.upload(&page, &import, Some(b"name\nA\n")).await.is(409);
    assert_eq!(names(&server, &salon).await, ["=Zoé"]);
    let anonymous = &mut server.browser();
    anonymous.upload(&page, &import, Some(b"name\nA\n")).await.is(303);
}

#[tokio::test]
async fn owners_and_admins_download_contacts_and_appointments() {
    let server = Server::open().await;
    let (salon, mut browser) = salon(&server, "owner").await;
    let page = browser.get(&format!("/dashboard/b/{salon}/settings/data")).await.is(200);
    let page = page.says("Download contacts").says("Download appointments").says("Import contacts");
    for (path, start) in [
        (
            format!("/dashboard/b/{salon}/contacts/download"),
            "\u{feff}name,phone,email,locale,timezone,notes,alert\r\n'=Zoé,'+33612345678,",
        ),
        (format!("/dashboard/b/{salon}/appointments/download"), "\u{feff}starts_at,ends_at,timezone,"),
    ] {
        assert!(page.body.contains(&path), "{path}");
        let file = browser.get(&path).await.is(200);
        assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
        assert!(file.body.starts_with(start), "{}", file.body);
    }
    let log = server.operator("GET", &format!("/businesses/{salon}/audit"), Value::Null).await;
    let actions: Vec<_> = log.as_array().unwrap()[..2].iter().map(|entry| entry["action"].clone()).collect();
    assert_eq!(actions, ["appointments.exported", "contacts.exported"]);
    assert_eq!(log[0]["actor"]["type"], "person");
    browser
        .get(&format!("/dashboard/b/{salon}/settings/audit"))
        .await
        .is(200)
        .says("downloaded the contacts");
    // A member sees no button for CSV files, and requests for their pages get a 404.
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let mut member = server.signed_in(&salon, &bob).await;
    let page = member.get(&format!("/dashboard/b/{salon}/contacts")).await.is(200);
    assert!(!page.text().contains("Import"));
    for path in ["contacts/import", "contacts/download", "appointments/download"] {
        member.get(&format!("/dashboard/b/{salon}/{path}")).await.is(404);
    }
    let form = page.field("/dashboard/sign-out", "form");
    member.post(&format!("/dashboard/b/{salon}/contacts/import"), &[("form", &form)]).await.is(404);
}
