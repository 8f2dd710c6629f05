//! The engine's refusals, in each language. The matches are exhaustive, so each refusal has a text.

use domain::{
    Amendment, AppointmentStatus, BudgetKind, Conflict, Denied, Locale, Refusal, SlotReason, UnderWay, Wait,
};

use super::of;
use super::problems::problem;
use crate::words::Words;

pub(in crate::dashboard) fn refusal(words: &Words, refusal: &Refusal) -> String {
    let (english, french) = match refusal {
        Refusal::Invalid(problems) => {
            let all = problems.iter().map(|one| problem(words, &one.code));
            return all.collect::<Vec<_>>().join(" ");
        }
        Refusal::Conflict { conflict, .. } => return self::conflict(words, conflict),
        Refusal::UnderWay { what, .. } => return under_way(words.locale, *what).to_owned(),
        Refusal::NotAllowed(denied) => return self::denied(words.locale, *denied).to_owned(),
        Refusal::SlotUnavailable(reason) => return slot(words.locale, *reason).to_owned(),
        Refusal::BookingDisabled => (
            "The business takes no bookings at present.",
            "L’établissement ne prend pas de rendez-vous actuellement.",
        ),
        Refusal::NotFound(_) => ("There is no such record.", "Cet enregistrement n’existe pas."),
        Refusal::Expired => ("The link was used or has expired.", "Le lien a déjà été utilisé ou a expiré."),
        Refusal::BookingRequiresConfirmation => {
            ("The business confirms each booking.", "L’établissement confirme chaque rendez-vous.")
        }
        Refusal::IdempotencyInProgress => ("It is being sent already.", "L’envoi est déjà en cours."),
        Refusal::IdempotencyKeyReused => (
            "This form was sent before with other content.",
            "Ce formulaire a déjà été envoyé avec un autre contenu.",
        ),
    };
    of(words.locale, english, french).to_owned()
}

fn slot(locale: Locale, reason: SlotReason) -> &'static str {
    let (english, french) = match reason {
        SlotReason::Past => ("That time is in the past.", "Cette heure est passée."),
        SlotReason::ClosedThatDay => {
            ("The business is closed that day.", "L’établissement est fermé ce jour-là.")
        }
        SlotReason::Break => ("That time lies across a break.", "Cette heure chevauche une pause."),
        SlotReason::TooShortNotice => (
            "That time is too soon: this service has to be booked earlier.",
            "Cette heure est trop proche : cette prestation se réserve plus tôt.",
        ),
        SlotReason::TooFarAhead => (
            "That time is too far ahead for this service.",
            "Cette heure est trop lointaine pour cette prestation.",
        ),
        SlotReason::StaffOff => (
            "Whoever could take it is off at that time.",
            "Les personnes qui pourraient le prendre sont absentes à cette heure.",
        ),
        SlotReason::NobodyAvailable => (
            "Whoever could take it is not available at that time.",
            "Les personnes qui pourraient le prendre ne sont pas disponibles à cette heure.",
        ),
        SlotReason::Buffer => (
            "That time is too close to another appointment or to time off.",
            "Cette heure est trop proche d’un autre rendez-vous ou d’un congé.",
        ),
        SlotReason::OutsideHours => {
            ("That time is outside opening hours.", "Cette heure est hors des horaires d’ouverture.")
        }
        SlotReason::OffGrid => (
            "That is none of the times at which appointments begin.",
            "Les rendez-vous ne commencent pas à cette heure-là.",
        ),
        SlotReason::Taken => ("That time is taken.", "Ce créneau est pris."),
        SlotReason::NobodyOffersIt => {
            ("Nobody offers this service at present.", "Personne ne propose cette prestation actuellement.")
        }
        SlotReason::ServiceInactive => {
            ("That service can no longer be booked.", "Cette prestation ne peut plus être réservée.")
        }
        SlotReason::StaffUnavailable => (
            "That person no longer takes appointments for this service.",
            "Cette personne ne prend plus de rendez-vous pour cette prestation.",
        ),
    };
    of(locale, english, french)
}

