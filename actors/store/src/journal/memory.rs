//! The journal's blocks in a simulation.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{BLOCK_BYTES, Blocks};

/// The blocks of a journal in memory. A crash may lose or tear unsynced blocks. Clones share the same blocks.
#[derive(Clone, Default)]
pub(crate) struct MemoryBlocks(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    /// The written blocks by number. All other blocks are zeros.
    blocks: BTreeMap<u64, Vec<u8>>,
    /// The old content of the blocks that were written since the last sync, in the order of writing.
    unsynced: Vec<(u64, Vec<u8>)>,
}

impl MemoryBlocks {
    pub(crate) fn copied(&self) -> Self {
        let held = self.0.lock();
        Self(Arc::new(Mutex::new(Held { blocks: held.blocks.clone(), unsynced: held.unsynced.clone() })))
    }

    /// Returns one flag for each unsynced block, in the order of writing. The flag is true if the write changed the
    /// block's content.
    pub(crate) fn unsynced(&self) -> Vec<bool> {
        let held = self.0.lock();
        held.unsynced.iter().map(|(number, before)| held.blocks[number] != *before).collect()
    }

    /// Simulates a power cut. Calls `kept` with the index of each unsynced block. `kept` returns how many of the
    /// block's first bytes keep the new content. The remaining bytes get the old content.
    pub(crate) fn crash(&self, mut kept: impl FnMut(usize) -> usize) {
        let held = &mut *self.0.lock();
        for (number, (block, before)) in std::mem::take(&mut held.unsynced).into_iter().enumerate().rev() {
            let kept = kept(number).min(BLOCK_BYTES as usize);
            if let Some(bytes) = held.blocks.get_mut(&block) {
                bytes[kept..].copy_from_slice(&before[kept..]);
            }
        }
    }
}

impl Blocks for MemoryBlocks {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let held = &mut *self.0.lock();
        for (number, bytes) in (at / BLOCK_BYTES..).zip(bytes.chunks(BLOCK_BYTES as usize)) {
            let block = held.blocks.entry(number).or_insert_with(|| vec![0; BLOCK_BYTES as usize]);
            held.unsynced.push((number, block.clone()));
            block[..bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let held = self.0.lock();
        for (number, bytes) in (at / BLOCK_BYTES..).zip(bytes.chunks_mut(BLOCK_BYTES as usize)) {
            match held.blocks.get(&number) {
                Some(block) => bytes.copy_from_slice(&block[..bytes.len()]),
                None => bytes.fill(0),
            }
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.0.lock().unsynced.clear();
        Ok(())
    }
}
