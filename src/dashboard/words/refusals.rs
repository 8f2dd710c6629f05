//! The engine's refusals, in each language. The matches are exhaustive, so each refusal has a text.

use domain::{Amendment, AppointmentStatus, Conflict, Denied, Locale, Refusal, SlotReason, UnderWay, Wait};

use super::of;
use super::problems::problem;
use super::records::budget;
use crate::words::Words;

pub(in crate::dashboard) fn refusal(words: &Words, refusal: &Refusal) -> String {
    let say = |english, french| of(words.locale, english, french).to_owned();
    match refusal {
        Refusal::Invalid(problems) => {
            let all = problems.iter().map(|one| problem(words, &one.code));
            all.collect::<Vec<_>>().join(" ")
        }
        Refusal::Conflict { conflict, .. } => self::conflict(words, conflict),
        Refusal::UnderWay { what: UnderWay::Backup, .. } => {
            say("A backup is being made.", "Une sauvegarde est en cours.")
        }
        Refusal::UnderWay { what: UnderWay::Import, .. } => {
            say("An import is under way.", "Un import est en cours.")
        }
        Refusal::UnderWay { what: UnderWay::Turn, .. } => {
            say("The conversation has just changed.", "La conversation vient de changer.")
        }
        Refusal::NotAllowed(denied) => self::denied(words.locale, *denied).to_owned(),
        Refusal::SlotUnavailable(reason) => slot(words.locale, *reason).to_owned(),
        Refusal::BookingDisabled => say(
            "The business takes no bookings at present.",
            "L’établissement ne prend pas de rendez-vous actuellement.",
        ),
        Refusal::NotFound(_) => say("There is no such record.", "Cet enregistrement n’existe pas."),
        Refusal::Expired => {
            say("The link has been used or has expired.", "Le lien a déjà été utilisé ou a expiré.")
        }
        Refusal::BookingRequiresConfirmation => {
            say("The business confirms each booking.", "L’établissement confirme chaque rendez-vous.")
        }
        Refusal::IdempotencyInProgress => say("It is already being sent.", "L’envoi est déjà en cours."),
        Refusal::IdempotencyKeyReused => say(
            "This form was sent before with other content.",
            "Ce formulaire a déjà été envoyé avec un autre contenu.",
        ),
    }
}

fn slot(locale: Locale, reason: SlotReason) -> &'static str {
    let (english, french) = match reason {
        SlotReason::Past => ("That time is in the past.", "Cette heure est passée."),
        SlotReason::ClosedThatDay => {
            ("The business is closed that day.", "L’établissement est fermé ce jour-là.")
        }
        SlotReason::Break => ("That time overlaps a break.", "Cette heure chevauche une pause."),
        SlotReason::TooShortNotice => (
            "That time is too soon. Book this service further in advance.",
            "Cette heure est trop proche. Réservez plus à l’avance.",
        ),
        SlotReason::TooFarAhead => {
            ("That time is too far ahead for this service.", "Cette heure est trop lointaine.")
        }
        SlotReason::StaffOff => (
            "The staff members for this service are off at that time.",
            "Les personnes qui peuvent s’en charger sont absentes à cette heure.",
        ),
        SlotReason::NobodyAvailable => {
            ("No staff member is available at that time.", "Personne n’est disponible à cette heure.")
        }
        SlotReason::Buffer => (
            "That time is too close to another appointment or to time off.",
            "Cette heure est trop proche d’un autre rendez-vous ou d’un congé.",
        ),
        SlotReason::OutsideHours => {
            ("That time is outside opening hours.", "Cette heure est hors des horaires d’ouverture.")
        }
        SlotReason::OffGrid => (
            "Appointments cannot begin at that time.",
            "Les rendez-vous ne peuvent pas commencer à cette heure.",
        ),
        SlotReason::Taken => ("That time is taken.", "Ce créneau est pris."),
        SlotReason::NobodyOffersIt => {
            ("No staff member offers this service now.", "Personne ne peut s’en charger actuellement.")
        }
        SlotReason::ServiceInactive => {
            ("That service can no longer be booked.", "Ce type de rendez-vous ne peut plus être réservé.")
        }
        SlotReason::StaffUnavailable => (
            "That person no longer takes appointments for this service.",
            "Cette personne ne prend plus ce type de rendez-vous.",
        ),
    };
    of(locale, english, french)
}

