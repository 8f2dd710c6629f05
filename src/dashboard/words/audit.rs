//! The texts of the audit log, in each language. Every action and kind has a text.

use domain::{AuditAction, AuditedKind, Locale};

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
        A::PersonUnsubscribed => ("unsubscribed from mails", "s’est désabonné de courriels"),
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
        A::MailResent => ("sent a mail again", "a renvoyé un courriel"),
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
        K::Mail => ("mail", "courriel"),
        K::Retention => ("retention", "conservation"),
        K::Budget => ("limits", "limites"),
        K::SpecialDay => ("special day", "jour particulier"),
        K::Backup => ("backup", "sauvegarde"),
        K::Export => ("export", "export"),
    };
    of(locale, english, french)
}
