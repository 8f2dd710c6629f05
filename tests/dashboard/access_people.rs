//! Tests of the pages for people. There, owners and admins change the role or the staff member of a person, and
//! disable, enable or remove the person.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Browser, PASSWORD, Page, Person, Server};

pub(crate) fn people(salon: &str) -> String {
    format!("/dashboard/b/{salon}/settings/people")
}

/// A salon with an owner, an admin and a member. All are signed in.
pub(crate) async fn salon(server: &Server) -> (String, [(Person, Browser); 3]) {
    let salon = server.business("Salon Zoé").await;
    let mut all = Vec::new();
    for (email, role) in
        [("ada@example.com", "owner"), ("bob@example.com", "admin"), ("cy@example.com", "member")]
    {
        let person = server.person(&salon, email, role).await;
        let browser = server.signed_in(&salon, &person).await;
        all.push((person, browser));
    }
    (salon, all.try_into().unwrap_or_else(|_| panic!("there must be three people")))
}

async fn of(server: &Server, salon: &str, person: &Person) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/people/{}", person.id), Value::Null).await
}

/// The path of a person's page.
pub(crate) async fn page_of(server: &Server, salon: &str, person: &Person) -> String {
    format!("{}/{}", people(salon), server.membership(salon, person).await)
}

pub(crate) async fn staff(server: &Server, salon: &str, name: &str) -> String {
    let made = server
        .operator("POST", &format!("/businesses/{salon}/staff"), json!({ "name": name, "service_ids": [] }))
        .await;
    made["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn count(server: &Server, salon: &str) -> usize {
    let all = server.operator("GET", &format!("/businesses/{salon}/people"), Value::Null).await;
    all.as_array().unwrap().len()
}

/// The targets of the forms and links of a page.
pub(crate) fn ways(page: &Page) -> Vec<String> {
    page.tags().iter().filter_map(|tag| tag.get("href").map(str::to_owned)).collect()
}

/// The texts that a page marks as different between two versions.
pub(crate) fn marked(page: &Page) -> Vec<String> {
    let tags = page.tags();
    let pairs = tags.windows(2).filter(|pair| pair[0].name == "mark");
    pairs.map(|pair| pair[1].text.clone()).collect()
}

#[tokio::test]
async fn a_role_and_a_staff_member_are_changed_and_a_conflict_shows_both_versions() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), (_, mut bob), (cy, _)]) = salon(&server).await;
    let camille = staff(&server, &salon, "Camille").await;
    let path = page_of(&server, &salon, &cy).await;
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
    let stale =
        stale.says("Another person has changed these values").says("Your version").says("Saved version");
    assert_eq!(marked(&stale), ["Member", "None", "Admin", "Camille"]);
    assert_eq!(
        of(&server, &salon, &cy).await["role"],
        "admin",
        "the other person's change must not be overwritten"
    );
    // Bob has now seen both versions and sends the form again.
    bob.submit(&stale, &path, &[]).await.leads_to(&format!("{path}?done=saved"));
    assert_eq!(of(&server, &salon, &cy).await["role"], "member");
    // If Cy signs in, this does not count as a change to the membership of Cy.
    let page = bob.get(&path).await;
    server.clock.advance(60);
    server.signed_in(&salon, &cy).await;
    bob.submit(&page, &path, &[("role", "admin")]).await.leads_to(&format!("{path}?done=saved"));
    let page = bob.get(&path).await;
    bob.submit(&page, &path, &[("role", "boss")]).await.is(422).says("Choose one of these.");
}

#[tokio::test]
async fn an_admin_cannot_change_an_owner_and_a_member_sees_no_people() {
    let server = Server::open().await;
    let (salon, [(ada, _), (_, mut bob), (cy, mut cys)]) = salon(&server).await;
    let path = page_of(&server, &salon, &ada).await;
    let page = bob.get(&path).await.is(200).says("Only an owner can change an owner.");
    assert!(!page.forms().iter().any(|form| form.action.starts_with(&path)));
    assert!(!ways(&page).iter().any(|way| way.starts_with(&format!("{path}/"))));
    for step in ["disable", "enable", "remove"] {
        bob.get(&format!("{path}/{step}")).await.is(403).says("An admin cannot create or change an owner");
    }
    // The service also refuses a form that the page does not contain.
    let own = bob.get(&page_of(&server, &salon, &cy).await).await;
    let form = own.field(&page_of(&server, &salon, &cy).await, "form");
    for (at, fields) in [("", vec![("role", "member")]), ("/disable", vec![]), ("/remove", vec![])] {
        let fields: Vec<_> = fields.into_iter().chain([("form", form.as_str())]).collect();
        bob.post(&format!("{path}{at}"), &fields).await.is(403);
    }
    let page = bob.get(&page_of(&server, &salon, &cy).await).await;
    let up = page_of(&server, &salon, &cy).await;
    bob.submit(&page, &up, &[("role", "owner")]).await.is(403);
    assert_eq!(of(&server, &salon, &ada).await["status"], "active");
    let today = cys.get(&format!("/dashboard/b/{salon}/today")).await;
    assert!(!ways(&today).contains(&people(&salon)), "a member must not see a link to the people");
    cys.get(&up).await.is(404);
}

