use uuid::Uuid;

use super::*;
use crate::LinkChannel;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_772_442_000_000 + seconds * 1_000)
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn person() -> Person {
    Person {
        id: Uuid::from_u128(1).into(),
        email: "Ada@Example.com".into(),
        name: "Ada".into(),
        locale: Locale::En,
        clock: crate::ClockFormat::Auto,
        week_start: crate::WeekStart::Auto,
        confirmed: false,
        password: None,
        created_at: at(0),
        updated_at: at(0),
        last_sign_in_at: None,
        sessions: Vec::new(),
        link: None,
        links_from: at(0),
    }
}

fn begin(number: u8) -> Begin {
    let id = Uuid::from_u128(u128::from(number)).into();
    Begin { id, hash: [number; 32], client: Client::default() }
}

fn with_password() -> Person {
    Person { password: Some("$argon2id$".into()), ..person() }
}

#[test]
fn a_link_works_once_and_until_it_expires() {
    for (kind, seconds) in
        [(LinkKind::Invitation, 7 * DAY), (LinkKind::Reset, HOUR), (LinkKind::Enter, 10 * MINUTE)]
    {
        let mut person = person();
        person.make_link(kind, ([9; 32], LinkChannel::Operator), None, at(0)).unwrap();
        assert_eq!(person.link.as_ref().unwrap().expires_at(), at(seconds));
        let mut late = person.clone();
        assert_eq!(late.use_link(&[9; 32], begin(1), at(seconds)), Err(Refusal::Expired));
        assert_eq!(person.use_link(&[8; 32], begin(1), at(1)), Err(Refusal::Expired), "unknown token");
        assert_eq!(person.use_link(&[9; 32], begin(1), at(seconds - 1)), Ok(kind));
        assert_eq!(person.use_link(&[9; 32], begin(2), at(seconds - 1)), Err(Refusal::Expired), "used link");
        assert_eq!(person.sessions.len(), 1);
        assert_eq!(person.sessions[0].restricted, kind != LinkKind::Enter);
        assert!(person.confirmed);
    }
}

#[test]
fn a_newer_link_a_new_password_and_a_new_email_void_a_link() {
    let mut person = with_password();
    person.make_link(LinkKind::Reset, ([1; 32], LinkChannel::Mailed), None, at(0)).unwrap();
    person.make_link(LinkKind::Reset, ([2; 32], LinkChannel::Mailed), None, at(1)).unwrap();
    assert_eq!(person.use_link(&[1; 32], begin(1), at(2)), Err(Refusal::Expired));
    person.sign_in(begin(3), at(2));
    let mut other = person.clone();
    person.set_password(&[3; 32], "new".into(), begin(4), at(3)).unwrap();
    assert_eq!(person.use_link(&[2; 32], begin(5), at(4)), Err(Refusal::Expired));
    other.change_email(&[3; 32], &Address::new("b@example.com").unwrap(), None, at(3)).unwrap();
    assert_eq!(other.use_link(&[2; 32], begin(5), at(4)), Err(Refusal::Expired));
    assert!(!other.confirmed && other.email == "b@example.com");
}

#[test]
fn a_time_stamp_in_the_future_grants_no_access() {
    let mut person = with_password();
    person.make_link(LinkKind::Reset, ([1; 32], LinkChannel::Mailed), None, at(DAY)).unwrap();
    assert_eq!(person.use_link(&[1; 32], begin(1), at(0)), Err(Refusal::Expired));
    person.sign_in(begin(2), at(DAY));
    assert!(person.session(&[2; 32], at(0)).is_none());
    assert!(
        person.session(&[2; 32], at(DAY - MINUTE)).is_some(),
        "a session must survive a small backward correction of the clock"
    );
}

#[test]
fn a_session_ends_after_a_week_unused_and_after_a_month_in_all() {
    let mut person = with_password();
    person.sign_in(begin(1), at(0));
    assert!(person.session(&[1; 32], at(7 * DAY - 1)).is_some());
    assert!(person.session(&[1; 32], at(7 * DAY)).is_none());
    person.sessions[0].last_used_at = at(29 * DAY);
    assert!(person.session(&[1; 32], at(30 * DAY - 1)).is_some());
    assert!(person.session(&[1; 32], at(30 * DAY)).is_none());
    person.sessions[0].restricted = true;
    person.sessions[0].last_used_at = at(0);
    assert!(person.session(&[1; 32], at(HOUR - 1)).is_some());
    assert!(person.session(&[1; 32], at(HOUR)).is_none());
    assert!(person.forget_expired(at(HOUR)) && person.sessions.is_empty());
}

