use super::*;
use crate::{
    AlertChoice, AlertChoices, AlertEmail, AppointmentStatus, Buffers, CalendarSyncStatus, Locale,
    MembershipStatus, Offer, Source, Urgency,
};

const ROLES: [Role; 3] = [Role::Owner, Role::Admin, Role::Member];

fn id<I: ResourceId>(number: u128) -> I {
    Uuid::from_u128(number).into()
}

fn member(number: u128, role: Role, staff: Option<u128>) -> Membership {
    let at = Timestamp::from_millis(5);
    Membership {
        person_id: id(number),
        role,
        status: MembershipStatus::Active,
        accepted: true,
        staff_id: staff.map(id),
        alerts: AlertChoices::default(),
        offer: Offer { email: "a@b.c".into(), name: String::new(), locale: Locale::En },
        created_at: at,
        updated_at: at,
    }
}

fn team(of: &[Membership]) -> Team {
    of.iter().map(|membership| (membership.person_id, membership.clone())).collect()
}

fn happening(kind: AlertKind, staff: [Option<u128>; 2]) -> AlertTrigger {
    AlertTrigger { kind, id: Uuid::from_u128(99), staff: staff.map(|staff| staff.map(id)) }
}

/// Returns the people who receive an alert about another person's action, each with their mail setting.
fn recipients(kind: AlertKind, staff: [Option<u128>; 2], of: &Team) -> Vec<(u128, AlertEmail)> {
    let happening = happening(kind, staff);
    let alerted = happening.recipients(of, Actor::Operator);
    alerted.map(|(person, setting)| (person.uuid().as_u128(), setting.email)).collect()
}

#[test]
fn each_role_receives_each_kind_by_its_default() {
    use AlertEmail::{Now, Off};
    let all = team(&[
        member(1, Role::Owner, None),
        member(2, Role::Admin, Some(7)),
        member(3, Role::Member, None),
        member(4, Role::Member, Some(7)),
        member(5, Role::Member, Some(8)),
    ]);
    // Each row of the table contains a kind of alert about staff member 7. Then it contains the mail setting of each
    // person of the team, or `None` for a person who does not receive the alert.
    let table: [(AlertKind, [Option<AlertEmail>; 5]); 11] = [
        (AlertKind::WebhookDisabled, [Some(Now), Some(Now), None, None, None]),
        (AlertKind::UrgentMessage, [Some(Now), Some(Now), Some(Now), Some(Now), Some(Now)]),
        (AlertKind::MessageTaken, [Some(Now), Some(Now), Some(Off), Some(Off), Some(Off)]),
        (AlertKind::AppointmentRequested, [Some(Now), Some(Now), Some(Off), Some(Now), None]),
        (AlertKind::AppointmentBooked, [Some(Off), Some(Off), Some(Off), Some(Now), None]),
        (AlertKind::AppointmentRescheduled, [Some(Off), Some(Off), Some(Off), Some(Now), None]),
        (AlertKind::AppointmentCancelled, [Some(Off), Some(Off), Some(Off), Some(Now), None]),
        (AlertKind::CallMissed, [Some(Now), Some(Now), Some(Off), Some(Off), Some(Off)]),
        (AlertKind::WebhookFailing, [Some(Now), Some(Now), None, None, None]),
        (AlertKind::CalendarFailed, [Some(Now), Some(Now), None, Some(Now), None]),
        (AlertKind::CalendarEventChanged, [Some(Off), Some(Off), Some(Off), Some(Now), None]),
    ];
    assert_eq!(table.len(), AlertKind::ALL.len());
    for (kind, expected) in table {
        let expected: Vec<_> =
            (1..).zip(expected).filter_map(|(number, email)| Some((number, email?))).collect();
        assert_eq!(recipients(kind, [Some(7), None], &all), expected, "{kind}");
    }
}

