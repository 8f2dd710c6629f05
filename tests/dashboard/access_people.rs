//! People: inviting them with mail and without, changing what they are, ending their access and giving it back.

use serde_json::{Value, json};

use crate::harness::{Browser, PASSWORD, Page, Person, Server, relay};

fn people(salon: &str) -> String {
    format!("/dashboard/b/{salon}/settings/people")
}

/// The salon with an owner, an admin and a member, each signed in.
async fn salon(server: &Server) -> (String, [(Person, Browser); 3]) {
    let salon = server.business("Salon Zoé").await;
    let mut all = Vec::new();
    for (email, role) in
        [("ada@example.com", "owner"), ("bob@example.com", "admin"), ("cy@example.com", "member")]
    {
        let person = server.person(&salon, email, role).await;
        let browser = server.signed_in(&salon, &person).await;
        all.push((person, browser));
    }
    (salon, all.try_into().unwrap_or_else(|_| panic!("three of them")))
}

async fn of(server: &Server, salon: &str, person: &Person) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/people/{}", person.id), Value::Null).await
}

async fn staff(server: &Server, salon: &str, name: &str) -> String {
    let made = server
        .operator("POST", &format!("/businesses/{salon}/staff"), json!({ "name": name, "service_ids": [] }))
        .await;
    made["id"].as_str().unwrap().to_owned()
}

async fn count(server: &Server, salon: &str) -> usize {
    let all = server.operator("GET", &format!("/businesses/{salon}/people"), Value::Null).await;
    all.as_array().unwrap().len()
}

/// The ways that a page offers.
fn ways(page: &Page) -> Vec<String> {
    page.tags().iter().filter_map(|tag| tag.get("href").map(str::to_owned)).collect()
}

#[tokio::test]
async fn without_mail_the_link_of_an_invitation_is_shown_once_to_be_handed_over() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), ..]) = salon(&server).await;
    let (people, invite) = (people(&salon), format!("{}/invite", people(&salon)));
    let camille = staff(&server, &salon, "Camille").await;
    let page = ada.get(&people).await.is(200).says("bob@example.com").says("Admin").says("Active");
    assert!(ways(&page).contains(&invite));
    let page = ada.get(&invite).await.is(200).says("you are shown a link to hand over").says("Camille");
    assert_eq!(page.field(&invite, "role"), "member");
    let fields = [("email", "new@example.com"), ("name", "Nora Haddad"), ("staff_id", camille.as_str())];
    let shown = ada.submit(&page, &invite, &fields).await.is(200).says("Hand this link to new@example.com");
    let link = shown.tags().into_iter().find(|tag| tag.get("id") == Some("link")).unwrap().text;
    assert!(link.starts_with(&server.origin()), "{link}");
    // The button again: the same page with the same link, and one invitation.
    let again = ada.submit(&page, &invite, &fields).await.is(200);
    assert!(again.body.contains(&link));
    assert_eq!(count(&server, &salon).await, 4);
    let listed = ada.get(&people).await.says("Nora Haddad").says("Invited").says("staff member Camille");
    assert!(!listed.body.contains(&link), "it is shown once");
    // It lets her in.
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
async fn an_invitation_that_is_refused_comes_back_filled_in_with_each_problem_beside_its_field() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), (_, mut bob), _]) = salon(&server).await;
    let invite = format!("{}/invite", people(&salon));
    let page = ada.get(&invite).await;
    let long = "x".repeat(201);
    let fields = [("email", "no email"), ("name", long.as_str()), ("role", "admin"), ("staff_id", "nobody")];
    let refused = ada.submit(&page, &invite, &fields).await.is(422).says("This is not saved yet");
    for (id, problem) in [
        ("email-problem", "This is not an email, such as name@example.com."),
        ("name-problem", "It must have 200 characters at most."),
        ("staff_id-problem", "Choose one of these."),
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
        .says("This person belongs to the business already.")
        .says("This is the email of one of your people.");
    ada.submit(&page, &invite, &[("email", "other@example.com"), gone[2]])
        .await
        .is(422)
        .says("There is no such staff member any more.");
    assert_eq!(count(&server, &salon).await, 4);
    // An admin makes no owner, and is not offered to.
    let page = bob.get(&invite).await.is(200);
    assert!(!page.body.contains("value=\"owner\""));
    bob.submit(&page, &invite, &[("email", "o@example.com"), ("role", "owner")])
        .await
        .is(403)
        .says("An admin can neither make nor change an owner");
    assert_eq!(count(&server, &salon).await, 4);
}