pub(super) fn conflict(words: &Words, conflict: &Conflict) -> String {
    let say = |english, french| of(words.locale, english, french).to_owned();
    let count = |number, english, french| counted(words, number, english, french);
    let used_up = |wait, english, french| format!("{} {}", say(english, french), next(words, wait));
    match conflict {
        Conflict::SpecialDaysFull(most) => count(
            *most,
            "A business can have at most {} special days. Remove past ones.",
            "Un établissement peut avoir {} jours particuliers au plus. Retirez des jours passés.",
        ),
        Conflict::TimesOffFull(most) => count(
            *most,
            "There are {} future periods of time off, which is the maximum.",
            "Il y a {} absences à venir, c’est le maximum.",
        ),
        Conflict::FeedsFull(most) => count(
            *most,
            "A business, and each of its staff members, can have at most {} calendar addresses. Revoke an address first.",
            "L’établissement et chaque membre de l’équipe ont {} adresses de calendrier au plus. Révoquez-en une d’abord.",
        ),
        Conflict::CalendarsFull(most) => count(
            *most,
            "The business or the staff member has {} connected calendars, which is the maximum. Disconnect one of them first.",
            "L’établissement ou le membre de l’équipe a {} agendas connectés, ce qui est le maximum. Déconnectez-en un d’abord.",
        ),
        Conflict::WrittenElsewhere => say(
            "The appointments of this staff member are already written to another calendar.",
            "Les rendez-vous de ce membre de l’équipe sont déjà inscrits dans un autre agenda.",
        ),
        Conflict::CollectionWritten => say(
            "Another connection already writes appointments to this calendar, or is still deleting the events that it wrote to it.",
            "Une autre connexion inscrit déjà des rendez-vous dans cet agenda, ou y supprime encore ses événements.",
        ),
        Conflict::EndpointsFull(most) => {
            count(*most, "A business has at most {} endpoints.", "Un établissement a {} webhooks au plus.")
        }
        Conflict::PeopleFull(most) => {
            count(*most, "A business has at most {} people.", "Un établissement compte {} personnes au plus.")
        }
        Conflict::AppointmentStatus(status, amendment) => appointment(words.locale, *status, *amendment),
        Conflict::BudgetUsedUp(kind) => budget(words.locale, *kind).to_owned(),
        Conflict::InvitationsUsedUp(wait) => used_up(
            *wait,
            "The daily limit of mailed invitations has been reached.",
            "La limite d’invitations envoyées aujourd’hui est atteinte.",
        ),
        Conflict::AddressChangesUsedUp(wait) => used_up(
            *wait,
            "Today’s limit of mails to new addresses has been reached.",
            "La limite d’e-mails vers de nouvelles adresses est atteinte aujourd’hui.",
        ),
        Conflict::Changed => say(
            "Another person has changed this in the meantime.",
            "Quelqu’un d’autre a modifié ceci entre-temps.",
        ),
        Conflict::NoSpecialDay => {
            say("That day is no longer a special day.", "Ce jour n’est plus un jour particulier.")
        }
        Conflict::StartsElsewhere(_) => {
            say("The appointment was moved in the meantime.", "Le rendez-vous a été déplacé entre-temps.")
        }
        Conflict::NotConfirmed => say(
            "Attendance can be noted for confirmed appointments only.",
            "La présence ne se note que pour un rendez-vous confirmé.",
        ),
        Conflict::AttendanceTooEarly(_) => {
            say("It is too early to note this.", "Il est trop tôt pour noter cela.")
        }
        Conflict::AppointmentEnded => {
            say("The appointment has already ended.", "Le rendez-vous est déjà terminé.")
        }
        Conflict::NotChangeableOnline => say(
            "This appointment can no longer be changed online.",
            "Ce rendez-vous ne peut plus être modifié en ligne.",
        ),
        Conflict::InUse(_) => say(
            "Another record refers to this record. Turn this record off instead.",
            "Un autre enregistrement s’y rapporte. Décochez la case à la place.",
        ),
        Conflict::EndpointDisabled => {
            say("The endpoint is off. Turn it on first.", "L’adresse est coupée. Réactivez-la d’abord.")
        }
        Conflict::DeliveryNotPending(_) => say(
            "This delivery is finished, so no attempt is pending.",
            "Cet envoi est terminé : aucune tentative n’est prévue.",
        ),
        Conflict::DeliveryPending => say("It is already being sent.", "L’envoi est déjà en cours."),
        Conflict::ContactErased => say(
            "The contact was erased, so these notes cannot be changed.",
            "Le contact a été effacé : ces notes ne peuvent plus être modifiées.",
        ),
        Conflict::ContactMerging => say(
            "Records of this contact are still being moved after a merge. Try again in a few seconds.",
            "Des données de ce contact sont encore en cours de transfert après une fusion. Réessayez dans \
             quelques secondes.",
        ),
        Conflict::NotesTooLong(max) => count(
            *max,
            "The notes of both contacts would have more than {} characters. Shorten them first.",
            "Les notes des deux contacts dépasseraient {} caractères. Raccourcissez-les d’abord.",
        ),
        Conflict::MergesFull(max) => count(
            *max,
            "At most {} contacts can be merged into one.",
            "Au plus {} contacts peuvent être fusionnés en un seul.",
        ),
        Conflict::EventWiped => say(
            "The event contained data of a contact who was erased, so it cannot be sent again.",
            "L’événement contenait des données d’un contact effacé : il ne peut plus être renvoyé.",
        ),
        Conflict::ContactTaken { .. } => say(
            "Another contact has this phone or email.",
            "Un autre contact a ce téléphone ou cette adresse.",
        ),
        Conflict::BelongsAlready => say(
            "This person already belongs to the business.",
            "Cette personne fait déjà partie de l’établissement.",
        ),
        Conflict::NotOnOffer => say("The invitation is no longer open.", "L’invitation n’est plus ouverte."),
        Conflict::LastOwner => say(
            "The business must keep an active owner.",
            "L’établissement doit garder un propriétaire actif.",
        ),
        Conflict::PasswordOfAnother => say(
            "Somebody else may have set the password of this account.",
            "Quelqu’un d’autre a peut-être choisi le mot de passe de ce compte.",
        ),
        Conflict::AccountUnconfirmed => {
            say("Your account is not confirmed yet.", "Votre compte n’est pas encore confirmé.")
        }
        Conflict::AccountHasPassword => {
            say("The account has a password already.", "Le compte a déjà un mot de passe.")
        }
        Conflict::AddressUnconfirmed => say(
            "The account of this email is not confirmed, and no mail can be sent to it.",
            "Le compte de cette adresse n’est pas confirmé, et aucun e-mail ne peut lui être envoyé.",
        ),
        Conflict::AddressTaken => say("Another account has this email.", "Un autre compte a cette adresse."),
        Conflict::TestMailsUsedUp(_) => {
            say("The limit of test mails has been reached.", "La limite d’e-mails d’essai est atteinte.")
        }
        Conflict::MailPending => {
            say("This mail is still waiting to be sent.", "Cet e-mail attend encore d’être envoyé.")
        }
        Conflict::MailHasLink => say(
            "Emails that contain a link, such as invitations, cannot be sent again.",
            "Les invitations et les e-mails avec un lien ne peuvent pas être renvoyés.",
        ),
        Conflict::SlugTaken => say(
            "Another business has this address, or had it recently.",
            "Une autre entreprise a cette adresse, ou l’avait il y a peu.",
        ),
        Conflict::NoTexts => say(
            "This business has no connection that sends texts.",
            "Cette entreprise n’a pas de connexion pour envoyer des SMS.",
        ),
        Conflict::ConversationEnded => {
            say("This conversation has ended.", "Cette conversation est terminée.")
        }
        Conflict::ConversationFull => say(
            "This conversation has its maximum length.",
            "Cette conversation a atteint sa longueur maximale.",
        ),
        Conflict::NotByText => say(
            "You can reply only in conversations by text message.",
            "Vous pouvez répondre seulement dans les conversations par SMS.",
        ),
        Conflict::NoRelay | Conflict::NoRelaySet(_) => say(
            "No mail is sent. The service has no relay.",
            "Aucun e-mail n’est envoyé. Le service n’a pas de relais.",
        ),
        Conflict::NoPublicUrl => {
            say("The service has no public address.", "Le service n’a pas d’adresse publique.")
        }
        Conflict::MailsWait => say(
            "Too many mails of the business are waiting to be sent.",
            "Trop d’e-mails de l’établissement attendent d’être envoyés.",
        ),
    }
}

