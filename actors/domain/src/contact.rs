//! A contact: a customer who has called, written or booked.

use chrono_tz::Tz;

use super::words::words;
use super::{
    Conflict, ContactId, Email, Locale, MergeId, Phone, Problem, ProblemCode, Refusal, Text, TextError,
    Timestamp, push_name, search_text,
};

/// The maximum number of contacts that can be merged into one contact.
pub const MERGES_MAX: usize = 100;

const NOTES_CHARS_MAX: usize = 1_000;

/// A contact. Two contacts of a business never have the same phone number or the same email address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    pub id: ContactId,
    /// The name, 1 to 200 characters.
    pub name: Option<String>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    pub locale: Option<Locale>,
    pub zone: Option<Tz>,
    /// Internal notes, 1 to 1,000 characters. Integrations do not see them.
    pub notes: Option<String>,
    /// A text that the team sees next to the name, 1 to 100 characters. Integrations do not see it.
    pub alert: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Contact {
    pub fn search_text(&self) -> String {
        let mut text = search_text(self.name.as_deref(), self.phone.as_deref(), self.email.as_deref());
        if let Some(name) = &self.name {
            push_name(&mut text, name);
        }
        text
    }

    /// Returns this contact after the merge with the contact `gone`. The result has the chosen `phone` and `email`. Any
    /// other field that is empty in this contact gets the value of `gone`.
    ///
    /// The notes of `gone` are appended to the notes of this contact. The following values are also appended, unless
    /// the result already contains them: the name and the alert text of `gone`, and the phone numbers and email
    /// addresses of both contacts.
    ///
    /// # Errors
    /// Returns [`Refusal::Invalid`] if a chosen value belongs to neither contact, or if the result would have
    /// no name, phone number or email address. Returns [`Refusal::Conflict`] if the notes become too long.
    pub fn merged(&self, gone: &Self, phone: Option<Phone>, email: Option<Email>) -> Result<Self, Refusal> {
        let mut problems = Vec::new();
        let phones = [self.phone.as_ref(), gone.phone.as_ref()];
        let emails = [self.email.as_ref(), gone.email.as_ref()];
        if phone.is_some() && !phones.contains(&phone.as_ref()) {
            problems.push(Problem::new("phone", ProblemCode::OfNeitherContact));
        }
        if email.is_some() && !emails.contains(&email.as_ref()) {
            problems.push(Problem::new("email", ProblemCode::OfNeitherContact));
        }
        Refusal::check(problems)?;
        let first = |one: &Option<String>, other: &Option<String>| one.clone().or_else(|| other.clone());
        let (name, alert) = (first(&self.name, &gone.name), first(&self.alert, &gone.alert));
        if name.is_none() && phone.is_none() && email.is_none() {
            return Err(Refusal::invalid("", ProblemCode::KeepsNamePhoneOrEmail));
        }
        let mut notes: Vec<&str> = self.notes.as_deref().into_iter().collect();
        let mut values = vec![(gone.notes.as_deref(), None), (gone.name.as_deref(), name.as_deref())];
        values.extend(phones.map(|it| (it.map(Phone::as_str), phone.as_deref())));
        values.extend(emails.map(|it| (it.map(Email::as_str), email.as_deref())));
        values.push((gone.alert.as_deref(), alert.as_deref()));
        for (value, kept) in values {
            let has =
                |value: &str| notes.iter().any(|it| *it == value || it.lines().any(|line| line == value));
            let new = value.filter(|value| Some(*value) != kept && !has(value));
            notes.extend(new);
        }
        let notes = Some(notes.join("\n")).filter(|notes| !notes.is_empty());
        if notes.as_ref().is_some_and(|notes| notes.chars().count() > NOTES_CHARS_MAX) {
            let length = TextError::Length { min: 1, max: NOTES_CHARS_MAX };
            let too_long = Conflict::NotesTooLong(NOTES_CHARS_MAX);
            return Err(Refusal::conflict(too_long, "notes", ProblemCode::Text(length)));
        }
        let (locale, zone) = (self.locale.or(gone.locale), self.zone.or(gone.zone));
        Ok(Self { name, phone, email, locale, zone, notes, alert, ..*self })
    }
}

/// A merge of the contact `from` into the contact `into`. After the merge, a reference to `from` counts as a reference
/// to `into`. If the contact `into` is later merged into another contact, the field `into` is changed to that contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    pub from: ContactId,
    pub into: ContactId,
    /// The id of the merge. It is greater than the id of every record that is older than the merge.
    pub id: MergeId,
    /// Digests of the phone numbers and email addresses that were lost in the merge: `from` or `into` had them before
    /// the merge, but `into` did not have them after it.
    pub former: Vec<[u8; 16]>,
    /// True until the background job has changed all references to `from` into references to `into`.
    pub is_moving: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContactDetails {
    pub name: Option<Text<1, 200>>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    pub locale: Option<Locale>,
    pub zone: Option<Tz>,
}