#[tokio::test]
async fn without_mail_an_account_that_is_somebodys_gets_no_link() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), ..]) = salon(&server).await;
    let other = server.business("Barbier").await;
    // One who has confirmed their account, and one who is invited elsewhere.
    let known = server.person(&other, "known@example.com", "member").await;
    server.with_password(&other, &known, PASSWORD).await;
    server.invited(&other, "elsewhere@example.com", "member").await;
    let invite = format!("{}/invite", people(&salon));
    for email in ["known@example.com", "elsewhere@example.com"] {
        let page = ada.get(&invite).await;
        let done = ada.submit(&page, &invite, &[("email", email)]).await;
        let done = done.leads_to(&format!("{}?done=offered", people(&salon)));
        let listed = ada.get(done.header("location")).await.says("there is no link to hand over").says(email);
        assert!(!listed.body.contains("/dashboard/enter/"));
    }
    // Until it is accepted nothing is told of the account.
    assert!(!ada.get(&people(&salon)).await.text().contains("known@example.com · last signed in"));
}

#[tokio::test]
async fn with_mail_no_link_is_shown_and_every_invitation_is_answered_alike() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let (salon, [(_, mut ada), ..]) = salon(&server).await;
    let other = server.business("Barbier").await;
    let known = server.person(&other, "known@example.com", "member").await;
    server.with_password(&other, &known, PASSWORD).await;
    let invite = format!("{}/invite", people(&salon));
    let mut answers = Vec::new();
    for email in ["new@example.com", "known@example.com"] {
        let page = ada.get(&invite).await.says("They get a mail");
        let done = ada.submit(&page, &invite, &[("email", email), ("name", "Same")]).await;
        let done = done.leads_to(&format!("{}?done=invited", people(&salon)));
        let listed = ada.get(done.header("location")).await.says("Invited. A mail that says how to come in");
        assert!(!listed.body.contains("/dashboard/enter/"));
        answers.push((done.status, done.body));
    }
    assert_eq!(answers[0], answers[1]);
    let invited = server.operator("GET", &format!("/businesses/{salon}/people"), Value::Null).await;
    let same: Vec<_> = invited.as_array().unwrap().iter().filter(|one| one["name"] == "Same").collect();
    assert_eq!(same.len(), 2);
    for one in same {
        let page = ada.get(&format!("{}/{}", people(&salon), one["id"].as_str().unwrap())).await.is(200);
        page.says("Not accepted yet.").says("Forgotten password");
    }
    let mut to = [mails.get(0).await.to, mails.get(1).await.to];
    to.sort();
    assert_eq!(to, ["known@example.com", "new@example.com"]);
    // An address is invited three times a day, and then told when again.
    for _ in 0..2 {
        let all = server.operator("GET", &format!("/businesses/{salon}/people"), Value::Null).await;
        let new =
            all.as_array().unwrap().iter().find(|one| one["email"] == "new@example.com").unwrap().clone();
        let remove = format!("{}/{}/remove", people(&salon), new["id"].as_str().unwrap());
        let page = ada.get(&remove).await.is(200).says("Take back the invitation of Same?");
        ada.submit(&page, &remove, &[]).await.leads_to(&format!("{}?done=removed", people(&salon)));
        let page = ada.get(&invite).await;
        ada.submit(&page, &invite, &[("email", "new@example.com"), ("name", "Same")]).await.is(303);
    }
    let page = ada.get(&invite).await;
    server
        .operator(
            "DELETE",
            &format!("/businesses/{salon}/people/{}", {
                let all = server.operator("GET", &format!("/businesses/{salon}/people"), Value::Null).await;
                all.as_array().unwrap().iter().find(|one| one["email"] == "new@example.com").unwrap()["id"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            }),
            Value::Null,
        )
        .await;
    let page = ada.submit(&page, &invite, &[("email", "new@example.com")]).await.is(409);
    page.says("As many invitations were mailed today as may be.").says("The next one can be sent from");
}