pub(super) fn conflict(words: &Words, conflict: &Conflict) -> String {
    let (english, french) = match conflict {
        Conflict::SpecialDaysFull(most) => {
            return counted(
                words,
                *most,
                "A business keeps {} special days at most: remove some that are over.",
                "On garde {} jours particuliers au plus : retirez-en qui sont passés.",
            );
        }
        Conflict::TimesOffFull(most) => {
            return counted(
                words,
                *most,
                "There are {} times off to come, which is as many as there may be.",
                "Il y a {} absences à venir, on ne peut pas en garder plus.",
            );
        }
        Conflict::EndpointsFull(most) => {
            return counted(
                words,
                *most,
                "A business has at most {} endpoints.",
                "Un établissement a {} adresses au plus.",
            );
        }
        Conflict::PeopleFull(most) => {
            return counted(
                words,
                *most,
                "A business has {} people at most.",
                "Un établissement compte {} personnes au plus.",
            );
        }
        Conflict::AppointmentStatus(status, amendment) => {
            return appointment(words.locale, *status, *amendment);
        }
        Conflict::BudgetUsedUp(kind) => budget(*kind),
        Conflict::InvitationsUsedUp(wait) => {
            let (english, french) = (
                "As many invitations were mailed today as may be.",
                "Aucune autre invitation ne peut partir aujourd’hui.",
            );
            return format!("{} {}", of(words.locale, english, french), next(words, *wait));
        }
        Conflict::AddressChangesUsedUp(wait) => {
            let (english, french) = (
                "As many mails to new emails were sent today as may be.",
                "Aucun autre courriel vers une nouvelle adresse ne peut partir aujourd’hui.",
            );
            return format!("{} {}", of(words.locale, english, french), next(words, *wait));
        }
        Conflict::Changed => {
            ("Somebody else has changed this meanwhile.", "Quelqu’un d’autre a modifié ceci entre-temps.")
        }
        Conflict::NoSpecialDay => {
            ("That day is no special day any more.", "Ce jour n’est plus un jour particulier.")
        }
        Conflict::StartsElsewhere(_) => {
            ("The appointment was moved meanwhile.", "Le rendez-vous a été déplacé entre-temps.")
        }
        Conflict::AppointmentEnded => {
            ("The appointment is over already.", "Le rendez-vous est déjà terminé.")
        }
        Conflict::InUse(_) => (
            "Something refers to it; it can be turned off instead.",
            "Quelque chose s’y rapporte ; on peut décocher la case à la place.",
        ),
        Conflict::EndpointDisabled => {
            ("The endpoint is off. Turn it on first.", "L’adresse est coupée. Réactivez-la d’abord.")
        }
        Conflict::DeliveryPending => ("It is being sent already.", "L’envoi est déjà en cours."),
        Conflict::ContactErased => (
            "The contact was erased, so nothing can be noted of the appointment.",
            "Le contact a été effacé : rien ne peut être noté sur ce rendez-vous.",
        ),
        Conflict::EventWiped => (
            "It told of a contact who was erased, so it cannot be sent again.",
            "Il parlait d’un contact qui a été supprimé : il ne peut plus être renvoyé.",
        ),
        Conflict::ContactTaken { .. } => {
            ("Another contact has this phone or email.", "Un autre contact a ce téléphone ou cette adresse.")
        }
        Conflict::BelongsAlready => {
            ("This person belongs already.", "Cette personne fait déjà partie de l’établissement.")
        }
        Conflict::NotOnOffer => ("The invitation is not open any more.", "L’invitation n’est plus ouverte."),
        Conflict::LastOwner => {
            ("The business would be left without an owner.", "L’établissement n’aurait plus de propriétaire.")
        }
        Conflict::PasswordOfAnother => (
            "Somebody else may have set the password of this account.",
            "Quelqu’un d’autre a peut-être choisi le mot de passe de ce compte.",
        ),
        Conflict::AccountUnconfirmed => {
            ("Your account is not confirmed yet.", "Votre compte n’est pas encore confirmé.")
        }
        Conflict::AccountHasPassword => {
            ("The account has a password already.", "Le compte a déjà un mot de passe.")
        }
        Conflict::AddressUnconfirmed => (
            "The account of this email is not confirmed, and no mail can be sent to it.",
            "Le compte de cette adresse n’est pas confirmé, et aucun courriel ne peut lui être envoyé.",
        ),
        Conflict::AddressTaken => ("Another account has this email.", "Un autre compte a cette adresse."),
        Conflict::TestMailsUsedUp(_) => (
            "As many test mails were sent as may be.",
            "Il n’est pas permis d’envoyer plus de courriels d’essai pour l’instant.",
        ),
        Conflict::MailPending => ("This mail is still to be sent.", "Ce courriel n’est pas encore parti."),
        Conflict::MailHasLink => (
            "An invitation, or a mail with a link, is not sent again.",
            "Une invitation, ou un courriel avec un lien, n’est pas renvoyée.",
        ),
        Conflict::NoRelay | Conflict::NoRelaySet(_) => (
            "No mail is sent. The service has no relay.",
            "Aucun courriel n’est envoyé. Le service n’a pas de relais.",
        ),
        Conflict::NoPublicUrl => {
            ("People reach this service at no address.", "Le service n’est joignable à aucune adresse.")
        }
        Conflict::MailsWait => (
            "Too many mails of the business wait to be sent.",
            "Trop de courriels de l’établissement attendent d’être envoyés.",
        ),
    };
    of(words.locale, english, french).to_owned()
}