#[tokio::test]
async fn disabling_enabling_and_removing_a_person_affects_sessions_immediately() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), _, (cy, mut cys)]) = salon(&server).await;
    let (path, today) = (page_of(&server, &salon, &cy).await, format!("/dashboard/b/{salon}/today"));
    let page = ada.get(&path).await;
    for step in ["disable", "remove"] {
        assert!(ways(&page).contains(&format!("{path}/{step}")));
    }
    ada.get(&format!("{path}/enable")).await.leads_to(&path);
    let disable = format!("{path}/disable");
    let page = ada
        .get(&disable)
        .await
        .is(200)
        .says("Disable cy@example.com?")
        .says("all their sessions in this business end");
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
    let page = ada.get(&remove).await.is(200).says("They need a new invitation to come back.");
    let gone = format!("{}?done=removed", people(&salon));
    ada.submit(&page, &remove, &[]).await.leads_to(&gone);
    ada.submit(&page, &remove, &[]).await.leads_to(&gone);
    cys.get(&today).await.is(404);
    let listed = ada.get(&gone).await.says("The person no longer has access.");
    assert!(!listed.text().contains("cy@example.com"));
    ada.get(&path).await.is(404);
}

#[tokio::test]
async fn the_last_owner_cannot_leave_and_a_person_who_leaves_is_redirected() {
    let server = Server::open().await;
    let (salon, [(ada, mut adas), (bob, _), _]) = salon(&server).await;
    let path = page_of(&server, &salon, &ada).await;
    let page = adas.get(&path).await.is(200);
    let refused = adas.submit(&page, &path, &[("role", "member")]).await.is(409);
    let refused =
        refused.says("The business must keep an active owner").says("This is the last active owner.");
    assert!(!refused.text().contains("role:"), "the page must not contain the API's name of the field");
    for step in ["disable", "remove"] {
        let path = format!("{path}/{step}");
        let page = adas.get(&path).await.is(200);
        adas.submit(&page, &path, &[]).await.is(409).says("The business must keep an active owner");
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
async fn the_password_is_required_again_after_15_minutes_and_the_form_keeps_its_input() {
    let server = Server::open().await;
    let (salon, [(ada, _), (bob, mut enters), (cy, _)]) = salon(&server).await;
    let mut browser = server.with_password(&salon, &ada, PASSWORD).await;
    let invite = format!("{}/invite", people(&salon));
    let page = browser.get(&invite).await.is(200);
    assert!(
        !page.body.contains("current_password"),
        "the form must not ask for a password that was entered recently"
    );
    server.clock.advance(15 * 60);
    let asked =
        browser.submit(&page, &invite, &[("email", "new@example.com"), ("role", "admin")]).await.is(422);
    let asked = asked
        .says("Confirm your password first.")
        .says("Enter your current password, because you last entered it more than 15 minutes ago.");
    assert_eq!(
        (asked.field(&invite, "email"), asked.field(&invite, "role")),
        ("new@example.com".into(), "admin".into())
    );
    let wrong =
        browser.submit(&asked, &invite, &[("current_password", "not my password at all")]).await.is(422);
    let wrong = wrong.says("That is not your password.");
    assert!(!wrong.body.contains("not my password at all"), "the wrong password must not be shown again");
    assert_eq!(count(&server, &salon).await, 3);
    browser.submit(&wrong, &invite, &[("current_password", PASSWORD)]).await.is(200);
    assert_eq!(count(&server, &salon).await, 4);
    // If the owner entered the password at least 15 minutes ago, each of these forms asks for it again.
    for (path, fields) in [
        (page_of(&server, &salon, &cy).await, vec![("role", "admin")]),
        (page_of(&server, &salon, &cy).await + "/disable", vec![]),
        (page_of(&server, &salon, &cy).await + "/enable", vec![]),
        (page_of(&server, &salon, &cy).await + "/remove", vec![]),
    ] {
        server.clock.advance(15 * 60);
        let page = browser.get(&path).await.is(200).says("Current password");
        browser.submit(&page, &path, &fields).await.is(422).says("Confirm your password first.");
        let right: Vec<_> = fields.into_iter().chain([("current_password", PASSWORD)]).collect();
        browser.submit(&page, &path, &right).await.is(303);
    }
    assert_eq!(count(&server, &salon).await, 3, "the person must be removed");
    // A person who signed in by a link and has no password cannot confirm the form with a password. The
    // page says how to choose a password.
    let page = enters.get(&page_of(&server, &salon, &bob).await).await.is(200);
    page.says("Ask for a new link to choose a password.");
}

#[tokio::test]
async fn names_are_shown_as_text_and_the_list_has_pages_in_both_languages() {
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
        let person = Person { id: made["id"].as_str().unwrap().to_owned(), link: String::new() };
        let path = page_of(&server, &salon, &person).await;
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
        server.clock.advance(1); // the list is in the order of the invitations
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
    let page = ada.get(&invite).await.says("vous obtenez un lien à transmettre").says("Agenda, messages");
    ada.submit(&page, &invite, &[("email", "x")]).await.is(422).says("Il faut une adresse e-mail");
    ada.submit(&page, &invite, &[("email", "ADA@example.com")])
        .await
        .is(409)
        .says("Cette personne fait déjà partie de l’établissement.");
}

#[tokio::test]
async fn people_of_a_suspended_business_can_only_be_read() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), _, (cy, _)]) = salon(&server).await;
    let path = page_of(&server, &salon, &cy).await;
    let before = ada.get(&path).await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let page = ada.get(&people(&salon)).await.is(200).says("cy@example.com");
    assert!(!ways(&page).iter().any(|way| way.ends_with("/invite")));
    let page = ada.get(&path).await.is(200).says("Member");
    let search = format!("/dashboard/b/{salon}/search");
    assert!(page.forms().iter().all(|form| ["/dashboard/sign-out", &search].contains(&form.action.as_str())));
    ada.get(&format!("{}/invite", people(&salon))).await.is(403);
    ada.get(&format!("{path}/remove")).await.is(403);
    ada.submit(&before, &path, &[("role", "admin")]).await.is(403);
}

