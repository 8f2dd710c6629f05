//! The businesses that are set aside because some of their rows are lost or damaged.
//!
//! The file `DIR/businesses-set-aside` has one line per business, with its id and the reason:
//!
//! ```text
//! 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c page 17 of store/db is damaged
//! ```
//!
//! Invariants:
//!
//! - Reads of a business that is set aside, and changes to it, fail with [`StoreError::BusinessSetAside`].
//!   Scans over several businesses skip its rows.
//! - A business stays set aside until an operator removes its line while the service is stopped.
//! - A business is set aside in memory before the file is written. So it is set aside even if the disk is full.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::{BusinessId, ResourceId};
use parking_lot::{Mutex, RwLock};

use super::files::{found, replace};
use super::{KeyRange, Order, Pairs, StoreError, keys};

pub const SET_ASIDE_FILE: &str = "businesses-set-aside";

#[derive(Default)]
pub(super) struct Damaged {
    any: AtomicBool,
    listed: RwLock<BTreeMap<BusinessId, String>>,
    /// True if the file does not contain the newest list. The mutex stays locked while the file is written, so that the
    /// lists are written in order.
    unsaved: Mutex<bool>,
}

impl Damaged {
    /// Creates the list from the content of the file, and logs each business in it.
    pub(super) fn of(kept: Vec<(BusinessId, String)>) -> Self {
        for (business, reason) in &kept {
            tracing::error!(business.id = %business, reason, "a business is still set aside");
        }
        let any = AtomicBool::new(!kept.is_empty());
        Self { any, listed: RwLock::new(kept.into_iter().collect()), unsaved: Mutex::default() }
    }

    /// Adds a business and calls `keep` to write the list. A business that is already in the list keeps its reason.
    pub(super) fn add(
        &self,
        business: BusinessId,
        reason: &str,
        keep: impl FnOnce(&[(BusinessId, String)]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut unsaved = self.unsaved.lock();
        if !self.contains(business) {
            let reason = one_line(reason);
            tracing::error!(
                business.id = %business,
                reason,
                "a business is set aside: its requests fail until the store is repaired or restored"
            );
            self.listed.write().insert(business, reason);
            self.any.store(true, Ordering::Release);
            *unsaved = true;
        }
        if *unsaved {
            keep(&self.all())?;
            *unsaved = false;
        }
        Ok(())
    }

    pub(super) fn all(&self) -> Vec<(BusinessId, String)> {
        self.listed.read().iter().map(|(business, reason)| (*business, reason.clone())).collect()
    }

    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    pub(super) fn contains(&self, business: BusinessId) -> bool {
        self.any() && self.listed.read().contains_key(&business)
    }

    pub(super) fn holds(&self, key: &[u8]) -> Option<BusinessId> {
        if !self.any() {
            return None;
        }
        keys::business_of(key).ok().filter(|business| self.contains(*business))
    }

    /// Returns the range without the rows of the businesses that are set aside, as a list of parts. If the whole range
    /// belongs to one such business, the error is the id of this business.
    fn open_parts(&self, range: &KeyRange) -> Result<Vec<KeyRange>, BusinessId> {
        let (mut left, mut parts) = (*range, Vec::new());
        if self.any() {
            for business in self.listed.read().keys() {
                let rows = keys::all(*business);
                if is_within(range, &rows) {
                    return Err(*business);
                }
                if rows.from < left.to && rows.to > left.from {
                    parts.push(left.before(rows.from));
                    left = left.starting_at(rows.to);
                }
            }
        }
        parts.push(left);
        parts.retain(|part| !part.is_empty());
        Ok(parts)
    }

    /// Returns the rows of a range, except the rows of businesses that are set aside. The function `all` must return
    /// all rows of a range.
    pub(super) fn scan<'a>(
        &'a self,
        range: &KeyRange,
        order: Order,
        all: impl Fn(&KeyRange) -> Pairs<'a> + Send + 'a,
    ) -> Pairs<'a> {
        let mut parts = match self.open_parts(range) {
            Ok(parts) => parts,
            Err(business) => {
                return Box::new(std::iter::once(Err(StoreError::BusinessSetAside { business })));
            }
        };
        if order == Order::Descending {
            parts.reverse();
        }
        let mut pairs = parts.into_iter().flat_map(move |part| all(&part));
        // A business can be set aside during the scan. If the whole range belongs to this business, the scan returns an
        // error, even if it has already returned all rows.
        let (range, mut ended) = (*range, false);
        Box::new(std::iter::from_fn(move || {
            while !ended {
                let pair = pairs.next();
                let key = match &pair {
                    Some(Ok((key, _))) => key,
                    Some(Err(_)) => return pair,
                    None => &range.from[..],
                };
                let of = self.holds(key).filter(|business| is_within(&range, &keys::all(*business)));
                if let Some(business) = of {
                    ended = true;
                    return Some(Err(StoreError::BusinessSetAside { business }));
                }
                match pair {
                    Some(Ok((key, value))) if self.holds(&key).is_none() => return Some(Ok((key, value))),
                    Some(_) => {}
                    None => ended = true,
                }
            }
            None
        }))
    }
}

fn is_within(range: &KeyRange, rows: &KeyRange) -> bool {
    range.from >= rows.from && range.to <= rows.to
}

/// Repeats a read until it finds no corrupt page. A read that finds a corrupt page fails, but isolates the page, so
/// that the next read does not find it.
pub fn past_corrupt_pages<T>(mut read: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    loop {
        match read() {
            Err(StoreError::Corrupt { .. }) => {}
            read => return read,
        }
    }
}

pub fn unless_business_set_aside<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::BusinessSetAside { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn one_line(reason: &str) -> String {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { "no reason was given".into() } else { line }
}

/// Reads the list of businesses that are set aside, even while a process has the directory open. If there is no file,
/// the list is empty.
pub fn read_businesses_set_aside(dir: &Path) -> Result<Vec<(BusinessId, String)>, StoreError> {
    let path = dir.join(SET_ASIDE_FILE);
    let text = found(fs::read(&path)).map_err(StoreError::preparing("reading", &path))?;
    let Some(text) = text else { return Ok(Vec::new()) };
    let text = match String::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + sound.iter().filter(|byte| **byte == b'\n').count();
            return Err(StoreError::SetAsideFile { path, line });
        }
    };
    let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
    let read = lines.map(|(line, text)| parse(text).ok_or(line));
    read.collect::<Result<_, _>>().map_err(|line| StoreError::SetAsideFile { path, line })
}

fn parse(line: &str) -> Option<(BusinessId, String)> {
    let (id, reason) = line.split_once(' ')?;
    let id = id.parse().ok().filter(|id: &BusinessId| !id.uuid().is_nil() && !id.uuid().is_max())?;
    Some((id, one_line(reason)))
}

pub(super) fn write(dir: &Path, listed: &[(BusinessId, String)]) -> Result<(), StoreError> {
    let path = dir.join(SET_ASIDE_FILE);
    let text: String = listed.iter().map(|(business, reason)| format!("{business} {reason}\n")).collect();
    replace(&path, 0o600, text).map_err(StoreError::preparing("writing", &path))
}

#[cfg(test)]
mod tests;