#[tokio::test]
async fn a_role_and_a_staff_member_are_changed_and_two_who_do_are_told_of_each_other() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), (_, mut bob), (cy, _)]) = salon(&server).await;
    let camille = staff(&server, &salon, "Camille").await;
    let path = format!("{}/{}", people(&salon), cy.id);
    let page = ada.get(&path).await.is(200).says("cy@example.com").says("Active");
    assert_eq!((page.field(&path, "role"), page.field(&path, "staff_id")), ("member".into(), String::new()));
    let bobs = bob.get(&path).await.is(200);
    ada.submit(&page, &path, &[("role", "admin"), ("staff_id", &camille)])
        .await
        .leads_to(&format!("{path}?done=saved"));
    ada.get(&format!("{path}?done=saved")).await.says("Saved.");
    let now = of(&server, &salon, &cy).await;
    assert_eq!((now["role"].as_str(), now["staff_id"].as_str()), (Some("admin"), Some(camille.as_str())));
    let stale = bob.submit(&bobs, &path, &[("role", "member")]).await.is(409);
    let stale = stale.says("Somebody else has changed this").says("What you sent").says("What is saved now");
    let marked: Vec<_> =
        stale.tags().into_iter().filter(|tag| tag.name == "mark").map(|tag| tag.text).collect();
    assert_eq!(marked, ["Member", "Nobody", "Admin", "Camille"]);
    assert_eq!(of(&server, &salon, &cy).await["role"], "admin", "nothing was overwritten");
    // Seen both, it is sent again.
    bob.submit(&stale, &path, &[]).await.leads_to(&format!("{path}?done=saved"));
    assert_eq!(of(&server, &salon, &cy).await["role"], "member");
    // That somebody signs in meanwhile is no change of what the form is about.
    let page = bob.get(&path).await;
    server.clock.advance(60);
    server.signed_in(&salon, &cy).await;
    bob.submit(&page, &path, &[("role", "admin")]).await.leads_to(&format!("{path}?done=saved"));
    bob.submit(&page, &path, &[("role", "nobody")]).await.leads_to(&format!("{path}?done=saved"));
    let page = bob.get(&path).await;
    bob.submit(&page, &path, &[("role", "boss")]).await.is(422).says("Choose one of these.");
}

#[tokio::test]
async fn an_admin_touches_no_owner_and_a_member_sees_nobody() {
    let server = Server::open().await;
    let (salon, [(ada, _), (_, mut bob), (cy, mut cys)]) = salon(&server).await;
    let path = format!("{}/{}", people(&salon), ada.id);
    let page = bob.get(&path).await.is(200).says("Only an owner can change an owner.");
    assert!(!page.forms().iter().any(|form| form.action.starts_with(&path)));
    assert!(!ways(&page).iter().any(|way| way.starts_with(&format!("{path}/"))));
    for step in ["disable", "enable", "remove"] {
        bob.get(&format!("{path}/{step}"))
            .await
            .is(403)
            .says("An admin can neither make nor change an owner");
    }
    // A form that he makes up himself is refused as well.
    let own = bob.get(&format!("{}/{}", people(&salon), cy.id)).await;
    let form = own.field(&format!("{}/{}", people(&salon), cy.id), "form");
    for (at, fields) in [("", vec![("role", "member")]), ("/disable", vec![]), ("/remove", vec![])] {
        let fields: Vec<_> = fields.into_iter().chain([("form", form.as_str())]).collect();
        bob.post(&format!("{path}{at}"), &fields).await.is(403);
    }
    let page = bob.get(&format!("{}/{}", people(&salon), cy.id)).await;
    let up = format!("{}/{}", people(&salon), cy.id);
    bob.submit(&page, &up, &[("role", "owner")]).await.is(403);
    assert_eq!(of(&server, &salon, &ada).await["status"], "active");
    let today = cys.get(&format!("/dashboard/b/{salon}/today")).await;
    assert!(!ways(&today).contains(&people(&salon)), "no place for what is not theirs");
    cys.get(&up).await.is(404);
}