/// A sentence with a number at `{}`.
pub(super) fn counted(words: &Words, count: usize, english: &str, french: &str) -> String {
    of(words.locale, english, french).replace("{}", &grouped(words, count))
}

/// A number with a separator between thousands.
pub(super) fn grouped(words: &Words, number: usize) -> String {
    let separator = of(words.locale, ",", "\u{a0}");
    match (number / 1_000, number % 1_000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{}{separator}{rest:03}", grouped(words, thousands)),
    }
}

/// The time of the next possible attempt.
pub(super) fn next(words: &Words, wait: Wait) -> String {
    let (count, english, french) = match wait {
        Wait::Minutes(count) => (count, "minute", "minute"),
        Wait::Hours(count) => (count, "hour", "heure"),
    };
    let unit = of(words.locale, english, french);
    let plural = if count == 1 { "" } else { "s" };
    of(words.locale, "The next one can be sent in {}.", "Le prochain envoi est possible dans {}.")
        .replace("{}", &format!("{count} {unit}{plural}"))
}

fn appointment(locale: Locale, status: AppointmentStatus, amendment: Amendment) -> String {
    let (english, french) = match status {
        AppointmentStatus::Pending => ("waits to be confirmed", "attend d’être confirmé"),
        AppointmentStatus::Confirmed => ("is confirmed", "est confirmé"),
        AppointmentStatus::Declined => ("is declined", "est refusé"),
        AppointmentStatus::Cancelled => ("is cancelled", "est annulé"),
    };
    let is = of(locale, english, french);
    let (english, french) = match amendment {
        Amendment::Rescheduled => ("moved", "déplacé"),
        Amendment::Confirmed => ("confirmed", "confirmé"),
        Amendment::Declined => ("declined", "refusé"),
    };
    let amended = of(locale, english, french);
    match locale {
        Locale::En => format!("This appointment {is} and cannot be {amended}."),
        Locale::Fr => format!("Ce rendez-vous {is} et ne peut pas être {amended}."),
    }
}

