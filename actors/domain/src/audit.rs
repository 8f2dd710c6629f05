//! The audit log.

use uuid::Uuid;

use super::words::words;
use super::{AuditId, ConversationId, KeyId, PersonId, Right, Timestamp};

words! {
    AuditAction {
        AppointmentBooked = "appointment.booked",
        AppointmentRequested = "appointment.requested",
        AppointmentConfirmed = "appointment.confirmed",
        AppointmentDeclined = "appointment.declined",
        AppointmentRescheduled = "appointment.rescheduled",
        AppointmentCancelled = "appointment.cancelled",
        AppointmentUpdated = "appointment.updated",
        ContactCreated = "contact.created",
        ContactUpdated = "contact.updated",
        ContactErase = "contact.erase",
        ContactsImportBegun = "contacts.import_begun",
        ContactsImported = "contacts.imported",
        ContactsExported = "contacts.exported",
        AppointmentsExported = "appointments.exported",
        ContactMerged = "contact.merged",
        CallCompleted = "call.completed",
        CallUpdated = "call.updated",
        ConversationStarted = "conversation.started",
        ConversationContinued = "conversation.continued",
        ConversationEnded = "conversation.ended",
        ConversationDeleted = "conversation.deleted",
        GapDeleted = "gap.deleted",
        MessageTaken = "message.taken",
        MessageUpdated = "message.updated",
        KnowledgeCreated = "knowledge.created",
        KnowledgeUpdated = "knowledge.updated",
        KnowledgeDeleted = "knowledge.deleted",
        BusinessCreated = "business.created",
        BusinessUpdated = "business.updated",
        BusinessImported = "business.imported",
        BusinessRestoredIncomplete = "business.restored_incomplete",
        SpecialDaySet = "special_day.set",
        SpecialDayDeleted = "special_day.deleted",
        WebsiteUpdated = "website.updated",
        NoticesUpdated = "notices.updated",
        ReceptionistUpdated = "receptionist.updated",
        ServiceCreated = "service.created",
        ServiceUpdated = "service.updated",
        ServiceDeleted = "service.deleted",
        StaffCreated = "staff.created",
        StaffUpdated = "staff.updated",
        StaffDeleted = "staff.deleted",
        TimeOffCreated = "time_off.created",
        TimeOffDeleted = "time_off.deleted",
        PersonAdded = "person.added",
        PersonAccepted = "person.accepted",
        PersonDeclined = "person.declined",
        PersonChanged = "person.changed",
        PersonRemoved = "person.removed",
        PersonLinkMade = "person.link_made",
        PersonNotificationsChanged = "person.notifications_changed",
        PersonUnsubscribed = "person.unsubscribed",
        ApiKeyCreated = "api_key.created",
        ApiKeyRevoked = "api_key.revoked",
        FeedCreated = "feed.created",
        FeedRevoked = "feed.revoked",
        CalendarConnected = "calendar.connected",
        CalendarChanged = "calendar.changed",
        CalendarDisconnected = "calendar.disconnected",
        WebhookCreated = "webhook.created",
        WebhookUpdated = "webhook.updated",
        WebhookSecretRotated = "webhook.secret_rotated",
        WebhookTurnedOff = "webhook.turned_off",
        WebhookDeleted = "webhook.deleted",
        MailResent = "mail.resent",
        RetentionUpdated = "retention.updated",
        BudgetUpdated = "budget.updated",
        RecordsErased = "records.erased",
        RecordsExpired = "records.expired",
        RecordsMoved = "records.moved",
        BackupBegun = "backup.begun",
        BusinessEnded = "business.ended",
        BusinessExported = "business.exported",
        BusinessExportedWithSecrets = "business.exported_with_secrets",
        InstallationExported = "installation.exported",
        InstallationExportedWithSecrets = "installation.exported_with_secrets",
        PersonCreated = "person.created",
        PersonEmailChanged = "person.email_changed",
        PersonEnded = "person.ended",
        PersonLinkUsed = "person.link_used",
        PersonPasswordGiven = "person.password_given",
        PersonPasswordSet = "person.password_set",
        PersonRenamed = "person.renamed",
        PersonSessionsEnded = "person.sessions_ended",
        PersonSignedIn = "person.signed_in",
        PersonSignedOut = "person.signed_out",
    }

    /// The name of a changed field in an audit entry, as in the API. For a special day, the entry contains the date
    /// instead of a field name.
    AuditedField {
        Active = "active",
        Address = "address",
        Alert = "alert",
        AppointmentBooked = "appointment_booked",
        AppointmentCancelled = "appointment_cancelled",
        AppointmentId = "appointment_id",
        AppointmentRequested = "appointment_requested",
        AppointmentRescheduled = "appointment_rescheduled",
        Appointments = "appointments",
        AppointmentsDays = "appointments_days",
        Attendance = "attendance",
        AuditDays = "audit_days",
        BlockedNumbers = "blocked_numbers",
        Body = "body",
        BookedAs = "booked_as",
        BookingMode = "booking_mode",
        Breaks = "breaks",
        BufferAfterMinutes = "buffer_after_minutes",
        BufferBeforeMinutes = "buffer_before_minutes",
        CalendarEventChanged = "calendar_event_changed",
        CalendarFailed = "calendar_failed",
        CalendarSyncStatus = "calendar_sync_status",
        CallId = "call_id",
        CallMissed = "call_missed",
        CallerName = "caller_name",
        CallerPhone = "caller_phone",
        Calls = "calls",
        CallsDays = "calls_days",
        Category = "category",
        ChangeByCaller = "change_by_caller",
        ChangeNoticeMinutes = "change_notice_minutes",
        Channels = "channels",
        Clock = "clock",
        Closed = "closed",
        Color = "color",
        ContactId = "contact_id",
        ContactName = "contact_name",
        ContactPhone = "contact_phone",
        Contacts = "contacts",
        Content = "content",
        Conversations = "conversations",
        Created = "created",
        CreatedAt = "created_at",
        Currency = "currency",
        CustomerNote = "customer_note",
        CustomerWord = "customer_word",
        Description = "description",
        Direction = "direction",
        DisabledAt = "disabled_at",
        DisabledReason = "disabled_reason",
        DurationMinutes = "duration_minutes",
        DurationSeconds = "duration_seconds",
        Email = "email",
        Enabled = "enabled",
        EndedAt = "ended_at",
        EndsAt = "ends_at",
        Events = "events",
        FromNumber = "from_number",
        Greeting = "greeting",
        GridMinutes = "grid_minutes",
        HandledAt = "handled_at",
        HandoffNumber = "handoff_number",
        Hours = "hours",
        Instructions = "instructions",
        Keys = "keys",
        Knowledge = "knowledge",
        KnowledgePublic = "knowledge_public",
        LastSignInAt = "last_sign_in_at",
        Locale = "locale",
        MaxAdvanceDays = "max_advance_days",
        MembershipId = "membership_id",
        Merged = "merged",
        MessageId = "message_id",
        MessageTaken = "message_taken",
        Messages = "messages",
        MessagesDays = "messages_days",
        MinNoticeMinutes = "min_notice_minutes",
        Name = "name",
        Note = "note",
        Notes = "notes",
        Origins = "origins",
        Outcome = "outcome",
        Override = "override",
        Phone = "phone",
        PhoneRegion = "phone_region",
        Position = "position",
        PriceCents = "price_cents",
        RecordingUrl = "recording_url",
        ReminderHours = "reminder_hours",
        Role = "role",
        ServiceId = "service_id",
        ServiceIds = "service_ids",
        ServiceName = "service_name",
        Services = "services",
        ShowPrices = "show_prices",
        Slug = "slug",
        SnoozedUntil = "snoozed_until",
        Source = "source",
        SourceUrl = "source_url",
        Staff = "staff",
        StaffId = "staff_id",
        StaffName = "staff_name",
        StartedAt = "started_at",
        StartsAt = "starts_at",
        Status = "status",
        Summary = "summary",
        Suspended = "suspended",
        TeamFirstSeconds = "team_first_seconds",
        Text = "text",
        Texts = "texts",
        Timezone = "timezone",
        Title = "title",
        ToNumber = "to_number",
        TokensPerDay = "tokens_per_day",
        Urgency = "urgency",
        UrgentMessage = "urgent_message",
        Url = "url",
        WaitingDeliveries = "waiting_deliveries",
        WaitingNotices = "waiting_notices",
        WebhookDisabled = "webhook_disabled",
        WebhookFailing = "webhook_failing",
        WebsiteUrl = "website_url",
        WeekStart = "week_start",
        Windows = "windows",
    }

    AuditedKind {
        Appointment = "appointment",
        Contact = "contact",
        Call = "call",
        Conversation = "conversation",
        Gap = "gap",
        Message = "message",
        Knowledge = "knowledge",
        Business = "business",
        Service = "service",
        Staff = "staff",
        TimeOff = "time_off",
        Person = "person",
        ApiKey = "api_key",
        Feed = "feed",
        Calendar = "calendar",
        Webhook = "webhook",
        Mail = "mail",
        Retention = "retention",
        Budget = "budget",
        /// A special day. Stored entries may contain this kind, but the service no longer writes it.
        SpecialDay = "special_day",
        Backup = "backup",
        Export = "export",
    }
}