#[tokio::test]
async fn access_rests_comes_back_and_ends_and_its_sessions_at_once() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), _, (cy, mut cys)]) = salon(&server).await;
    let (path, today) = (format!("{}/{}", people(&salon), cy.id), format!("/dashboard/b/{salon}/today"));
    let page = ada.get(&path).await;
    for step in ["disable", "remove"] {
        assert!(ways(&page).contains(&format!("{path}/{step}")));
    }
    ada.get(&format!("{path}/enable")).await.leads_to(&path);
    let disable = format!("{path}/disable");
    let page =
        ada.get(&disable).await.is(200).says("Disable cy@example.com?").says("every session of theirs");
    cys.get(&today).await.is(200);
    ada.submit(&page, &disable, &[]).await.leads_to(&format!("{path}?done=disabled"));
    cys.get(&today).await.is(404);
    let page = ada.get(&format!("{path}?done=disabled")).await.says("All their sessions here have ended.");
    assert!(ways(&page).contains(&format!("{path}/enable")) && !ways(&page).contains(&disable));
    let enable = format!("{path}/enable");
    let page = ada.get(&enable).await.says("Enable cy@example.com?");
    ada.submit(&page, &enable, &[]).await.leads_to(&format!("{path}?done=enabled"));
    cys.get(&today).await.is(200);
    let remove = format!("{path}/remove");
    let page = ada.get(&remove).await.is(200).says("To come back they have to be invited again.");
    let gone = format!("{}?done=removed", people(&salon));
    ada.submit(&page, &remove, &[]).await.leads_to(&gone);
    ada.submit(&page, &remove, &[]).await.leads_to(&gone);
    cys.get(&today).await.is(404);
    let listed = ada.get(&gone).await.says("Nobody comes in by it any more.");
    assert!(!listed.text().contains("cy@example.com"));
    ada.get(&path).await.is(404);
}

#[tokio::test]
async fn the_last_owner_stays_and_one_who_ends_their_own_access_is_led_out() {
    let server = Server::open().await;
    let (salon, [(ada, mut adas), (bob, _), _]) = salon(&server).await;
    let path = format!("{}/{}", people(&salon), ada.id);
    let page = adas.get(&path).await.is(200);
    let refused = adas.submit(&page, &path, &[("role", "member")]).await.is(409);
    refused.says("the business would be left without an owner").says("This is the last active owner.");
    for step in ["disable", "remove"] {
        let path = format!("{path}/{step}");
        let page = adas.get(&path).await.is(200);
        adas.submit(&page, &path, &[]).await.is(409).says("the business would be left without an owner");
    }
    assert_eq!(of(&server, &salon, &ada).await["role"], "owner");
    server
        .operator("PATCH", &format!("/businesses/{salon}/people/{}", bob.id), json!({ "role": "owner" }))
        .await;
    let page = adas.get(&path).await;
    adas.submit(&page, &path, &[("role", "member")]).await.leads_to(&format!("/dashboard/b/{salon}/today"));
    adas.get(&people(&salon)).await.is(404);
    server
        .operator("PATCH", &format!("/businesses/{salon}/people/{}", ada.id), json!({ "role": "owner" }))
        .await;
    let remove = format!("{path}/remove");
    let page = adas.get(&remove).await;
    adas.submit(&page, &remove, &[]).await.leads_to("/dashboard");
    adas.get("/dashboard").await.is(200).says("You belong to no business");
}

#[tokio::test]
async fn the_password_is_asked_again_after_a_quarter_of_an_hour_and_the_form_comes_back() {
    let server = Server::open().await;
    let (salon, [(ada, _), (bob, mut enters), (cy, _)]) = salon(&server).await;
    let mut browser = server.with_password(&salon, &ada, PASSWORD).await;
    let invite = format!("{}/invite", people(&salon));
    let page = browser.get(&invite).await.is(200);
    assert!(!page.body.contains("current_password"), "it was given just now");
    server.clock.advance(15 * 60);
    let asked =
        browser.submit(&page, &invite, &[("email", "new@example.com"), ("role", "admin")]).await.is(422);
    let asked = asked.says("Your password is needed for this.").says("You gave it more than 15 minutes ago.");
    assert_eq!(
        (asked.field(&invite, "email"), asked.field(&invite, "role")),
        ("new@example.com".into(), "admin".into())
    );
    let wrong =
        browser.submit(&asked, &invite, &[("current_password", "not my password at all")]).await.is(422);
    let wrong = wrong.says("That is not your password.");
    assert!(!wrong.body.contains("not my password at all"), "it is not shown again");
    assert_eq!(count(&server, &salon).await, 3);
    browser.submit(&wrong, &invite, &[("current_password", PASSWORD)]).await.is(200);
    assert_eq!(count(&server, &salon).await, 4);
    // It was given just now.
    for (path, fields) in [
        (format!("{}/{}", people(&salon), cy.id), vec![("role", "admin")]),
        (format!("{}/{}/disable", people(&salon), cy.id), vec![]),
        (format!("{}/{}/enable", people(&salon), cy.id), vec![]),
        (format!("{}/{}/remove", people(&salon), cy.id), vec![]),
    ] {
        server.clock.advance(15 * 60);
        let page = browser.get(&path).await.is(200).says("Your password now");
        browser.submit(&page, &path, &fields).await.is(422).says("Your password is needed for this.");
        let right: Vec<_> = fields.into_iter().chain([("current_password", PASSWORD)]).collect();
        browser.submit(&page, &path, &right).await.is(303);
    }
    assert_eq!(count(&server, &salon).await, 3, "the last one is gone");
    // Whoever came by a link and has no password is told what to do.
    let page = enters.get(&format!("{}/{}", people(&salon), bob.id)).await.is(200);
    page.says("A new link leads to choosing one.");
}

