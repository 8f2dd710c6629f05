//! The texts about kinds of records, in each language: the actions, kinds and fields of the audit log, and the refusals
//! of new records. The matches are exhaustive, so every action, kind, field and refusal has a text.

use domain::{AuditAction, AuditedField, AuditedKind, BudgetKind, Locale};

use super::of;

pub(in crate::dashboard) fn action(locale: Locale, action: AuditAction) -> &'static str {
    use AuditAction as A;
    let (english, french) = match action {
        A::AppointmentBooked => ("booked an appointment", "a pris un rendez-vous"),
        A::AppointmentRequested => ("asked for an appointment", "a demandé un rendez-vous"),
        A::AppointmentConfirmed => ("confirmed an appointment", "a confirmé un rendez-vous"),
        A::AppointmentDeclined => ("declined an appointment", "a refusé un rendez-vous"),
        A::AppointmentRescheduled => ("moved an appointment", "a déplacé un rendez-vous"),
        A::AppointmentCancelled => ("cancelled an appointment", "a annulé un rendez-vous"),
        A::AppointmentUpdated => {
            ("changed the notes of an appointment", "a modifié les notes d’un rendez-vous")
        }
        A::ContactCreated => ("added a contact", "a ajouté un contact"),
        A::ContactUpdated => ("changed a contact", "a modifié un contact"),
        A::ContactMerged => ("merged two contacts", "a fusionné deux contacts"),
        A::ContactErase => ("erased a contact", "a effacé un contact"),
        A::ContactsImportBegun => ("began to import contacts", "a commencé à importer des contacts"),
        A::ContactsImported => ("imported contacts", "a importé des contacts"),
        A::ContactsExported => ("downloaded the contacts", "a téléchargé les contacts"),
        A::AppointmentsExported => ("downloaded the appointments", "a téléchargé les rendez-vous"),
        A::CallCompleted => ("recorded a call", "a enregistré un appel"),
        A::CallUpdated => ("changed a call", "a modifié un appel"),
        A::MessageTaken => ("took a message", "a pris un message"),
        A::MessageUpdated => ("changed a message", "a modifié un message"),
        A::KnowledgeCreated => ("added knowledge", "a ajouté une connaissance"),
        A::KnowledgeUpdated => ("changed knowledge", "a modifié une connaissance"),
        A::KnowledgeDeleted => ("deleted knowledge", "a supprimé une connaissance"),
        A::BusinessCreated => ("created the business", "a créé l’établissement"),
        A::BusinessUpdated => ("changed the business", "a modifié l’établissement"),
        A::WebsiteUpdated => ("changed the booking page", "a modifié la page de réservation"),
        A::NoticesUpdated => ("changed the notices to customers", "a modifié les messages aux clients"),
        A::BusinessImported => ("imported the business", "a importé l’établissement"),
        A::BusinessRestoredIncomplete => (
            "restored the business from an incomplete backup",
            "a restauré l’établissement depuis une sauvegarde incomplète",
        ),
        A::SpecialDaySet => ("set a special day", "a fixé un jour particulier"),
        A::SpecialDayDeleted => ("deleted a special day", "a supprimé un jour particulier"),
        A::ServiceCreated => ("added a service", "a ajouté une prestation"),
        A::ServiceUpdated => ("changed a service", "a modifié une prestation"),
        A::ServiceDeleted => ("deleted a service", "a supprimé une prestation"),
        A::StaffCreated => ("added a staff member", "a ajouté un membre de l’équipe"),
        A::StaffUpdated => ("changed a staff member", "a modifié un membre de l’équipe"),
        A::StaffDeleted => ("deleted a staff member", "a supprimé un membre de l’équipe"),
        A::TimeOffCreated => ("added time off", "a ajouté une absence"),
        A::TimeOffDeleted => ("deleted time off", "a supprimé une absence"),
        A::PersonAdded => ("invited a person", "a invité une personne"),
        A::PersonAccepted => ("accepted an invitation", "a accepté une invitation"),
        A::PersonDeclined => ("declined an invitation", "a décliné une invitation"),
        A::PersonChanged => ("changed the permissions of a person", "a modifié les droits d’une personne"),
        A::PersonRemoved => ("removed a person", "a retiré une personne"),
        A::PersonLinkMade => {
            ("created an account link for a person", "a créé un lien de compte pour une personne")
        }
        A::PersonNotificationsChanged => ("changed notifications", "a modifié des notifications"),
        A::PersonUnsubscribed => ("unsubscribed from mails", "s’est désabonné d’e-mails"),
        A::ApiKeyCreated => ("created an API key", "a créé une clé d’API"),
        A::ApiKeyRevoked => ("revoked an API key", "a révoqué une clé d’API"),
        A::ConversationStarted => ("began a conversation", "a commencé une conversation"),
        A::ConversationContinued => ("continued a conversation", "a poursuivi une conversation"),
        A::ConversationEnded => ("ended a conversation", "a terminé une conversation"),
        A::ConversationDeleted => ("deleted a conversation", "a supprimé une conversation"),
        A::GapDeleted => ("deleted an unanswered question", "a supprimé une question sans réponse"),
        A::ReceptionistUpdated => {
            ("changed the receptionist's settings", "a modifié les réglages de l’accueil automatique")
        }
        A::FeedCreated => ("created a calendar address", "a créé une adresse de calendrier"),
        A::FeedRevoked => ("revoked a calendar address", "a révoqué une adresse de calendrier"),
        A::CalendarConnected => ("connected a calendar", "a connecté un agenda"),
        A::CalendarChanged => ("changed a connected calendar", "a modifié un agenda connecté"),
        A::CalendarDisconnected => ("disconnected a calendar", "a déconnecté un agenda"),
        A::WebhookCreated => ("added a webhook endpoint", "a ajouté une adresse de webhook"),
        A::WebhookUpdated => ("changed a webhook endpoint", "a modifié une adresse de webhook"),
        A::WebhookSecretRotated => {
            ("rotated the secret of a webhook endpoint", "a renouvelé le secret d’une adresse de webhook")
        }
        A::WebhookTurnedOff => ("turned off a webhook endpoint", "a coupé une adresse de webhook"),
        A::WebhookDeleted => ("deleted a webhook endpoint", "a supprimé une adresse de webhook"),
        A::MailResent => ("sent a mail again", "a renvoyé un e-mail"),
        A::RetentionUpdated => ("changed how long data is kept", "a modifié la durée de conservation"),
        A::BudgetUpdated => ("changed the limits", "a modifié les limites"),
        A::RecordsErased => (
            "erased the remaining data of erased contacts",
            "a effacé les données restantes de contacts effacés",
        ),
        A::RecordsMoved => {
            ("moved records of a merged contact", "a transféré les données d’un contact fusionné")
        }
        A::RecordsExpired => ("deleted expired records", "a supprimé des enregistrements expirés"),
        A::BackupBegun => ("began a backup", "a commencé une sauvegarde"),
        A::BusinessEnded => ("ended the business", "a clos l’établissement"),
        A::BusinessExported => ("exported the business", "a exporté l’établissement"),
        A::BusinessExportedWithSecrets => {
            ("exported the business with its secrets", "a exporté l’établissement avec ses secrets")
        }
        A::InstallationExported => ("exported all businesses", "a exporté tous les établissements"),
        A::InstallationExportedWithSecrets => (
            "exported all businesses with their secrets",
            "a exporté tous les établissements avec leurs secrets",
        ),
        A::PersonCreated => ("created an account", "a créé un compte"),
        A::PersonEmailChanged => ("changed an address", "a changé d’adresse"),
        A::PersonEnded => ("ended an account", "a clos un compte"),
        A::PersonLinkUsed => ("used a link", "a utilisé un lien"),
        A::PersonPasswordGiven => ("gave the password again", "a redonné son mot de passe"),
        A::PersonPasswordSet => ("set a password", "a choisi un mot de passe"),
        A::PersonRenamed => ("changed a name", "a changé un nom"),
        A::PersonSessionsEnded => ("ended sessions", "a fermé des sessions"),
        A::PersonSignedIn => ("signed in", "s’est connecté"),
        A::PersonSignedOut => ("signed out", "s’est déconnecté"),
    };
    of(locale, english, french)
}