#[test]
fn a_session_above_the_limit_ends_the_one_unused_for_longest() {
    let mut person = with_password();
    for number in 0..=u8::try_from(SESSIONS_MAX).unwrap() {
        person.sign_in(begin(number), at(i64::from(number)));
    }
    assert_eq!(person.sessions.len(), SESSIONS_MAX);
    assert!(person.session(&[0; 32], at(60)).is_none() && person.session(&[1; 32], at(60)).is_some());
}

#[test]
fn a_new_password_ends_all_other_sessions_and_the_session_gets_another_token() {
    let mut person = with_password();
    person.sign_in(begin(1), at(0));
    person.sign_in(begin(2), at(0));
    let late = at(15 * MINUTE);
    let refused = person.set_password(&[1; 32], "new".into(), begin(3), late);
    assert!(matches!(refused, Err(Refusal::NotAllowed(_))), "the password was given too long ago");
    person.set_password(&[1; 32], "new".into(), begin(3), at(15 * MINUTE - 1)).unwrap();
    assert_eq!(person.sessions.iter().map(|session| session.hash[0]).collect::<Vec<_>>(), [3]);
    assert_eq!(person.password.as_deref(), Some("new"));
}

#[test]
fn a_restricted_session_sets_a_password_and_accepts_the_membership_that_it_came_from() {
    let business = Uuid::from_u128(7).into();
    let mut person = person();
    person.make_link(LinkKind::Invitation, ([1; 32], LinkChannel::Operator), Some(business), at(0)).unwrap();
    person.use_link(&[1; 32], begin(2), at(0)).unwrap();
    let email = Address::new("b@example.com").unwrap();
    assert!(matches!(person.change_email(&[2; 32], &email, None, at(1)), Err(Refusal::NotAllowed(_))));
    // A session can change a password only during its first 15 minutes, and 30 minutes have passed. However, this
    // account has no password yet, so its session can still set the first one.
    let set = person.set_password(&[2; 32], "new".into(), begin(3), at(30 * MINUTE));
    assert_eq!(set, Ok(Some(business)));
    assert!(!person.sessions[0].restricted);
}

#[test]
fn a_confirming_link_removes_earlier_passwords_and_sessions() {
    let mut squatted = with_password();
    squatted.sign_in(begin(1), at(0));
    squatted.make_link(LinkKind::Reset, ([1; 32], LinkChannel::Mailed), None, at(0)).unwrap();
    squatted.use_link(&[1; 32], begin(2), at(1)).unwrap();
    assert!(squatted.session(&[1; 32], at(1)).is_none() && squatted.confirmed && squatted.password.is_none());
    let mut entered = with_password();
    entered.make_link(LinkKind::Enter, ([1; 32], LinkChannel::Operator), None, at(0)).unwrap();
    entered.use_link(&[1; 32], begin(2), at(1)).unwrap();
    assert_eq!(entered.password, None);
    let mut confirmed = Person { confirmed: true, ..with_password() };
    confirmed.sign_in(begin(1), at(0));
    confirmed.make_link(LinkKind::Enter, ([1; 32], LinkChannel::Operator), None, at(0)).unwrap();
    confirmed.use_link(&[1; 32], begin(2), at(1)).unwrap();
    assert!(confirmed.password.is_some() && confirmed.sessions.len() == 2);
    let mut added = with_password();
    added.sign_in(begin(1), at(0));
    assert!(added.clear_unconfirmed(at(1)) && added.password.is_none() && added.sessions.is_empty());
    assert!(!added.clear_unconfirmed(at(2)), "a second call must find nothing to remove");
}

#[test]
fn a_link_shown_by_a_dashboard_is_an_invitation_and_does_not_confirm_the_address() {
    let mut person = person();
    for kind in [LinkKind::Reset, LinkKind::Enter, LinkKind::Email] {
        let made = person.make_link(kind, ([1; 32], LinkChannel::Shown), None, at(0));
        assert!(matches!(made, Err(Refusal::NotAllowed(_))), "{kind}");
    }
    assert!(person.make_link(LinkKind::Enter, ([1; 32], LinkChannel::Mailed), None, at(0)).is_err());
    assert!(person.is_safe());
    person.make_link(LinkKind::Invitation, ([1; 32], LinkChannel::Shown), None, at(0)).unwrap();
    assert!(
        !person.is_safe() && !person.may_be_anothers(),
        "everyone who sees the shown link can set the password"
    );
    person.use_link(&[1; 32], begin(1), at(1)).unwrap();
    assert!(!person.confirmed);
    assert!(!person.is_safe(), "the session may belong to someone else who saw the shown link");
    let mut other = with_password();
    assert!(other.make_link(LinkKind::Invitation, ([1; 32], LinkChannel::Operator), None, at(0)).is_err());
}