#[tokio::test]
async fn a_person_of_another_business_is_not_found() {
    let server = Server::open().await;
    let (salon, [(_, mut ada), ..]) = salon(&server).await;
    let other = server.business("Barbier").await;
    let eve = server.person(&other, "eve@example.com", "member").await;
    let invite = ada.get(&format!("{}/invite", people(&salon))).await;
    let id = invite.field(&format!("{}/invite", people(&salon)), "form");
    for business in [&salon, &other] {
        let path = format!("{}/{}", people(business), server.membership(&other, &eve).await);
        ada.get(&path).await.is(404);
        for step in ["", "/disable", "/remove"] {
            ada.post(&format!("{path}{step}"), &[("role", "admin"), ("form", &id)]).await.is(404);
        }
    }
    let now = of(&server, &other, &eve).await;
    assert_eq!((&now["role"], &now["status"]), (&json!("member"), &json!("active")));
}

/// The timestamp in a person's id shows when the account was created. The pages about a business's people
/// therefore contain no such id, and the list of people is not in the order of these ids: the person who was
/// invited last is last in the list, even if the account is old.
#[tokio::test]
async fn an_invitation_does_not_reveal_the_age_of_an_account() {
    let server = Server::open().await;
    let other = server.business("Barber Ben").await;
    let known = server.person(&other, "known@example.com", "owner").await;
    server.clock.advance(60);
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    server.clock.advance(60);
    let mut events = browser.listen(&format!("/dashboard/b/{salon}/stream")).await;
    let invited = server.invited(&salon, "known@example.com", "member").await;
    assert_eq!(invited.id, known.id);
    let heard = tokio::time::timeout(Duration::from_secs(60), events.next()).await.unwrap().unwrap();
    assert_eq!(heard, json!({ "kind": "person", "id": server.membership(&salon, &known).await }));
    let audit = format!("/dashboard/b/{salon}/settings/audit");
    let one = page_of(&server, &salon, &known).await;
    for path in [people(&salon), one.clone(), format!("{one}/remove"), audit.clone()] {
        let page = browser.get(&path).await.is(200).says("known@example.com");
        for person in [&known, &ada] {
            assert!(!page.body.contains(&person.id), "{path} contains the id {}", person.id);
        }
    }
    let page = browser.get(&people(&salon)).await;
    let of = |email: &str| page.body.rfind(email).unwrap();
    assert!(of("known@example.com") > of("ada@example.com"), "{}", page.body);
    // The id of the membership begins with the time of the invitation in milliseconds.
    let millis = |id: &str| u64::from_str_radix(&id.replace('-', "")[..12], 16).unwrap();
    let id = one.rsplit('/').next().unwrap();
    assert!(millis(id) >= millis(&ada.id) + 60_000, "{id} must be later than {}", ada.id);
    // The audit log can be filtered by the membership's id. The id of the person matches no entry.
    let all_of_it = format!("{audit}?id={id}");
    assert!(ways(&browser.get(&audit).await).contains(&all_of_it));
    browser.get(&all_of_it).await.says("known@example.com");
    browser.get(&format!("{}/{}", people(&salon), known.id)).await.is(404);
    // After the removal of the person, the audit log contains neither the id of the account nor the id of the
    // membership.
    let remove = format!("{one}/remove");
    let page = browser.get(&remove).await;
    browser.submit(&page, &remove, &[]).await;
    let page = browser.get(&audit).await;
    assert!(!page.body.contains(&known.id) && !page.body.contains(id), "{}", page.body);
}