impl ContactDetails {
    pub fn into_contact(self, id: ContactId, now: Timestamp) -> Contact {
        let Self { name, phone, email, locale, zone } = self;
        let name = name.map(Text::into_string);
        Contact {
            id,
            name,
            phone,
            email,
            locale,
            zone,
            notes: None,
            alert: None,
            created_at: now,
            updated_at: now,
        }
    }
}

/// A contact in a row of an imported file.
#[derive(Clone, Debug)]
pub struct ContactRow {
    /// The line of the file on which the row begins.
    pub line: u64,
    pub details: ContactDetails,
    pub notes: Option<Text<1, 1000>>,
    pub alert: Option<Text<1, 100>>,
}

impl ContactRow {
    pub fn into_contact(self, id: ContactId, now: Timestamp) -> Contact {
        Contact {
            notes: self.notes.map(Text::into_string),
            alert: self.alert.map(Text::into_string),
            ..self.details.into_contact(id, now)
        }
    }
}

words! {
    /// The reason why an import of contacts skips a row.
    SkipReason {
        PhoneExists = "phone_exists",
        EmailExists = "email_exists",
        /// An earlier row of the file has the same phone number.
        PhoneRepeated = "phone_repeated",
        EmailRepeated = "email_repeated",
    }
}

/// A partial update: `None` keeps a field, and `Some(None)` clears it.
#[derive(Clone, Debug, Default)]
pub struct ContactPatch {
    pub name: Option<Option<Text<1, 200>>>,
    pub phone: Option<Option<Phone>>,
    pub email: Option<Option<Email>>,
    pub locale: Option<Option<Locale>>,
    pub zone: Option<Option<Tz>>,
    pub notes: Option<Option<Text<1, 1000>>>,
    pub alert: Option<Option<Text<1, 100>>>,
}

impl ContactPatch {
    /// Applies a partial update.
    ///
    /// # Errors
    /// Returns [`Refusal::Invalid`] if neither name nor phone nor email address remains.
    pub fn apply(self, before: &Contact) -> Result<Contact, Refusal> {
        let mut after = before.clone();
        after.name = self.name.map_or(after.name, |name| name.map(Text::into_string));
        after.phone = self.phone.unwrap_or(after.phone);
        after.email = self.email.unwrap_or(after.email);
        after.locale = self.locale.unwrap_or(after.locale);
        after.zone = self.zone.unwrap_or(after.zone);
        after.notes = self.notes.map_or(after.notes, |notes| notes.map(Text::into_string));
        after.alert = self.alert.map_or(after.alert, |alert| alert.map(Text::into_string));
        if after.name.is_none() && after.phone.is_none() && after.email.is_none() {
            return Err(Refusal::invalid("", ProblemCode::KeepsNamePhoneOrEmail));
        }
        Ok(after)
    }
}

/// Checks that the phone number and the email address are not in use. `id` is the contact that is being changed, if
/// any.
///
/// # Errors
/// Returns [`Refusal::Conflict`] if another contact has the phone number or the email address.
pub fn check_unique(
    id: Option<ContactId>,
    phone_holder: Option<ContactId>,
    email_holder: Option<ContactId>,
) -> Result<(), Refusal> {
    let [phone, email] =
        [phone_holder, email_holder].map(|holder| holder.filter(|holder| Some(*holder) != id));
    let taken = |path: &str, other: Option<ContactId>| {
        other.map(|other| Problem::new(path, ProblemCode::OfContact(other)))
    };
    let details: Vec<_> = [taken("phone", phone), taken("email", email)].into_iter().flatten().collect();
    if details.is_empty() {
        return Ok(());
    }
    Err(Refusal::Conflict { conflict: Conflict::ContactTaken { phone, email }, details })
}