/// The text in the language of the page, with these values at `{}`, in order.
pub(super) fn fill<const N: usize>(
    words: &Words,
    values: [String; N],
    english: &str,
    french: &str,
) -> String {
    let parts = of(words.locale, english, french).split("{}");
    let values = values.into_iter().chain(std::iter::repeat(String::new()));
    parts.zip(values).map(|(part, value)| part.to_owned() + &value).collect()
}

pub(super) fn counted(words: &Words, count: usize, english: &str, french: &str) -> String {
    fill(words, [grouped(words, count)], english, french)
}

pub(super) fn grouped(words: &Words, number: usize) -> String {
    let separator = of(words.locale, ",", "\u{a0}");
    match (number / 1_000, number % 1_000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{}{separator}{rest:03}", grouped(words, thousands)),
    }
}

pub(super) fn next(words: &Words, wait: Wait) -> String {
    let (count, english, french) = match wait {
        Wait::Minutes(count) => (count, "minute", "minute"),
        Wait::Hours(count) => (count, "hour", "heure"),
    };
    let plural = if count == 1 { "" } else { "s" };
    let time = format!("{count} {}{plural}", of(words.locale, english, french));
    fill(words, [time], "The next one can be sent in {}.", "Le prochain envoi est possible dans {}.")
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

fn denied(locale: Locale, denied: Denied) -> &'static str {
    let (english, french) = match denied {
        Denied::NotOfTheBusiness => (
            "This person does not belong to the business.",
            "Cette personne ne fait pas partie de l’établissement.",
        ),
        Denied::KeyOfNobody => {
            ("An API key cannot change a membership.", "Une clé d’API ne peut pas modifier une appartenance.")
        }
        Denied::OwnersAndAdmins => (
            "Only owners and admins can change this.",
            "Seuls les propriétaires et les administrateurs peuvent modifier cela.",
        ),
        Denied::ReadOnly => (
            "Your role can see this but cannot change it.",
            "Votre rôle permet de voir cela, pas de le modifier.",
        ),
        Denied::PeopleOfTheBusiness => (
            "Only owners and admins can change who belongs to the business.",
            "Seuls les propriétaires et les administrateurs décident qui fait partie de l’établissement.",
        ),
        Denied::OwnerByAdmin => (
            "An admin cannot create or change an owner.",
            "Un administrateur ne peut ni nommer ni modifier un propriétaire.",
        ),
        Denied::AlertOfAnother => (
            "Only the recipient of an alert can mark it as read.",
            "Seul le destinataire d’une alerte peut la marquer comme lue.",
        ),
        Denied::NotificationsOfAnother => (
            "You can change only your own notification settings.",
            "Vous ne pouvez modifier que vos propres alertes.",
        ),
        Denied::NameOfAnother => {
            ("You can change only your own name.", "Vous ne pouvez modifier que votre propre nom.")
        }
        Denied::TimeOffOfAnother => (
            "Only owners and admins can change the time off of other staff members.",
            "Seuls les propriétaires et les administrateurs peuvent modifier les absences des autres \
             membres de l’équipe.",
        ),
        Denied::OfferedElsewhere => (
            "You were invited at another email address. Ask for a new invitation.",
            "Vous avez été invité à une autre adresse. Demandez une nouvelle invitation.",
        ),
        Denied::OfferOfAnother => (
            "Only the invited person can answer an invitation.",
            "Seule la personne invitée peut répondre à une invitation.",
        ),
        Denied::AccountUnconfirmed => (
            "Your account is not confirmed yet. Use a link that was sent to your email.",
            "Votre compte n’est pas encore confirmé. Utilisez un lien envoyé à votre adresse.",
        ),
        Denied::LinksByOperator => (
            "Only the operator of the service can create links.",
            "Seule la personne qui exploite le service peut créer des liens.",
        ),
        Denied::KindOfLink => {
            ("A link of this kind cannot be created here.", "Un tel lien ne peut pas être créé ici.")
        }
        Denied::OwnSession => (
            "Sign in first. The link works only for the account that asked for this email, so sign in with that account.",
            "Connectez-vous d’abord. Le lien vaut pour le compte qui a demandé cette adresse : connectez-vous avec \
             celui-ci.",
        ),
        Denied::PasswordAgain => ("Enter your password again first.", "Redonnez d’abord votre mot de passe."),
        Denied::RestrictedSession => ("Choose a password first.", "Choisissez d’abord un mot de passe."),
    };
    of(locale, english, french)
}