#[tokio::test]
async fn a_form_about_people_that_was_sent_while_signed_out_comes_back_without_the_password() {
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
    assert_eq!(count(&server, &salon).await, 3, "nobody sent it");
}

#[tokio::test]
async fn names_from_outside_are_text_the_list_has_parts_and_a_french_page_is_french() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), ..]) = salon(&server).await;
    let long = "x".repeat(200);
    let invite = format!("/businesses/{salon}/people");
    for (email, name) in [
        ("eve@example.com", "<script>alert(1)</script>"),
        ("js@example.com", "javascript:alert(1)"),
        ("long@example.com", &long),
        ("rtl@example.com", "שרה כהן"),
    ] {
        let made = server
            .operator(
                "POST",
                &invite,
                json!({ "email": email, "name": name, "role": "member", "locale": "en" }),
            )
            .await;
        let path = format!("{}/{}", people(&salon), made["id"].as_str().unwrap());
        ada.get(&path).await.is(200).says(name);
        ada.get(&format!("{path}/remove")).await.is(200);
    }
    ada.get(&people(&salon))
        .await
        .is(200)
        .says("<script>alert(1)</script>")
        .says(&long)
        .says("javascript:alert(1)");
    for number in 0..50 {
        let body = json!({ "email": format!("many-{number}@example.com"), "role": "member" });
        server.operator("POST", &invite, body).await;
    }
    let page = ada.get(&people(&salon)).await.says("bob@example.com");
    assert!(!page.text().contains("many-49@"));
    let older = ways(&page).into_iter().find(|way| way.contains("?after=")).unwrap();
    let page = ada.get(&older).await.is(200).says("many-49@example.com");
    assert!(!page.text().contains("bob@example.com"));
    let account = ada.get("/dashboard/account").await;
    ada.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    ada.get(&people(&salon)).await.says("Inviter quelqu’un").says("Propriétaire").says("Invité");
    let invite = format!("{}/invite", people(&salon));
    let page = ada.get(&invite).await.says("un lien à transmettre vous est montré").says("Agenda, messages");
    ada.submit(&page, &invite, &[("email", "x")]).await.is(422).says("Ce n’est pas une adresse e-mail");
    ada.submit(&page, &invite, &[("email", "ADA@example.com")])
        .await
        .is(409)
        .says("Cette personne a déjà accès à l’établissement.");
}

#[tokio::test]
async fn people_of_a_suspended_business_are_only_looked_at() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), _, (cy, _)]) = salon(&server).await;
    let path = format!("{}/{}", people(&salon), cy.id);
    let before = ada.get(&path).await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let page = ada.get(&people(&salon)).await.is(200).says("cy@example.com");
    assert!(!ways(&page).iter().any(|way| way.ends_with("/invite")));
    let page = ada.get(&path).await.is(200).says("Member");
    assert!(page.forms().iter().all(|form| form.action == "/dashboard/sign-out"));
    ada.get(&format!("{}/invite", people(&salon))).await.is(403);
    ada.get(&format!("{path}/remove")).await.is(403);
    ada.submit(&before, &path, &[("role", "admin")]).await.is(403);
}