impl AuditAction {
    /// Returns the kind of resource, which is the first part of the action's name. A test checks that each action has a
    /// kind.
    pub fn kind(self) -> AuditedKind {
        let (of, _) = self.as_str().split_once('.').unwrap_or_default();
        match of {
            // The entries of these actions contain the id of the business. Settings and special days have no id of
            // their own, and an action with a plural name concerns many records.
            "special_day" | "website" | "notices" | "receptionist" | "records" | "contacts"
            | "appointments" => AuditedKind::Business,
            "installation" => AuditedKind::Export,
            of => AuditedKind::from_word(of).expect("the name of an action begins with a kind"),
        }
    }

    /// True if the entry belongs to the installation's audit log. Such an entry is never in the log of a business.
    pub fn is_of_installation(self) -> bool {
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

impl AuditedKind {
    /// Open pages are notified of changes to resources. Returns the right that a person needs for the notifications
    /// about resources of this kind. Returns `None` if no page shows resources of this kind.
    pub fn right(self) -> Option<Right> {
        Some(match self {
            Self::Appointment | Self::Contact | Self::Message | Self::Call | Self::Conversation => Right::Day,
            Self::Feed | Self::Calendar => Right::Own,
            Self::Business | Self::Service | Self::Staff | Self::TimeOff | Self::Knowledge | Self::Gap => {
                Right::Settings
            }
            Self::ApiKey | Self::Webhook | Self::Mail => Right::Integrations,
            Self::Person => Right::People,
            Self::Retention => Right::Data,
            Self::Budget | Self::SpecialDay | Self::Backup | Self::Export => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    ApiKey(KeyId),
    Operator,
    Person(PersonId),
    System,
    /// A customer who uses the booking page or a manage link.
    Customer,
    /// The receptionist, in a conversation with a customer.
    Receptionist(ConversationId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field's name in the API.
    pub field: String,
    /// The value before the change, as JSON.
    pub from: String,
    /// The value after the change, as JSON.
    pub to: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// The id of the entry. Ids increase in the order of the changes.
    pub id: AuditId,
    pub at: Timestamp,
    pub actor: Actor,
    pub action: AuditAction,
    pub resource_type: AuditedKind,
    pub resource_id: Uuid,
    /// The changed fields with their values before and after. The list is empty for the creation of a record. Later
    /// entries contain the previous value of each changed field, so the initial values can be computed.
    pub changes: Vec<FieldChange>,
}

impl FieldChange {
    /// Returns `None` if `field` is a date, or a field that only an earlier version had.
    pub fn audited(&self) -> Option<AuditedField> {
        AuditedField::from_word(&self.field)
    }
}

impl AuditEntry {
    pub fn change(&self, field: AuditedField) -> Option<&FieldChange> {
        self.changes.iter().find(|change| change.audited() == Some(field))
    }

    /// Creates an entry without changed fields.
    pub fn new(
        (id, at): (AuditId, Timestamp),
        (actor, action): (Actor, AuditAction),
        resource_id: Uuid,
    ) -> Self {
        Self { id, at, actor, action, resource_type: action.kind(), resource_id, changes: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_has_a_kind() {
        for action in AuditAction::ALL {
            let kind = action.kind();
            assert!(
                kind == AuditedKind::Export
                    || kind == AuditedKind::Business
                    || action.as_str().starts_with(kind.as_str())
            );
        }
        assert_eq!(AuditAction::TimeOffCreated.kind(), AuditedKind::TimeOff);
        assert_eq!(AuditAction::SpecialDaySet.kind(), AuditedKind::Business);
        assert_eq!(AuditAction::RecordsErased.kind(), AuditedKind::Business);
        assert_eq!(AuditAction::InstallationExported.kind(), AuditedKind::Export);
    }
}