pub(in crate::dashboard) fn kind(locale: Locale, kind: AuditedKind) -> &'static str {
    use AuditedKind as K;
    let (english, french) = match kind {
        K::Appointment => ("appointment", "rendez-vous"),
        K::Contact => ("contact", "contact"),
        K::Call => ("call", "appel"),
        K::Conversation => ("conversation", "conversation"),
        K::Gap => ("unanswered question", "question sans réponse"),
        K::Message => ("message", "message"),
        K::Knowledge => ("knowledge", "connaissance"),
        K::Business => ("business", "établissement"),
        K::Service => ("service", "prestation"),
        K::Staff => ("staff member", "membre de l’équipe"),
        K::TimeOff => ("time off", "absence"),
        K::Person => ("person", "personne"),
        K::ApiKey => ("API key", "clé d’API"),
        K::Feed => ("calendar address", "adresse de calendrier"),
        K::Calendar => ("connected calendar", "agenda connecté"),
        K::Webhook => ("webhook endpoint", "adresse de webhook"),
        K::Mail => ("mail", "e-mail"),
        K::Retention => ("retention", "conservation"),
        K::Budget => ("limits", "limites"),
        K::SpecialDay => ("special day", "jour particulier"),
        K::Backup => ("backup", "sauvegarde"),
        K::Export => ("export", "export"),
    };
    of(locale, english, french)
}

