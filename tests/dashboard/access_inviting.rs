//! Tests of invitations, with and without a mail relay.

use serde_json::Value;

use crate::access_people::{count, page_of, people, salon, staff, ways};
use crate::harness::{PASSWORD, Person, Server, relay};

async fn id_of(server: &Server, salon: &str, email: &str) -> String {
    let all = server.operator("GET", &format!("/businesses/{salon}/people"), Value::Null).await;
    let found = all.as_array().unwrap().iter().find(|one| one["email"] == email);
    found.unwrap()["id"].as_str().unwrap().to_owned()
}

/// The name in a person's account. The business that invites the person must not see it.
const ACCOUNT_NAME: &str = "Jane Doe-Undisclosed";

#[tokio::test]
async fn without_mail_the_link_of_an_invitation_is_shown_once() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), ..]) = salon(&server).await;
    let (people, invite) = (people(&salon), format!("{}/invite", people(&salon)));
    let camille = staff(&server, &salon, "Camille").await;
    let page = ada.get(&people).await.is(200).says("bob@example.com").says("Admin").says("Active");
    assert!(ways(&page).contains(&invite));
    let page = ada.get(&invite).await.is(200).says("you receive a link to pass on").says("Camille");
    assert_eq!(page.field(&invite, "role"), "member");
    let fields = [("email", "new@example.com"), ("name", "Nora Haddad"), ("staff_id", camille.as_str())];
    let shown =
        ada.submit(&page, &invite, &fields).await.is(200).says("Pass this link on to new@example.com");
    let link = shown.tags().into_iter().find(|tag| tag.get("id") == Some("link")).unwrap().text;
    assert!(link.starts_with(&server.origin()), "{link}");
    // If the form is sent again, the response contains the same link, and no second invitation is created.
    let again = ada.submit(&page, &invite, &fields).await.is(200);
    assert!(again.body.contains(&link));
    assert_eq!(count(&server, &salon).await, 4);
    let listed = ada.get(&people).await.says("Nora Haddad").says("Invited").says("staff member: Camille");
    assert!(!listed.body.contains(&link), "the link may be shown only once");
    // The invited person opens the link and signs in.
    server.clock.advance(60);
    let path = link.strip_prefix(&server.origin()).unwrap();
    let mut nora = server.browser();
    let page = nora.get(path).await.says("You are invited as a member");
    nora.submit(&page, path, &[]).await.leads_to("/dashboard/password");
    let page = nora.get("/dashboard/password").await;
    let new = [("password", PASSWORD), ("password_again", PASSWORD)];
    nora.submit(&page, "/dashboard/password", &new).await.leads_to("/dashboard");
    nora.get("/dashboard").await.leads_to(&format!("/dashboard/b/{salon}/today"));
    ada.get(&people).await.says("Nora Haddad").says("last signed in:");
}

#[tokio::test]
async fn a_refused_invitation_keeps_its_input_and_shows_each_problem_at_its_field() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), (_, mut bob), _]) = salon(&server).await;
    let invite = format!("{}/invite", people(&salon));
    let page = ada.get(&invite).await;
    let long = "x".repeat(201);
    let fields = [("email", "no email"), ("name", long.as_str()), ("role", "admin"), ("staff_id", "nobody")];
    let refused = ada.submit(&page, &invite, &fields).await.is(422).says("Nothing is saved yet");
    for (id, problem) in [
        ("email-problem", "It must be an email address such as name@example.com."),
        ("name-problem", "It must have 200 characters at most."),
        ("staff_id-problem", "Choose an entry from the list."),
    ] {
        let beside = refused.tags().into_iter().find(|tag| tag.get("id") == Some(id)).unwrap();
        assert_eq!(beside.text, problem);
    }
    assert_eq!(
        (refused.field(&invite, "email"), refused.field(&invite, "role")),
        ("no email".into(), "admin".into())
    );
    let gone =
        [("email", "new@example.com"), ("name", ""), ("staff_id", "00000000-0000-7000-8000-000000000001")];
    ada.submit(&page, &invite, &gone[..2]).await.is(200);
    let page = ada.get(&invite).await;
    let page = ada.submit(&page, &invite, &[("email", "NEW@example.com")]).await.is(409);
    let page = page
        .says("This person already belongs to the business.")
        .says("A person with this email already has access.");
    ada.submit(&page, &invite, &[("email", "other@example.com"), gone[2]])
        .await
        .is(422)
        .says("This is not a staff member of the business.");
    assert_eq!(count(&server, &salon).await, 4);
    // An admin cannot invite an owner, so the form that an admin sees does not contain the role of owner.
    let page = bob.get(&invite).await.is(200);
    assert!(!page.body.contains("value=\"owner\""));
    bob.submit(&page, &invite, &[("email", "o@example.com"), ("role", "owner")])
        .await
        .is(403)
        .says("An admin cannot create or change an owner");
    assert_eq!(count(&server, &salon).await, 4);
}