pub fn fold_name(name: &str) -> String {
    // Each character is converted separately, so that a final sigma matches a sigma inside a word.
    name.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn id(byte: u8) -> ContactId {
        Uuid::from_bytes([byte; 16]).into()
    }

    fn contact() -> Contact {
        let details = ContactDetails {
            name: Some(Text::new("Zoë".into()).unwrap()),
            phone: Some(Phone::from_e164("+15551234567".into()).unwrap()),
            locale: Some(Locale::Fr),
            ..ContactDetails::default()
        };
        details.into_contact(id(1), Timestamp::from_millis(5))
    }

    #[test]
    fn a_patch_keeps_clears_and_sets() {
        let email = Email::new("Zoe@Example.com").unwrap();
        let patch = ContactPatch {
            phone: Some(None),
            email: Some(Some(email.clone())),
            locale: Some(None),
            notes: Some(Some(Text::new("Left-handed".into()).unwrap())),
            alert: Some(Some(Text::new("Nuts".into()).unwrap())),
            ..ContactPatch::default()
        };
        let expected = Contact {
            phone: None,
            email: Some(email),
            locale: None,
            notes: Some("Left-handed".into()),
            alert: Some("Nuts".into()),
            ..contact()
        };
        assert_eq!(patch.apply(&contact()), Ok(expected));
        assert_eq!(ContactPatch::default().apply(&contact()), Ok(contact()));
    }

    #[test]
    fn a_contact_keeps_a_name_a_phone_or_an_email() {
        let last = ContactPatch { name: Some(None), ..ContactPatch::default() };
        assert!(last.clone().apply(&contact()).is_ok());
        let none = ContactPatch { phone: Some(None), ..last };
        assert!(matches!(none.apply(&contact()), Err(Refusal::Invalid(_))));
    }

    #[test]
    fn a_merged_contact_keeps_all_values_of_both() {
        let phone = |text: &str| Some(Phone::from_e164(text.into()).unwrap());
        let (email, other) = (Email::new("a@x.example").ok(), Email::new("b@x.example").ok());
        let survivor = Contact { email: email.clone(), notes: Some("Left-handed".into()), ..contact() };
        let gone = Contact {
            id: id(2),
            name: Some("Zoe B.".into()),
            phone: phone("+15557654321"),
            email: other.clone(),
            alert: Some("Nuts".into()),
            notes: Some("Likes tea".into()),
            ..contact()
        };
        let merged = survivor.merged(&gone, phone("+15557654321"), None).unwrap();
        let notes = "Left-handed\nLikes tea\nZoe B.\n+15551234567\na@x.example\nb@x.example";
        let expected = Contact {
            phone: phone("+15557654321"),
            email: None,
            alert: Some("Nuts".into()),
            notes: Some(notes.into()),
            ..survivor.clone()
        };
        assert_eq!(merged, expected);
        let bare = Contact { name: None, phone: None, notes: None, locale: None, ..contact() };
        let expected = Contact { name: contact().name, locale: contact().locale, ..bare.clone() };
        let merged = bare.merged(&contact(), None, None).unwrap();
        assert_eq!(merged, Contact { notes: Some("+15551234567".into()), ..expected });
    }

    #[test]
    fn a_merge_is_refused_for_a_foreign_value_or_too_long_notes() {
        let other = Phone::from_e164("+15550000000".into()).ok();
        let foreign = contact().merged(&contact(), other, Email::new("c@x.example").ok());
        let problem = |path| Problem::new(path, ProblemCode::OfNeitherContact);
        assert_eq!(foreign, Err(Refusal::Invalid(vec![problem("phone"), problem("email")])));
        let unnamed = Contact { name: None, ..contact() };
        assert!(matches!(unnamed.merged(&unnamed, None, None), Err(Refusal::Invalid(_))));
        let with_notes = |count| Contact { phone: None, notes: Some("é".repeat(count)), ..contact() };
        assert!(with_notes(500).merged(&with_notes(499), None, None).is_ok());
        let refused = with_notes(500).merged(&with_notes(501), None, None);
        let too_long = Conflict::NotesTooLong(1_000);
        assert!(
            matches!(&refused, Err(Refusal::Conflict { conflict, .. }) if *conflict == too_long),
            "{refused:?}"
        );
    }

    #[test]
    fn a_phone_and_an_email_belong_to_one_contact() {
        assert_eq!(check_unique(None, None, None), Ok(()));
        assert_eq!(check_unique(Some(id(1)), Some(id(1)), Some(id(1))), Ok(()));
        let paths = |refused: Result<(), Refusal>| match refused {
            Err(Refusal::Conflict { details, .. }) => details,
            other => panic!("{other:?}"),
        };
        let taken = |path| Problem::new(path, ProblemCode::OfContact(id(2)));
        assert_eq!(paths(check_unique(None, Some(id(2)), None)), [taken("phone")]);
        assert_eq!(
            paths(check_unique(Some(id(1)), Some(id(2)), Some(id(2)))),
            [taken("phone"), taken("email")]
        );
    }

    #[test]
    fn names_are_compared_without_their_case() {
        for (name, part) in [
            ("Zoë O'NEILL", "zoË o'n"),
            ("ΑΣΑ", "ας"),
            ("Straße", "STRAß"),
            ("李 小龍", "小"),
            ("عائشة", "ائش"),
            ("👩‍👩‍👧 Family", "👩‍👧 fam"),
        ] {
            assert!(fold_name(name).contains(&fold_name(part)), "{name} {part}");
        }
        assert!(!fold_name("Zoë").contains(&fold_name("zoe")));
    }
}