fn budget(kind: BudgetKind) -> (&'static str, &'static str) {
    match kind {
        BudgetKind::Services => {
            ("There are as many services as there may be.", "Il y a autant de prestations que permis.")
        }
        BudgetKind::Staff => {
            ("There are as many staff members as there may be.", "L’équipe a autant de membres que permis.")
        }
        BudgetKind::Keys => ("There are as many keys as there may be.", "Il y a autant de clés que permis."),
        BudgetKind::Contacts => {
            ("There are as many contacts as there may be.", "Il y a autant de contacts que permis.")
        }
        BudgetKind::Appointments => {
            ("There are as many appointments as there may be.", "Il y a autant de rendez-vous que permis.")
        }
        BudgetKind::Calls => {
            ("There are as many calls as there may be.", "Il y a autant d’appels que permis.")
        }
        BudgetKind::Messages => {
            ("There are as many messages as there may be.", "Il y a autant de messages que permis.")
        }
        BudgetKind::Knowledge => {
            ("There is as much knowledge as there may be.", "Il y a autant de connaissances que permis.")
        }
        BudgetKind::WaitingDeliveries => (
            "As much waits to be sent as may. Try again later.",
            "Il attend déjà autant d’envois que possible. Réessayez plus tard.",
        ),
    }
}

fn under_way(locale: Locale, what: UnderWay) -> &'static str {
    let (english, french) = match what {
        UnderWay::Backup => ("A backup is being made.", "Une sauvegarde est en cours."),
        UnderWay::Import => ("An import is under way.", "Un import est en cours."),
    };
    of(locale, english, french)
}

fn denied(locale: Locale, denied: Denied) -> &'static str {
    let (english, french) = match denied {
        Denied::NotOfTheBusiness => (
            "This person does not belong to the business.",
            "Cette personne ne fait pas partie de l’établissement.",
        ),
        Denied::KeyOfNobody => {
            ("An API key changes no membership.", "Une clé d’API ne modifie aucune appartenance.")
        }
        Denied::OwnersAndAdmins => (
            "This is for owners and admins to change.",
            "Seuls les propriétaires et les administrateurs modifient cela.",
        ),
        Denied::ReadOnly => (
            "Your role may see this and not change it.",
            "Votre rôle permet de voir cela, pas de le modifier.",
        ),
        Denied::PeopleOfTheBusiness => (
            "Only owners and admins change who belongs to the business.",
            "Seuls les propriétaires et les administrateurs décident qui fait partie de l’établissement.",
        ),
        Denied::OwnerByAdmin => (
            "An admin can neither make nor change an owner.",
            "Un administrateur ne peut ni nommer ni modifier un propriétaire.",
        ),
        Denied::AlertOfAnother => (
            "Only whoever an alert is for marks it as read.",
            "Seule la personne avertie marque une alerte comme lue.",
        ),
        Denied::NotificationsOfAnother => {
            ("How somebody is alerted is theirs to say.", "Chacun décide de ses propres alertes.")
        }
        Denied::NameOfAnother => ("A person’s name is theirs to change.", "Chacun change son propre nom."),
        Denied::TimeOffOfAnother => (
            "Whoever is no owner or admin changes only their own time off.",
            "Sans être propriétaire ni admin, on ne change que ses propres absences.",
        ),
        Denied::OfferedElsewhere => (
            "You were invited at another email. Ask to be invited again.",
            "Vous avez été invité à une autre adresse. Demandez une nouvelle invitation.",
        ),
        Denied::OfferOfAnother => (
            "Only whoever was invited answers an invitation.",
            "Seule la personne invitée répond à une invitation.",
        ),
        Denied::AccountUnconfirmed => (
            "Your account is not confirmed yet. Use a link that was sent to your email.",
            "Votre compte n’est pas encore confirmé. Utilisez un lien envoyé à votre adresse.",
        ),
        Denied::LinksByOperator => {
            ("Whoever runs the service makes links.", "La personne qui exploite le service crée les liens.")
        }
        Denied::KindOfLink => {
            ("A link of this kind is not made this way.", "Un tel lien ne se crée pas ainsi.")
        }
        Denied::OwnSession => (
            "Sign in first. The link works for the account that asked for this email, so sign in with that one.",
            "Connectez-vous d’abord. Le lien vaut pour le compte qui a demandé cette adresse : connectez-vous avec \
             celui-ci.",
        ),
        Denied::PasswordAgain => {
            ("Your password has to be given again first.", "Redonnez d’abord votre mot de passe.")
        }
        Denied::RestrictedSession => ("Choose a password first.", "Choisissez d’abord un mot de passe."),
    };
    of(locale, english, french)
}