pub(in crate::dashboard) fn field(locale: Locale, field: AuditedField) -> &'static str {
    use AuditedField as F;
    let (english, french) = match field {
        F::Active => ("Active", "Active"),
        F::Address => ("Address", "Adresse"),
        F::Alert => ("Text beside the name", "Texte à côté du nom"),
        F::AppointmentBooked => ("Alerts about booked appointments", "Alertes sur les rendez-vous pris"),
        F::AppointmentCancelled => {
            ("Alerts about cancelled appointments", "Alertes sur les rendez-vous annulés")
        }
        F::AppointmentId => ("Appointment", "Rendez-vous"),
        F::AppointmentRequested => {
            ("Alerts about requested appointments", "Alertes sur les rendez-vous demandés")
        }
        F::AppointmentRescheduled => {
            ("Alerts about moved appointments", "Alertes sur les rendez-vous déplacés")
        }
        F::Appointments => ("Limit of appointments", "Limite de rendez-vous"),
        F::AppointmentsDays => {
            ("Days until appointments are deleted", "Jours avant la suppression des rendez-vous")
        }
        F::Attendance => ("Attendance", "Présence"),
        F::AuditDays => ("Days until audit entries are deleted", "Jours avant la suppression du journal"),
        F::BlockedNumbers => ("Blocked numbers", "Numéros bloqués"),
        F::Body => ("Text", "Texte"),
        F::BookedAs => ("Entries in the booking form", "Saisie du formulaire de réservation"),
        F::BookingMode => ("Bookings", "Réservations"),
        F::Breaks => ("Breaks", "Pauses"),
        F::BufferAfterMinutes => ("Minutes after the appointment", "Minutes après le rendez-vous"),
        F::BufferBeforeMinutes => ("Minutes before the appointment", "Minutes avant le rendez-vous"),
        F::CalendarEventChanged => {
            ("Alerts about events changed in calendars", "Alertes sur les événements modifiés dans un agenda")
        }
        F::CalendarFailed => ("Alerts about calendars that fail", "Alertes sur les agendas en échec"),
        F::CalendarSyncStatus => ("Calendar", "Agenda"),
        F::CallId => ("Call", "Appel"),
        F::CallMissed => ("Alerts about missed calls", "Alertes sur les appels manqués"),
        F::CallerName => ("Name of the caller", "Nom de l’appelant"),
        F::CallerPhone => ("Phone of the caller", "Téléphone de l’appelant"),
        F::Calls => ("Limit of calls", "Limite d’appels"),
        F::CallsDays => ("Days until calls are deleted", "Jours avant la suppression des appels"),
        F::Category => ("Heading", "Rubrique"),
        F::ChangeByCaller => {
            ("Customers may change appointments", "Les clients peuvent modifier les rendez-vous")
        }
        F::ChangeNoticeMinutes => (
            "Minutes in which customers cannot change an appointment",
            "Minutes pendant lesquelles les clients ne peuvent plus modifier",
        ),
        F::Channels => ("Channels", "Canaux"),
        F::Clock => ("Format of times", "Format des heures"),
        F::Closed => ("Closed", "Fermé"),
        F::Color => ("Colour", "Couleur"),
        F::ContactId => ("Contact", "Contact"),
        F::ContactName => ("Name of the contact", "Nom du contact"),
        F::ContactPhone => ("Phone of the contact", "Téléphone du contact"),
        F::Contacts => ("Limit of contacts", "Limite de contacts"),
        F::Content => ("Text", "Texte"),
        F::Conversations => ("Limit of conversations", "Limite de conversations"),
        F::Created => ("Created contacts", "Contacts créés"),
        F::CreatedAt => ("Created", "Création"),
        F::Currency => ("Currency", "Devise"),
        F::CustomerNote => ("Note of the customer", "Note du client"),
        F::CustomerWord => ("Word for a customer", "Mot pour un client"),
        F::Description => ("Description", "Description"),
        F::Direction => ("Direction", "Sens"),
        F::DisabledAt => ("Off since", "Désactivé depuis"),
        F::DisabledReason => ("Reason for being off", "Motif de la désactivation"),
        F::DurationMinutes => ("Duration in minutes", "Durée en minutes"),
        F::DurationSeconds => ("Duration in seconds", "Durée en secondes"),
        F::Email => ("Email", "E-mail"),
        F::Enabled => ("On", "Activé"),
        F::EndedAt => ("Ended", "Fin"),
        F::EndsAt => ("Ends", "Fin"),
        F::Events => ("Events", "Événements"),
        F::FromNumber => ("Number of the caller", "Numéro de l’appelant"),
        F::Greeting => ("Greeting", "Message d’accueil"),
        F::GridMinutes => {
            ("Minutes between the lines of the calendar", "Minutes entre les lignes du calendrier")
        }
        F::HandledAt => ("Handled", "Traité"),
        F::HandoffNumber => ("Number for transfers", "Numéro de transfert"),
        F::Hours => ("Opening hours", "Horaires"),
        F::Instructions => ("Instructions", "Consignes"),
        F::Keys => ("Limit of API keys", "Limite de clés d’API"),
        F::Knowledge => ("Limit of knowledge", "Limite de connaissances"),
        F::KnowledgePublic => ("Knowledge for every caller", "Connaissances pour tous les appelants"),
        F::LastSignInAt => ("Last sign-in", "Dernière connexion"),
        F::Locale => ("Language", "Langue"),
        F::MaxAdvanceDays => ("Days for which customers can book ahead", "Jours de réservation à l’avance"),
        F::MembershipId => ("Membership", "Appartenance"),
        F::Merged => ("Merged contact", "Contact fusionné"),
        F::MessageId => ("Message", "Message"),
        F::MessageTaken => ("Alerts about messages", "Alertes sur les messages"),
        F::Messages => ("Limit of messages", "Limite de messages"),
        F::MessagesDays => ("Days until messages are deleted", "Jours avant la suppression des messages"),
        F::MinNoticeMinutes => ("Minutes of notice for a booking", "Délai de réservation en minutes"),
        F::Name => ("Name", "Nom"),
        F::Note => ("Note", "Note"),
        F::Notes => ("Notes", "Notes"),
        F::Origins => ("Sites that embed the booking page", "Sites qui intègrent la page de réservation"),
        F::Outcome => ("Outcome", "Résultat"),
        F::Override => ("Overridden rules", "Règles outrepassées"),
        F::Phone => ("Phone", "Téléphone"),
        F::PhoneRegion => ("Region of phone numbers", "Région des numéros de téléphone"),
        F::Position => ("Position", "Position"),
        F::PriceCents => ("Price in cents", "Prix en centimes"),
        F::RecordingUrl => ("Recording", "Enregistrement"),
        F::ReminderHours => {
            ("Reminders, in hours before the appointment", "Rappels, en heures avant le rendez-vous")
        }
        F::Role => ("Role", "Rôle"),
        F::ServiceId => ("Service", "Prestation"),
        F::ServiceIds => ("Services", "Prestations"),
        F::ServiceName => ("Service", "Prestation"),
        F::Services => ("Limit of services", "Limite de prestations"),
        F::ShowPrices => ("Shows prices", "Affiche les prix"),
        F::Slug => ("Address of the booking page", "Adresse de la page de réservation"),
        F::SnoozedUntil => ("Hidden until", "Masqué jusqu’au"),
        F::Source => ("Booked by", "Réservé par"),
        F::SourceUrl => ("Source", "Source"),
        F::Staff => ("Limit of staff members", "Limite de membres de l’équipe"),
        F::StaffId => ("Staff member", "Membre de l’équipe"),
        F::StaffName => ("Staff member", "Membre de l’équipe"),
        F::StartedAt => ("Began", "Début"),
        F::StartsAt => ("Begins", "Début"),
        F::Status => ("Status", "État"),
        F::Summary => ("Summary", "Résumé"),
        F::Suspended => ("Suspended", "Suspendu"),
        F::TeamFirstSeconds => (
            "Seconds for which the team’s phone rings first",
            "Secondes pendant lesquelles le téléphone de l’équipe sonne d’abord",
        ),
        F::Text => ("Text messages", "SMS"),
        F::Texts => ("Text messages", "SMS"),
        F::Timezone => ("Time zone", "Fuseau horaire"),
        F::Title => ("Title", "Titre"),
        F::ToNumber => ("Called number", "Numéro appelé"),
        F::TokensPerDay => ("Tokens of the model per day", "Jetons du modèle par jour"),
        F::Urgency => ("Urgency", "Urgence"),
        F::UrgentMessage => ("Alerts about urgent messages", "Alertes sur les messages urgents"),
        F::Url => ("Address", "Adresse"),
        F::WaitingDeliveries => ("Limit of waiting deliveries", "Limite de livraisons en attente"),
        F::WaitingNotices => ("Limit of waiting notices", "Limite de messages en attente"),
        F::WebhookDisabled => ("Alerts about disabled webhooks", "Alertes sur les webhooks désactivés"),
        F::WebhookFailing => ("Alerts about failing webhooks", "Alertes sur les webhooks en échec"),
        F::WebsiteUrl => ("Website", "Site web"),
        F::WeekStart => ("First day of the week", "Premier jour de la semaine"),
        F::Windows => ("Opening hours", "Horaires"),
    };
    of(locale, english, french)
}

