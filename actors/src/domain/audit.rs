//! The audit log: who changed what (spec §5 rule 9).

use uuid::Uuid;

use super::words::words;
use super::{AuditId, KeyId, PersonId, Timestamp};

words! {
    /// What was done.
    AuditAction {
        /// An appointment was booked.
        AppointmentBooked = "appointment.booked",
        /// An appointment that the business has to confirm was asked for.
        AppointmentRequested = "appointment.requested",
        /// A appointment was confirmed.
        AppointmentConfirmed = "appointment.confirmed",
        /// A appointment declined an invitation.
        AppointmentDeclined = "appointment.declined",
        /// A appointment was rescheduled.
        AppointmentRescheduled = "appointment.rescheduled",
        /// A appointment was cancelled.
        AppointmentCancelled = "appointment.cancelled",
        /// What the team notes of an appointment was changed.
        AppointmentUpdated = "appointment.updated",
        /// A contact was created.
        ContactCreated = "contact.created",
        /// A contact was updated.
        ContactUpdated = "contact.updated",
        /// A contact was erased.
        ContactErase = "contact.erase",
        /// A call was completed.
        CallCompleted = "call.completed",
        /// A message was taken.
        MessageTaken = "message.taken",
        /// A message was updated.
        MessageUpdated = "message.updated",
        /// A piece of knowledge was created.
        KnowledgeCreated = "knowledge.created",
        /// A piece of knowledge was updated.
        KnowledgeUpdated = "knowledge.updated",
        /// A piece of knowledge was deleted.
        KnowledgeDeleted = "knowledge.deleted",
        /// The business was created.
        BusinessCreated = "business.created",
        /// The business was updated.
        BusinessUpdated = "business.updated",
        /// The business was imported.
        BusinessImported = "business.imported",
        /// The business was restored from a backup that lacks some of its rows.
        BusinessRestoredIncomplete = "business.restored_incomplete",
        /// A special day was set.
        SpecialDaySet = "special_day.set",
        /// A special day was deleted.
        SpecialDayDeleted = "special_day.deleted",
        /// A service was created.
        ServiceCreated = "service.created",
        /// A service was updated.
        ServiceUpdated = "service.updated",
        /// A service was deleted.
        ServiceDeleted = "service.deleted",
        /// A staff member was created.
        StaffCreated = "staff.created",
        /// A staff member was updated.
        StaffUpdated = "staff.updated",
        /// A staff member was deleted.
        StaffDeleted = "staff.deleted",
        /// Time off was created.
        TimeOffCreated = "time_off.created",
        /// Time off was deleted.
        TimeOffDeleted = "time_off.deleted",
        /// A person was invited.
        PersonAdded = "person.added",
        /// A person accepted an invitation.
        PersonAccepted = "person.accepted",
        /// A person declined an invitation.
        PersonDeclined = "person.declined",
        /// A person got other rights.
        PersonChanged = "person.changed",
        /// A person was removed.
        PersonRemoved = "person.removed",
        /// A person got a link.
        PersonLinkMade = "person.link_made",
        /// A person chose other notifications.
        PersonNotificationsChanged = "person.notifications_changed",
        /// A person unsubscribed from mails.
        PersonUnsubscribed = "person.unsubscribed",
        /// An API key was created.
        ApiKeyCreated = "api_key.created",
        /// An API key was revoked.
        ApiKeyRevoked = "api_key.revoked",
        /// A webhook endpoint was created.
        WebhookCreated = "webhook.created",
        /// A webhook endpoint was updated.
        WebhookUpdated = "webhook.updated",
        /// A webhook endpoint got another secret.
        WebhookSecretRotated = "webhook.secret_rotated",
        /// A webhook endpoint was turned off for its failures.
        WebhookTurnedOff = "webhook.turned_off",
        /// A webhook endpoint was deleted.
        WebhookDeleted = "webhook.deleted",
        /// A mail was sent again.
        MailResent = "mail.resent",
        /// The retention was updated.
        RetentionUpdated = "retention.updated",
        /// The budget was updated.
        BudgetUpdated = "budget.updated",
        /// What was left of erased contacts was wiped.
        RecordsErased = "records.erased",
        /// What is kept no longer was deleted.
        RecordsExpired = "records.expired",
        /// A backup was begun.
        BackupBegun = "backup.begun",
        /// The business was ended.
        BusinessEnded = "business.ended",
        /// The business was exported.
        BusinessExported = "business.exported",
        /// The business was exported with its secrets.
        BusinessExportedWithSecrets = "business.exported_with_secrets",
        /// All businesses were exported.
        InstallationExported = "installation.exported",
        /// All businesses were exported with their secrets.
        InstallationExportedWithSecrets = "installation.exported_with_secrets",
        /// A person was created.
        PersonCreated = "person.created",
        /// A person got another address.
        PersonEmailChanged = "person.email_changed",
        /// A person was ended.
        PersonEnded = "person.ended",
        /// A person used a link.
        PersonLinkUsed = "person.link_used",
        /// A person gave the password again.
        PersonPasswordGiven = "person.password_given",
        /// A person set a password.
        PersonPasswordSet = "person.password_set",
        /// A person changed their name.
        PersonRenamed = "person.renamed",
        /// A person was signed out everywhere.
        PersonSessionsEnded = "person.sessions_ended",
        /// A person signed in.
        PersonSignedIn = "person.signed_in",
        /// A person signed out.
        PersonSignedOut = "person.signed_out",
    }
}