#[test]
fn choices_apply_to_every_kind_and_role() {
    for kind in AlertKind::ALL.iter().copied() {
        for role in ROLES {
            for scope in [AlertScope::All, AlertScope::Mine] {
                for email in [AlertEmail::Now, AlertEmail::Daily, AlertEmail::Off] {
                    for in_app in [true, false] {
                        let mut one = member(1, role, Some(7));
                        let chosen =
                            AlertChoice { email: Some(email), in_app: Some(in_app), scope: Some(scope) };
                        one.choose_alert(kind, chosen);
                        let of = team(&[one]);
                        for (staff, concerned) in [(Some(7), true), (Some(8), false), (None, false)] {
                            let happening = happening(kind, [staff, None]);
                            let found: Vec<_> = happening.recipients(&of, Actor::Operator).collect();
                            // A member sees only the calendars of the staff member to whom the member is linked.
                            let is_seen = kind.is_shown_to(role)
                                && (kind != AlertKind::CalendarFailed || role != Role::Member || concerned);
                            let meant = is_seen && (scope == AlertScope::All || concerned);
                            let setting = AlertSetting { email, in_app, scope };
                            let expected: Vec<_> = meant.then_some((id(1), setting)).into_iter().collect();
                            assert_eq!(found, expected, "{kind} {role} {chosen:?} {staff:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_person_receives_no_alert_of_their_own_action_or_outside_their_membership() {
    for kind in AlertKind::ALL.iter().copied() {
        for role in ROLES.into_iter().filter(|role| kind.is_shown_to(*role)) {
            for status in [MembershipStatus::Invited, MembershipStatus::Active, MembershipStatus::Disabled] {
                let one = Membership { status, ..member(1, role, Some(7)) };
                let mut one_and_all = one.clone();
                one_and_all.choose_alert(
                    kind,
                    AlertChoice { scope: Some(AlertScope::All), ..AlertChoice::default() },
                );
                let of = team(&[one_and_all, member(2, Role::Owner, None)]);
                let happening = happening(kind, [Some(7), None]);
                let by = |by| happening.recipients(&of, by).map(|(person, _)| person).collect::<Vec<_>>();
                let is_active = status == MembershipStatus::Active;
                let expected: Vec<PersonId> =
                    [is_active.then_some(1), Some(2)].into_iter().flatten().map(id).collect();
                for actor in [Actor::Operator, Actor::System, Actor::ApiKey(id(1)), Actor::Person(id(3))] {
                    assert_eq!(by(actor), expected, "{kind} {role} {status}");
                }
                assert_eq!(by(Actor::Person(id(1))), [id(2)], "{kind} {role} {status}");
            }
        }
    }
}

fn appointment(staff: u128, at: i64) -> Appointment {
    Appointment {
        id: id(1),
        status: AppointmentStatus::Confirmed,
        starts_at: Timestamp::from_millis(at),
        ends_at: Timestamp::from_millis(at + 1),
        buffers: Buffers::default(),
        service_id: id(2),
        staff_id: id(staff),
        contact_id: None,
        source: Source::Api,
        calendar_sync_status: CalendarSyncStatus::NotConnected,
        announced: true,
        move_unannounced: false,
        notes: None,
        customer_note: None,
        booked_as: None,
        attendance: None,
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    }
}

#[test]
fn a_move_to_another_staff_member_concerns_both() {
    let moved = AlertTrigger::of_appointment(Some(&appointment(7, 1)), &appointment(8, 2)).unwrap();
    assert_eq!(moved.kind, AlertKind::AppointmentRescheduled);
    let of = team(&[
        member(1, Role::Member, Some(7)),
        member(2, Role::Member, Some(8)),
        member(3, Role::Member, Some(9)),
    ]);
    let mailed: Vec<_> = moved.recipients(&of, Actor::System).map(|(person, _)| person).collect();
    assert_eq!(mailed, [id(1), id(2)]);
    assert_eq!(AlertTrigger::of_appointment(Some(&appointment(7, 1)), &appointment(7, 1)), None);
}

#[test]
fn a_message_is_one_kind_of_alert_with_or_without_a_staff_member() {
    let message = |urgency, staff: Option<u128>| TakenMessage {
        id: id(1),
        call_id: None,
        contact_id: None,
        caller_name: None,
        caller_phone: None,
        body: "Hello".into(),
        urgency,
        staff_id: staff.map(id),
        status: crate::MessageStatus::New,
        notes: None,
        snoozed_until: None,
        created_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    };
    for (urgency, kind) in
        [(Urgency::Urgent, AlertKind::UrgentMessage), (Urgency::Normal, AlertKind::MessageTaken)]
    {
        for staff in [None, Some(7)] {
            let happening = AlertTrigger::of_message(&message(urgency, staff));
            assert_eq!((happening.kind, happening.staff), (kind, [staff.map(id), None]));
        }
    }
}

#[test]
fn an_alert_is_marked_as_read_alone_or_with_all_earlier_ones_and_shown_in_the_time_of_the_membership() {
    let at = Timestamp::from_millis;
    let about = About { kind: AlertKind::WebhookDisabled, id: Uuid::from_u128(1), at: at(5) };
    let alert = Alert { id: id(1), person_id: id(1), number: 4, about, read_at: None };
    assert_eq!(alert.clone().shown(None).read_at, None);
    assert_eq!(alert.clone().shown(Some(AlertsRead { until: 3, at: at(9) })).read_at, None);
    assert_eq!(alert.clone().shown(Some(AlertsRead { until: 4, at: at(9) })).read_at, Some(at(9)));
    let read = Alert { read_at: Some(at(7)), ..alert.clone() };
    assert_eq!(read.shown(Some(AlertsRead { until: 4, at: at(9) })).read_at, Some(at(7)));
    assert!(alert.is_shown_by(&member(1, Role::Admin, None)));
    assert!(
        !alert.is_shown_by(&member(1, Role::Member, None)),
        "a member must not see alerts about webhooks"
    );
    let later = Membership { created_at: at(6), ..member(1, Role::Owner, None) };
    assert!(!alert.is_shown_by(&later), "an alert from before the membership began must not be shown");
}