/// The refusal of a new record because the budget of its kind is used up.
pub(super) fn budget(locale: Locale, kind: BudgetKind) -> &'static str {
    let (english, french) = match kind {
        BudgetKind::Services => (
            "The maximum number of services has been reached.",
            "Le nombre maximal de prestations est atteint.",
        ),
        BudgetKind::Staff => (
            "The maximum number of staff members has been reached.",
            "Le nombre maximal de membres de l’équipe est atteint.",
        ),
        BudgetKind::Keys => {
            ("The maximum number of keys has been reached.", "Le nombre maximal de clés est atteint.")
        }
        BudgetKind::Contacts => {
            ("The maximum number of contacts has been reached.", "Le nombre maximal de contacts est atteint.")
        }
        BudgetKind::Appointments => (
            "The maximum number of appointments has been reached.",
            "Le nombre maximal de rendez-vous est atteint.",
        ),
        BudgetKind::Calls => {
            ("The maximum number of calls has been reached.", "Le nombre maximal d’appels est atteint.")
        }
        BudgetKind::Messages => {
            ("The maximum number of messages has been reached.", "Le nombre maximal de messages est atteint.")
        }
        BudgetKind::Knowledge => (
            "The storage limit for knowledge entries has been reached.",
            "La limite de stockage des connaissances est atteinte.",
        ),
        BudgetKind::WaitingDeliveries => (
            "Too many deliveries are waiting. Try again later.",
            "Le nombre maximal d’envois en attente est atteint. Réessayez plus tard.",
        ),
        BudgetKind::WaitingNotices => (
            "Too many notices are waiting. Try again later.",
            "Le nombre maximal de notifications en attente est atteint. Réessayez plus tard.",
        ),
        BudgetKind::Conversations => (
            "The maximum number of conversations is reached. Try again later.",
            "Le nombre maximal de conversations est atteint. Réessayez plus tard.",
        ),
    };
    of(locale, english, french)
}
