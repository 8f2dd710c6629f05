//! The page table of sled's tree: for each page, the messages that together contain its state.

use super::message::{Header, Kind};
use super::segment::Segment;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(super) lsn: u64,
    pub(super) at: u64,
    pub(super) length: u32,
}

impl Part {
    pub(super) fn of(header: &Header, lsn: u64, at: u64) -> Self {
        Self { lsn, at, length: header.length as u32 }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Unknown,
    /// The page has been free since this LSN.
    Free { lsn: u64 },
    /// The page consists of a message with the whole page, and of messages with later changes.
    Present { base: Part, links: Vec<Part> },
}

impl State {
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        let (base, links) = match self {
            Self::Present { base, links } => (Some(base), &links[..]),
            Self::Unknown | Self::Free { .. } => (None, &[][..]),
        };
        base.into_iter().chain(links)
    }
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

    /// Applies the message at this offset of a segment, as sled does when it opens the log.
    pub(super) fn apply(&mut self, header: Header, segment: &Segment, at: usize) {
        let Ok(index) = usize::try_from(header.page) else { return };
        if !header.kind.is_of_page() {
            return;
        }
        let part = Part::of(&header, segment.lsn + at as u64, segment.at + at as u64);
        if header.kind == Kind::Link {
            // A link contains a change to a page. If the state of the page is unknown, the link is skipped: a later
            // message contains the whole page.
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
        self.0[index] = match header.kind {
            Kind::Free => State::Free { lsn: part.lsn },
            _ => State::Present { base: part, links: Vec::new() },
        };
    }

    /// True if the page was replaced or freed at or after this LSN. In this case, no message from before this LSN is
    /// needed for the page.
    pub(super) fn is_replaced(&self, page: u64, since: u64) -> bool {
        match self.get(page) {
            State::Unknown => false,
            State::Free { lsn } => *lsn >= since,
            State::Present { base, .. } => base.lsn >= since,
        }
    }
}
