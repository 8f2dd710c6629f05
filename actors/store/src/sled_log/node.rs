//! The encoding of the pages of sled's tree (nodes) in the messages of its log.

use super::message::{Bytes, put_varint};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) next: Option<u64>,
    /// The child page that sled is merging into its left neighbour, if any.
    merging_child: Option<u64>,
    merging: bool,
    /// The number of bytes at the start of `lo` that all keys share and that the stored keys omit.
    prefix: usize,
    pub(super) lo: Vec<u8>,
    /// The first key after the page's range. It is empty for the last page.
    pub(super) hi: Vec<u8>,
    pub(super) data: Data,
}

/// The rows of a leaf, or the children of an index page. The keys are stored without the prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    Leaf(Vec<(Vec<u8>, Vec<u8>)>),
    Index(Vec<(Vec<u8>, u64)>),
}

impl Node {
    /// Decodes the body of a message. Bytes that follow the node are ignored.
    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(body);
        let next = bytes.varint()?;
        let merging_child = bytes.varint()?;
        let merging = bytes.byte()?;
        let prefix = usize::from(bytes.byte()?);
        let (lo, hi) = (bytes.string()?.to_vec(), bytes.string()?.to_vec());
        let is_index = bytes.byte()? == 1;
        let length = bytes.varint()?;
        let keys = (0..length).map(|_| Some(bytes.string()?.to_vec())).collect::<Option<Vec<_>>>()?;
        let data = match is_index {
            true => {
                Data::Index(keys.into_iter().map(|key| Some((key, bytes.varint()?))).collect::<Option<_>>()?)
            }
            false => {
                let row = |key| Some((key, bytes.string()?.to_vec()));
                Data::Leaf(keys.into_iter().map(row).collect::<Option<_>>()?)
            }
        };
        let page = |number: u64| Some(number).filter(|number| *number != 0);
        let (next, merging_child) = (page(next), page(merging_child));
        Some(Self { next, merging_child, merging: merging != 0, prefix, lo, hi, data })
    }

    /// Applies a change to the page. `link` is the body of the change's message. Returns `None` if the change does not
    /// fit the page.
    pub(super) fn apply(&mut self, link: &[u8]) -> Option<()> {
        let mut bytes = Bytes(link);
        match (bytes.byte()?, &mut self.data) {
            (0, Data::Leaf(rows)) => {
                let (key, value) = (bytes.string()?, bytes.string()?.to_vec());
                match rows.binary_search_by(|(other, _)| other[..].cmp(key)) {
                    Ok(at) => rows[at].1 = value,
                    Err(at) => rows.insert(at, (key.to_vec(), value)),
                }
            }
            (1, Data::Leaf(rows)) => {
                let key = bytes.string()?;
                rows.retain(|(other, _)| other != key);
            }
            // To merge a child page, sled makes three changes. A change of kind 2 stores the child's page number in the
            // parent, kind 4 marks the child, and kind 3 removes the child from the parent.
            (2, Data::Index(_)) => self.merging_child = Some(bytes.varint()?),
            (3, Data::Index(pointers)) => {
                let merged = self.merging_child.take()?;
                pointers.retain(|(_, child)| *child != merged);
            }
            (4, _) => self.merging = true,
            _ => return None,
        }
        Some(())
    }

    pub(super) fn is_merging(&self) -> bool {
        self.merging || self.merging_child.is_some()
    }

    pub(super) fn whole_key(&self, key: &[u8]) -> Vec<u8> {
        [self.lo.get(..self.prefix).unwrap_or_default(), key].concat()
    }
}

/// Encodes the body of an empty leaf that has this range and this right neighbour.
pub(super) fn encode_empty(lo: &[u8], hi: &[u8], next: Option<u64>) -> Vec<u8> {
    let mut body = Vec::new();
    put_varint(&mut body, next.unwrap_or(0));
    body.extend([0, 0, 0]); // no merge of a child or of the page, no prefix
    for key in [lo, hi] {
        put_varint(&mut body, key.len() as u64);
        body.extend(key);
    }
    body.extend([0, 0]); // a leaf without rows
    body
}

/// The body of a change that has no effect: it deletes the empty key, which no row has.
pub(super) const NO_CHANGE: [u8; 2] = [1, 0];

const TREE: &[u8] = b"__sled__default";

pub(super) fn root_of(meta: &[u8]) -> Option<u64> {
    let mut bytes = Bytes(meta);
    while !bytes.is_empty() {
        let (name, page) = (bytes.string()?, bytes.varint()?);
        if name == TREE {
            return Some(page);
        }
    }
    None
}
