//! The pages of sled's tree, with the messages of the log that form each of them.

use super::message::{Header, Kind};
use super::segment::Segment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(super) lsn: u64,
    pub(super) at: u64,
    /// The length of header and body.
    pub(super) length: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Unknown,
    Free {
        /// The LSN since which the page is free.
        lsn: u64,
    },
    Present {
        /// The whole state of the page.
        base: Part,
        /// The changes since.
        links: Vec<Part>,
    },
}

#[derive(Default)]
pub(crate) struct Pages(Vec<State>);

impl Pages {
    pub(super) fn push(&mut self, state: State) {
        self.0.push(state);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &State)> {
        (0..).zip(&self.0)
    }

    pub(crate) fn get(&self, page: u64) -> &State {
        const UNKNOWN: &State = &State::Unknown;
        usize::try_from(page).ok().and_then(|page| self.0.get(page)).unwrap_or(UNKNOWN)
    }

    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn apply_at(&mut self, header: Header, segment: &Segment, at: usize) {
        if header.kind.is_of_page() {
            let at = at as u64;
            let part = Part { lsn: segment.lsn + at, at: segment.at + at, length: header.length as u32 };
            self.apply(header.kind, header.page, part);
        }
    }

    /// Applies a message, as sled does when it opens.
    pub(super) fn apply(&mut self, kind: Kind, page: u64, part: Part) {
        let Ok(index) = usize::try_from(page) else { return };
        if kind == Kind::Link {
            // A change of an unknown page belongs to a page that was replaced later.
            if let Some(State::Present { base, links }) = self.0.get_mut(index)
                && links.last().unwrap_or(base).lsn < part.lsn
            {
                links.push(part);
            }
            return;
        }
        if self.0.len() <= index {
            self.0.resize(index + 1, State::Unknown);
        }
        self.0[index] = match kind {
            Kind::Free => State::Free { lsn: part.lsn },
            _ => State::Present { base: part, links: Vec::new() },
        };
    }

    /// Whether the page was replaced or freed at or after this LSN, so that no earlier message is a part of it.
    pub(super) fn is_replaced(&self, page: u64, since: u64) -> bool {
        match self.get(page) {
            State::Unknown => false,
            State::Free { lsn } => *lsn >= since,
            State::Present { base, .. } => base.lsn >= since,
        }
    }
}