#[test]
fn a_mailed_change_of_email_applies_when_its_link_is_used() {
    let mut person = Person { confirmed: true, ..with_password() };
    person.sign_in(begin(1), at(0));
    let email = Address::new("New@Example.com").unwrap();
    person.change_email(&[1; 32], &email, Some([5; 32]), at(1)).unwrap();
    assert_eq!(person.email, "Ada@Example.com");
    assert!(matches!(person.use_link(&[5; 32], begin(2), at(2)), Err(Refusal::NotAllowed(_))));
    assert!(
        matches!(person.prove_email(&[5; 32], &[9; 32], at(2)), Err(Refusal::NotAllowed(_))),
        "unknown session"
    );
    assert_eq!(person.prove_email(&[6; 32], &[1; 32], at(2)), Err(Refusal::Expired), "another link");
    assert_eq!(person.prove_email(&[5; 32], &[1; 32], at(2)).as_deref(), Ok("Ada@Example.com"));
    assert_eq!(person.prove_email(&[5; 32], &[1; 32], at(2)), Err(Refusal::Expired), "used link");
    assert_eq!(
        (person.email.as_str(), person.email_folded().as_str()),
        ("New@Example.com", "new@example.com")
    );
    assert_eq!(person.sessions.len(), 1, "a link that only proves an address must not sign anyone in");
}

#[test]
fn an_unused_account_becomes_an_orphan() {
    assert!(!person().may_be_orphan(at(DAY - 1)));
    assert!(person().may_be_orphan(at(DAY)));
    let mut left = with_password();
    assert!(!left.may_be_orphan(at(90 * DAY - 1)) && left.may_be_orphan(at(90 * DAY)));
    left.last_sign_in_at = Some(at(DAY));
    assert!(!left.may_be_orphan(at(91 * DAY - 1)) && left.may_be_orphan(at(91 * DAY)));
    left.begin(begin(9), false, None, at(90 * DAY));
    assert!(!left.may_be_orphan(at(91 * DAY)), "an account with an open session must not expire");
    let mut invited = person();
    invited.make_link(LinkKind::Invitation, ([1; 32], LinkChannel::Operator), None, at(0)).unwrap();
    assert!(!invited.may_be_orphan(at(DAY)));
}

#[test]
fn an_account_that_is_not_confirmed_keeps_the_session_that_proves_its_address_and_no_other() {
    let mut person = with_password();
    person.sign_in(begin(1), at(0));
    person.sign_in(begin(2), at(0));
    let email = Address::new("new@example.com").unwrap();
    person.change_email(&[1; 32], &email, Some([5; 32]), at(1)).unwrap();
    person.prove_email(&[5; 32], &[1; 32], at(2)).unwrap();
    assert!(person.confirmed && person.password.is_some());
    assert_eq!(person.sessions.iter().map(|session| session.hash[0]).collect::<Vec<_>>(), [1]);
    // A person who knows only the password must not be able to invalidate the link in a mail to the current address.
    let mut squatted = with_password();
    squatted.sign_in(begin(1), at(0));
    squatted.make_mailed_link(None, ([7; 32], at(0)), None, at(0)).unwrap().unwrap();
    let moved = squatted.change_email(&[1; 32], &email, Some([5; 32]), at(1));
    assert!(matches!(moved, Err(Refusal::Conflict { .. })));
    squatted.change_email(&[1; 32], &email, None, at(1)).unwrap();
    assert!(squatted.link.is_none() && !squatted.confirmed);
}

