//! Plans the isolation of a corrupt page of sled's tree. The isolation replaces the page by an empty leaf.
//!
//! sled stores a page as messages in its log. sled's cleaner, which frees segments, stops at a page that it cannot
//! read. The plan therefore replaces the messages of such a page by new messages of the same length. The new messages
//! form an empty leaf with the same neighbours. The caller sets aside the businesses in the page's range.
//!
//! Invariants:
//!
//! - sled is closed. This module writes nothing. The plan contains the writes. Repeating the writes has no further
//!   effect.
//! - Only a leaf is isolated, and only if the parent page contains the range of the leaf.
//! - A plan changes only the bytes of the leaf's messages, and only if sled has not reused their segments.

use std::io;

use serde::{Deserialize, Serialize};

use super::message::{Kind, encode, message_at, parse};
use super::node::{Data, NO_CHANGE, Node, encode_empty, root_of};
use super::pages::{Pages, Part, State};
use super::walk::{Log, Unusable};

pub(crate) struct Plan {
    pub(crate) lo: Vec<u8>,
    pub(crate) hi: Vec<u8>,
    pub(crate) writes: Vec<Write>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Write {
    pub(crate) segment: u64,
    pub(crate) at: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) before: Vec<u8>,
}

const META: u64 = 0;

fn message(log: &Log, part: &Part) -> io::Result<Option<Vec<u8>>> {
    let bytes = log.bytes(part.at, part.length as usize)?;
    let is_whole = message_at(&bytes, 0, part.lsn / log.segment_bytes()).is_some();
    Ok(Some(bytes).filter(|_| is_whole))
}

fn body(log: &Log, part: &Part) -> io::Result<Option<Vec<u8>>> {
    let message = message(log, part)?;
    Ok(message.and_then(|message| parse(&message).map(|header| message[header.header..].to_vec())))
}

pub(super) fn node(log: &Log, state: &State) -> io::Result<Option<Node>> {
    let mut parts = state.parts();
    let Some(base) = parts.next() else { return Ok(None) };
    let Some(mut node) = body(log, base)?.and_then(|body| Node::decode(&body)) else { return Ok(None) };
    for link in parts {
        let applied = body(log, link)?.and_then(|link| node.apply(&link));
        if applied.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(node))
}

/// Returns the unreadable pages, each with the offset of its first corrupt message. If `offset` is given,
/// returns only the page that has a message at this offset.
pub(crate) fn corrupt_pages(log: &Log, pages: &Pages, offset: Option<u64>) -> io::Result<Vec<(u64, u64)>> {
    let mut found = Vec::new();
    for (page, state) in pages.iter() {
        if offset.is_some_and(|offset| state.parts().all(|part| part.at != offset)) {
            continue;
        }
        for part in state.parts() {
            if message(log, part)?.is_none() {
                found.push((page, part.at));
                break;
            }
        }
    }
    Ok(found)
}

/// The result of [`last_value`].
pub(crate) enum Last {
    Value(Vec<u8>),
    /// The tree is empty, or its last key is not the requested key.
    Absent,
    Unreadable,
}

/// Returns the value of `key`, if it is the last key of the tree.
pub(crate) fn last_value(log: &Log, pages: &Pages, key: &[u8]) -> io::Result<Last> {
    let Some(mut page) = root(log, pages)? else {
        let is_empty = pages.iter().all(|(_, state)| state.parts().next().is_none());
        return Ok(if is_empty { Last::Absent } else { Last::Unreadable });
    };
    loop {
        let Some(node) = node(log, pages.get(page))? else { return Ok(Last::Unreadable) };
        let next = match &node.data {
            _ if node.next.is_some() => node.next,
            Data::Index(pointers) => pointers.last().map(|(_, child)| *child),
            Data::Leaf(rows) => {
                let found = rows.last().filter(|(last, _)| node.whole_key(last) == key);
                return Ok(found.map_or(Last::Absent, |(_, value)| Last::Value(value.clone())));
            }
        };
        match next {
            Some(next) => page = next,
            None => return Ok(Last::Unreadable),
        }
    }
}

fn root(log: &Log, pages: &Pages) -> io::Result<Option<u64>> {
    let State::Present { base, .. } = pages.get(META) else { return Ok(None) };
    Ok(body(log, base)?.and_then(|body| root_of(&body)))
}

/// Plans the isolation of a page. An error about damage contains the offset `at`.
pub(crate) fn plan(log: &Log, pages: &Pages, page: u64, at: u64) -> Result<Plan, Unusable> {
    let refused = |what| Unusable::Damaged { offset: at, what };
    let State::Present { base, links } = pages.get(page) else {
        return Err(refused("the page is not known"));
    };
    let root = root(log, pages)?.ok_or_else(|| refused("sled's page of trees cannot be read"))?;
    let (lo, hi, next) = neighbours(log, pages, root, page)?.map_err(refused)?;
    let empty = encode_empty(&lo, &hi, next);
    let mut writes = Vec::new();
    let replaced = std::iter::once((base, Kind::Node, &empty[..]));
    let replaced = replaced.chain(links.iter().map(|link| (link, Kind::Link, &NO_CHANGE[..])));
    for (part, kind, body) in replaced {
        let segment = log.segment_of(part);
        if !log.is_in_place(segment, part.at)? {
            return Err(refused("a different segment is at the offset of the page"));
        }
        let message = encode(kind, part.lsn / log.segment_bytes(), page, body, part.length as usize)
            .ok_or_else(|| refused("the page is too small to be replaced"))?;
        let before = log.bytes(part.at, message.len())?;
        writes.push(Write { segment, at: part.at, bytes: message, before });
    }
    Ok(Plan { lo, hi, writes })
}

type Neighbours = (Vec<u8>, Vec<u8>, Option<u64>);

fn neighbours(
    log: &Log,
    pages: &Pages,
    root: u64,
    leaf: u64,
) -> io::Result<Result<Neighbours, &'static str>> {
    let mut level = vec![(Vec::new(), root)];
    loop {
        let mut children = Vec::new();
        for (_, page) in &level {
            match node(log, pages.get(*page))? {
                Some(node) if node.is_merging() => return Ok(Err("pages are being merged")),
                Some(node) => match &node.data {
                    Data::Index(pointers) => {
                        let whole = |(key, page): &(Vec<u8>, u64)| (node.whole_key(key), *page);
                        children.extend(pointers.iter().map(whole));
                    }
                    Data::Leaf(_) => return Ok(Err("the page is not in the tree")),
                },
                None => return Ok(Err("an index page cannot be read")),
            }
        }
        // All pages of a level have the same kind.
        let mut is_leaf_level = None;
        for (_, page) in &children {
            if let Some(node) = node(log, pages.get(*page))? {
                is_leaf_level = Some(matches!(node.data, Data::Leaf(_)));
                break;
            }
        }
        if is_leaf_level != Some(true) {
            level = children;
            if level.is_empty() || is_leaf_level.is_none() {
                return Ok(Err("no neighbouring page can be read"));
            }
            continue;
        }
        let Some(at) = children.iter().position(|(_, page)| *page == leaf) else {
            return Ok(Err("the page is not in the tree"));
        };
        let next = children.get(at + 1);
        let hi = next.map_or_else(Vec::new, |(key, _)| key.clone());
        return Ok(Ok((children[at].0.clone(), hi, next.map(|(_, page)| *page))));
    }
}