words! {
    /// The kind of record that something was done to.
    AuditedKind {
        /// Appointments.
        Appointment = "appointment",
        /// Contacts.
        Contact = "contact",
        /// Calls.
        Call = "call",
        /// Messages.
        Message = "message",
        /// Pieces of knowledge.
        Knowledge = "knowledge",
        /// The business itself.
        Business = "business",
        /// Services.
        Service = "service",
        /// Staff members.
        Staff = "staff",
        /// Times off.
        TimeOff = "time_off",
        /// People.
        Person = "person",
        /// API keys.
        ApiKey = "api_key",
        /// Webhook endpoints.
        Webhook = "webhook",
        /// Mails.
        Mail = "mail",
        /// For how long things are kept.
        Retention = "retention",
        /// How much the business may keep.
        Budget = "budget",
        /// Special days, as earlier versions noted them.
        SpecialDay = "special_day",
        /// Backups.
        Backup = "backup",
        /// Exports of all businesses.
        Export = "export",
    }
}

impl AuditAction {
    /// The kind of record that it is done to.
    pub const fn kind(self) -> AuditedKind {
        match self {
            Self::AppointmentBooked
            | Self::AppointmentRequested
            | Self::AppointmentConfirmed
            | Self::AppointmentDeclined
            | Self::AppointmentRescheduled
            | Self::AppointmentCancelled
            | Self::AppointmentUpdated => AuditedKind::Appointment,
            Self::ContactCreated | Self::ContactUpdated | Self::ContactErase => AuditedKind::Contact,
            Self::CallCompleted => AuditedKind::Call,
            Self::MessageTaken | Self::MessageUpdated => AuditedKind::Message,
            Self::KnowledgeCreated | Self::KnowledgeUpdated | Self::KnowledgeDeleted => {
                AuditedKind::Knowledge
            }
            Self::BusinessCreated
            | Self::BusinessUpdated
            | Self::BusinessImported
            | Self::BusinessRestoredIncomplete
            | Self::SpecialDaySet
            | Self::SpecialDayDeleted
            | Self::RecordsErased
            | Self::RecordsExpired
            | Self::BusinessEnded
            | Self::BusinessExported
            | Self::BusinessExportedWithSecrets => AuditedKind::Business,
            Self::ServiceCreated | Self::ServiceUpdated | Self::ServiceDeleted => AuditedKind::Service,
            Self::StaffCreated | Self::StaffUpdated | Self::StaffDeleted => AuditedKind::Staff,
            Self::TimeOffCreated | Self::TimeOffDeleted => AuditedKind::TimeOff,
            Self::PersonAdded
            | Self::PersonAccepted
            | Self::PersonDeclined
            | Self::PersonChanged
            | Self::PersonRemoved
            | Self::PersonLinkMade
            | Self::PersonNotificationsChanged
            | Self::PersonUnsubscribed
            | Self::PersonCreated
            | Self::PersonEmailChanged
            | Self::PersonEnded
            | Self::PersonLinkUsed
            | Self::PersonPasswordGiven
            | Self::PersonPasswordSet
            | Self::PersonRenamed
            | Self::PersonSessionsEnded
            | Self::PersonSignedIn
            | Self::PersonSignedOut => AuditedKind::Person,
            Self::ApiKeyCreated | Self::ApiKeyRevoked => AuditedKind::ApiKey,
            Self::WebhookCreated
            | Self::WebhookUpdated
            | Self::WebhookSecretRotated
            | Self::WebhookTurnedOff
            | Self::WebhookDeleted => AuditedKind::Webhook,
            Self::MailResent => AuditedKind::Mail,
            Self::RetentionUpdated => AuditedKind::Retention,
            Self::BudgetUpdated => AuditedKind::Budget,
            Self::BackupBegun => AuditedKind::Backup,
            Self::InstallationExported | Self::InstallationExportedWithSecrets => AuditedKind::Export,
        }
    }

    /// Whether it stands in the audit log of the installation, and never in that of a business.
    pub const fn is_of_installation(self) -> bool {
        matches!(
            self,
            Self::BackupBegun
                | Self::BusinessEnded
                | Self::BusinessExported
                | Self::BusinessExportedWithSecrets
                | Self::InstallationExported
                | Self::InstallationExportedWithSecrets
                | Self::PersonCreated
                | Self::PersonEmailChanged
                | Self::PersonEnded
                | Self::PersonLinkUsed
                | Self::PersonPasswordGiven
                | Self::PersonPasswordSet
                | Self::PersonRenamed
                | Self::PersonSessionsEnded
                | Self::PersonSignedIn
                | Self::PersonSignedOut
        )
    }
}

/// Who made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// An integration, with this key.
    ApiKey(KeyId),
    /// The operator or the team, through the operator API.
    Operator,
    /// One of the business's people, or a person in their own account.
    Person(PersonId),
    /// The service itself.
    System,
}

/// One field that a change gave another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field's name in the API.
    pub field: String,
    /// Its JSON before.
    pub from: String,
    /// Its JSON after.
    pub to: String,
}

/// One change of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id; ids grow in the order of the changes.
    pub id: AuditId,
    /// When the change was made.
    pub at: Timestamp,
    /// Who made it.
    pub actor: Actor,
    /// What was done.
    pub action: AuditAction,
    /// The kind of record.
    pub resource_type: AuditedKind,
    /// The record.
    pub resource_id: Uuid,
    /// The fields that changed. Empty for a creation: the record is what was created, and the entries after it say
    /// from which value each field was changed.
    pub changes: Vec<FieldChange>,
}