#[test]
fn a_mailed_link_is_not_renewed_after_its_use_or_after_a_newer_link() {
    let mail = |number: u8, written| ([number; 32], at(written));
    let mut person = with_password();
    let made = person.make_mailed_link(None, mail(1, 10), None, at(11)).unwrap();
    assert_eq!(made, Some((LinkKind::Reset, at(11 + HOUR))));
    // After the link has expired, the next attempt to send the mail creates a new link.
    let again = person.make_mailed_link(None, mail(1, 10), None, at(3 * HOUR)).unwrap();
    assert_eq!(again, Some((LinkKind::Reset, at(4 * HOUR))));
    let mut used = person.clone();
    used.use_link(&[1; 32], begin(1), at(3 * HOUR)).unwrap();
    assert_eq!(
        used.make_mailed_link(None, mail(1, 10), None, at(3 * HOUR)),
        Ok(None),
        "a used link must not be renewed"
    );
    assert!(
        person.make_mailed_link(None, mail(2, 9), None, at(3 * HOUR)).unwrap().is_some(),
        "a mail of another business must get a new link"
    );
    assert_eq!(
        person.use_link(&[1; 32], begin(1), at(3 * HOUR)),
        Err(Refusal::Expired),
        "the earlier link must be invalid"
    );
    let mut handed = person.clone();
    handed.make_link(LinkKind::Reset, ([8; 32], LinkChannel::Operator), None, at(3 * HOUR)).unwrap();
    assert_eq!(
        handed.make_mailed_link(None, mail(1, 10), None, at(3 * HOUR)),
        Ok(None),
        "the operator's link is newer, so the mail must not get a link"
    );
    person.sign_in(begin(4), at(4 * HOUR));
    let mut other = person.clone();
    person.set_password(&[4; 32], "new".into(), begin(5), at(4 * HOUR)).unwrap();
    other.change_email(&[4; 32], &Address::new("b@example.com").unwrap(), None, at(4 * HOUR)).unwrap();
    for mut person in [person, other] {
        assert_eq!(person.make_mailed_link(None, mail(6, 4 * HOUR - 1), None, at(5 * HOUR)), Ok(None));
        assert!(person.make_mailed_link(None, mail(6, 4 * HOUR), None, at(5 * HOUR)).unwrap().is_some());
    }
}

#[test]
fn a_clock_that_was_ahead_invalidates_no_links() {
    let mut person = with_password();
    person.sign_in(begin(1), at(DAY));
    person.set_password(&[1; 32], "new".into(), begin(2), at(DAY)).unwrap();
    assert!(person.make_mailed_link(None, ([3; 32], at(0)), None, at(0)).unwrap().is_some());
}

#[test]
fn two_spellings_are_one_account_only_where_they_differ_in_ascii_case() {
    let folded = |text: &str| Address::new(text).unwrap().folded().to_owned();
    assert_eq!(folded("Kate@X.com"), folded("kate@x.COM"));
    for other in ["\u{212a}ate@x.com", "k\u{e1}te@x.com", "K\u{c1}TE@x.com", "\u{ff4b}ate@x.com"] {
        assert_ne!(folded(other), folded("kate@x.com"), "{other}");
    }
    assert_ne!(
        folded("K\u{c1}TE@x.com"),
        folded("k\u{e1}te@x.com"),
        "letters outside ASCII must not be folded"
    );
}

#[test]
fn an_address_that_no_relay_accepts_is_refused() {
    for bad in [
        "a,b<c>@x",
        "a b@x.com",
        "a@b@c.com",
        "\"a\"@x.com",
        "a..b@x.com",
        ".a@x.com",
        "a.@x.com",
        "a@x..com",
        "a@-x.com",
        "a@x-.com",
        "a@x.com.",
        "a@[192.0.2.1]",
        "a@x_y.com",
        "a@",
        "@x.com",
        "a(b)@x.com",
    ] {
        assert!(Address::new(bad).is_err(), "{bad}");
    }
    assert!(Address::new(&format!("{}@x.com", "a".repeat(65))).is_err());
    assert!(Address::new(&format!("a@{}.com", "x".repeat(64))).is_err());
    for good in ["a@x", "o'brien+tag@x-y.example", "zo\u{eb}@ex\u{e4}mple.com", "a.b.c@1.example"] {
        Address::new(good).unwrap();
    }
}

#[test]
fn a_change_of_an_account_keeps_the_fields_that_it_does_not_name() {
    let mut person = with_password();
    let before = person.clone();
    AccountPatch::default().apply(&mut person, at(9));
    assert!(person == before, "an empty change must not change `updated_at`");
    let patch = AccountPatch {
        clock: Some(ClockFormat::Twelve),
        week_start: Some(WeekStart::Sunday),
        ..AccountPatch::default()
    };
    patch.apply(&mut person, at(9));
    let expected = Person {
        clock: ClockFormat::Twelve,
        week_start: WeekStart::Sunday,
        updated_at: at(9),
        ..before.clone()
    };
    assert!(person == expected, "{person:?}");
    AccountPatch::named(PersonName::new("Zoë".into()).unwrap()).apply(&mut person, at(10));
    assert_eq!((person.name.as_str(), person.updated_at, person.clock), ("Zoë", at(10), ClockFormat::Twelve));
}