#[tokio::test]
async fn without_mail_no_link_is_shown_for_an_account_in_use() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), ..]) = salon(&server).await;
    let other = server.business("Barbier").await;
    // One person has an account with a confirmed address. The other person was invited by another business.
    let known = server.person(&other, "known@example.com", "member").await;
    server.with_password(&other, &known, PASSWORD).await;
    server.invited(&other, "elsewhere@example.com", "member").await;
    let invite = format!("{}/invite", people(&salon));
    for email in ["known@example.com", "elsewhere@example.com"] {
        let page = ada.get(&invite).await;
        let done = ada.submit(&page, &invite, &[("email", email)]).await;
        let done = done.leads_to(&format!("{}?done=offered", people(&salon)));
        let listed = ada.get(done.header("location")).await.says("there is no link to pass on").says(email);
        assert!(!listed.body.contains("/dashboard/enter/"));
    }
    // Until the invitation is accepted, the list of people shows no data of the account.
    assert!(!ada.get(&people(&salon)).await.text().contains("known@example.com · last signed in"));
}

#[tokio::test]
async fn with_mail_no_link_is_shown_and_all_invitations_get_the_same_response() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let (salon, [(owner, mut ada), ..]) = salon(&server).await;
    let name = serde_json::json!({ "name": "Ada Martin" });
    server.operator("PATCH", &format!("/businesses/{salon}/people/{}", owner.id), name).await;
    let other = server.business("Barbier").await;
    let known = server.person(&other, "known@example.com", "member").await;
    let path = format!("/businesses/{other}/people/{}", known.id);
    server.operator("PATCH", &path, serde_json::json!({ "name": ACCOUNT_NAME })).await;
    server.with_password(&other, &known, PASSWORD).await;
    let invite = format!("{}/invite", people(&salon));
    let mut answers = Vec::new();
    for email in ["new@example.com", "known@example.com"] {
        let page = ada.get(&invite).await.says("The person receives an email");
        let done = ada.submit(&page, &invite, &[("email", email), ("name", "Same")]).await;
        let done = done.leads_to(&format!("{}?done=invited", people(&salon)));
        let listed = ada
            .get(done.header("location"))
            .await
            .says("Invited. The service sends an email that explains how to sign in");
        assert!(!listed.body.contains("/dashboard/enter/"));
        answers.push((done.status, done.body));
    }
    assert_eq!(answers[0], answers[1]);
    let invited = server.operator("GET", &format!("/businesses/{salon}/people"), Value::Null).await;
    let same: Vec<_> = invited.as_array().unwrap().iter().filter(|one| one["name"] == "Same").collect();
    assert_eq!(same.len(), 2);
    for one in same {
        let person = Person { id: one["id"].as_str().unwrap().to_owned(), link: String::new() };
        let page = ada.get(&page_of(&server, &salon, &person).await).await.is(200);
        page.says("Not accepted yet.").says("Forgotten password");
    }
    let invitations = [mails.get(0).await, mails.get(1).await];
    for mail in &invitations {
        assert!(mail.text.contains("Invited by Ada Martin."), "{}", mail.text);
        assert!(mail.text.contains("Your role: member of the team."), "{}", mail.text);
    }
    let mut to = invitations.map(|mail| mail.to);
    to.sort();
    assert_eq!(to, ["known@example.com", "new@example.com"]);
    // The audit log does not contain the name from the account.
    let log = ada.get(&format!("/dashboard/b/{salon}/settings/audit")).await.is(200);
    assert!(!log.text().contains(ACCOUNT_NAME), "{}", log.text());
    // An address can be invited three times a day. The response to a further attempt states when to try
    // again.
    for _ in 0..2 {
        let id = id_of(&server, &salon, "new@example.com").await;
        let new = Person { id, link: String::new() };
        let remove = page_of(&server, &salon, &new).await + "/remove";
        let page = ada.get(&remove).await.is(200).says("Cancel the invitation of Same?");
        ada.submit(&page, &remove, &[]).await.leads_to(&format!("{}?done=removed", people(&salon)));
        let page = ada.get(&invite).await;
        ada.submit(&page, &invite, &[("email", "new@example.com"), ("name", "Same")]).await.is(303);
    }
    let page = ada.get(&invite).await;
    let new = format!("/businesses/{salon}/people/{}", id_of(&server, &salon, "new@example.com").await);
    server.operator("DELETE", &new, Value::Null).await;
    let page = ada.submit(&page, &invite, &[("email", "new@example.com")]).await.is(409);
    page.says("The daily limit of mailed invitations has been reached.").says("The next one can be sent in");
}

#[tokio::test]
async fn a_people_form_sent_while_signed_out_is_shown_again_without_the_password() {
    let server = Server::open().await;
    let (salon, [(ada, _), ..]) = salon(&server).await;
    let mut browser = server.with_password(&salon, &ada, PASSWORD).await;
    let invite = format!("{}/invite", people(&salon));
    server.clock.advance(60 * 60);
    let page = browser.get(&invite).await;
    server.clock.advance(7 * 24 * 60 * 60);
    let fields = [("email", "new@example.com"), ("name", "Nora"), ("current_password", PASSWORD)];
    let led = browser.submit(&page, &invite, &fields).await.is(303);
    let page = browser.get(led.header("location")).await;
    let signs_in = [("email", "ada@example.com"), ("password", PASSWORD)];
    browser.submit(&page, "/dashboard/sign-in", &signs_in).await.leads_to(&invite);
    let page = browser.get(&invite).await.is(200).says("You were signed out when you sent this");
    assert_eq!(
        (page.field(&invite, "email"), page.field(&invite, "name")),
        ("new@example.com".into(), "Nora".into())
    );
    assert!(!page.body.contains(PASSWORD));
    assert_eq!(count(&server, &salon).await, 3, "no invitation may be created");
}
