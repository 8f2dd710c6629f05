//! Submitted forms and their one-use ids.

use net::Ports;
use sha2::{Digest, Sha256};

use crate::http::cursor::{Binding, Cursors};
pub(super) use crate::http::form::Form;

pub(super) const ID: &str = "form";

/// The SHA-256 digest of a session's token.
pub(super) type SessionKey = [u8; 32];

pub(super) fn session_key(token: &str) -> SessionKey {
    Sha256::digest(token).into()
}

/// The one-use id of a form: the time when the form was rendered, and random bytes. The id is sealed together
/// with the session, so only the service can make it, and it is valid in one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FormId {
    /// The time when the form was rendered, as Unix time in milliseconds.
    pub(super) made: i64,
    chance: [u8; 16],
}

impl FormId {
    pub(super) fn new(ports: &Ports, made: i64) -> Self {
        Self { made, chance: ports.random_bytes() }
    }

    pub(super) fn of(form: &Form, cursors: &Cursors, session: &SessionKey) -> Option<Self> {
        let bytes: [u8; 24] = cursors.open(&binding(session), form.get(ID))?.try_into().ok()?;
        let (made, chance) = bytes.split_first_chunk::<8>()?;
        Some(Self { made: i64::from_be_bytes(*made), chance: chance.try_into().ok()? })
    }

    pub(super) fn text(&self, cursors: &Cursors, session: &SessionKey) -> String {
        cursors.seal(&binding(session), &[&self.made.to_be_bytes()[..], &self.chance].concat())
    }
}

/// The fields that a draft contains: all except passwords and the one-use id.
pub(super) fn keepable(form: &Form) -> Form {
    Form::of(form.fields().filter(|(name, _)| *name != ID && !name.contains("password")))
}

fn binding(session: &SessionKey) -> Binding {
    Binding::list("form").with(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_kept() {
        let form = Form::parse(b"name=a&password=x&new_password=y&form=z&empty=");
        assert_eq!(keepable(&form), Form::parse(b"name=a&empty="));
    }

    #[test]
    fn a_form_id_is_valid_only_in_its_session_and_cannot_be_forged() {
        let id = FormId { made: 1_772_431_200_000, chance: [7; 16] };
        let (cursors, session) = (Cursors::new([1; 32]), [2; 32]);
        let text = id.text(&cursors, &session);
        let read = |text: &str, session| FormId::of(&Form::of([(ID, text)]), &cursors, session);
        assert_eq!(read(&text, &session), Some(id));
        assert_eq!(read(&text, &[3; 32]), None);
        assert_eq!(read(&id.text(&Cursors::new([9; 32]), &session), &session), None);
        for bad in ["", "x", &text[1..], &format!("{text}A")] {
            assert_eq!(read(bad, &session), None, "{bad}");
        }
    }
}
