//! Tests the journal with blocks in memory. The journal must return the batches that were written, and must detect
//! damage.

use super::*;
use crate::Key;

const LENGTH: u64 = 16 * BLOCK_BYTES;

fn blocks() -> MemoryBlocks {
    formatted([7; 16])
}

fn formatted(id: Id) -> MemoryBlocks {
    of_length(LENGTH, id)
}

fn of_length(length: u64, id: Id) -> MemoryBlocks {
    let blocks = MemoryBlocks::default();
    format(&blocks, length, id).unwrap();
    blocks
}

fn open(blocks: &MemoryBlocks, newest: u64) -> (Journal<MemoryBlocks>, Vec<Found>) {
    Journal::read(blocks.clone(), newest).unwrap()
}

/// Returns a batch whose record takes this many blocks. Batches with different numbers differ.
fn batch(number: u64, blocks: u64) -> Batch {
    let mut batch = Batch::new();
    batch.put(Key::new(b"number"), number.to_be_bytes().to_vec());
    batch.delete(Key::new(b"gone"));
    for block in 0..blocks {
        let bytes = if block == 0 { 1_000 } else { 4_080 };
        batch.put(Key::new(&[block as u8]), vec![number as u8; bytes]);
    }
    batch
}

fn append<B: Blocks>(journal: &Journal<B>, number: u64, batch: &Batch) -> io::Result<u64> {
    journal.encode(number, batch);
    journal.append()
}

fn has_room(journal: &Journal<MemoryBlocks>, batch: &Batch) -> bool {
    journal.encode(0, batch);
    journal.has_room()
}

fn rows(batch: &Batch) -> Rows {
    let mut rows = Rows::new();
    batch.rows(|key, value| rows.push((key.to_vec(), value.map(<[u8]>::to_vec))));
    rows
}

fn check(found: &[Found], numbers: std::ops::RangeInclusive<u64>, blocks: impl Fn(u64) -> u64) {
    assert_eq!(found.iter().map(|found| found.number).collect::<Vec<_>>(), numbers.collect::<Vec<_>>());
    for found in found {
        assert_eq!(found.rows, rows(&batch(found.number, blocks(found.number))));
    }
}

#[test]
fn opening_returns_the_batches_after_the_newest_batch_of_the_tree() {
    let blocks = blocks();
    let (journal, found) = open(&blocks, 0);
    assert!(found.is_empty());
    for number in 1..=5 {
        append(&journal, number, &batch(number, number % 3 + 1)).unwrap();
        journal.sync().unwrap();
    }
    for newest in 0..=5 {
        check(&open(&blocks, newest).1, newest + 1..=5, |number| number % 3 + 1);
    }
}

#[test]
fn records_are_found_at_every_position_relative_to_the_window() {
    let window = WINDOW_BYTES / BLOCK_BYTES;
    // A window is a part of the file that is read at once. The first record ends shortly before, at or shortly after
    // the end of the first window. The last record ends at the end of the file.
    for first in window - 3..=window + 2 {
        let lengths = [first, 1, 2, window - 1, window, window + 1, 3, 1];
        let blocks = of_length((1 + lengths.iter().sum::<u64>()) * BLOCK_BYTES, [7; 16]);
        let (journal, _) = open(&blocks, 0);
        for (number, length) in (1..).zip(lengths) {
            let bytes = append(&journal, number, &batch(number, length)).unwrap();
            assert_eq!(bytes, length * BLOCK_BYTES);
            journal.sync().unwrap();
        }
        for newest in 0..8 {
            check(&open(&blocks, newest).1, newest + 1..=8, |number| lengths[number as usize - 1]);
        }
    }
}

#[test]
fn only_retired_records_make_room() {
    // The test combines every length of a record with every number of records that are still needed. In each
    // case, the journal overwrites its blocks several times.
    for length in 1..=7 {
        for needed in 1..=20 {
            let blocks = blocks();
            let (journal, _) = open(&blocks, 0);
            let mut oldest = 1;
            for number in 1..=60 {
                let batch = batch(number, length);
                while number - oldest >= needed || !has_room(&journal, &batch) {
                    assert!(oldest < number, "a single record must always have room");
                    journal.retire(oldest);
                    oldest += 1;
                }
                assert_eq!(append(&journal, number, &batch).unwrap(), length * BLOCK_BYTES);
                journal.sync().unwrap();
                check(&open(&blocks, oldest - 1).1, oldest..=number, |_| length);
            }
        }
    }
}

#[test]
fn a_batch_that_cannot_fit_is_refused() {
    let blocks = blocks();
    let (journal, _) = open(&blocks, 0);
    assert!(has_room(&journal, &batch(1, 15)) && !has_room(&journal, &batch(1, 16)));
    append(&journal, 1, &batch(1, 15)).unwrap();
    journal.sync().unwrap();
    append(&journal, 2, &batch(2, 1)).unwrap_err();
    check(&open(&blocks, 0).1, 1..=1, |_| 15);
}

#[test]
fn a_torn_record_is_ignored_and_the_next_record_gets_its_number() {
    // The torn record is either in unused blocks or in blocks of an earlier record.
    for before in [3, 12] {
        for torn in 0..3 {
            for kept in [0, 20, 36, 512, 1_024] {
                let blocks = blocks();
                let (journal, _) = open(&blocks, 0);
                for number in 1..=before {
                    append(&journal, number, &batch(number, 1)).unwrap();
                    journal.sync().unwrap();
                    journal.retire(number.saturating_sub(2));
                }
                let next = before + 1;
                append(&journal, next, &batch(next, 3)).unwrap();
                blocks.crash(|block| if block == torn { kept } else { BLOCK_BYTES as usize });
                let newest = before - 2;
                let (journal, found) = open(&blocks, newest);
                check(&found, newest + 1..=before, |_| 1);
                append(&journal, next, &batch(next, 2)).unwrap();
                journal.sync().unwrap();
                check(&open(&blocks, before).1, next..=next, |_| 2);
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_detected() {
    let blocks = blocks();
    let (journal, _) = open(&blocks, 0);
    for number in 1..=3 {
        append(&journal, number, &batch(number, 1)).unwrap();
        journal.sync().unwrap();
    }
    let mut all = vec![0; 4 * BLOCK_BYTES as usize];
    blocks.read_at(&mut all, 0).unwrap();
    let used = |block: usize| if block == 0 { HEADER_BYTES } else { record::bytes_of(&batch(1, 1)) };
    for block in 0..4 {
        for at in (0..used(block)).map(|at| block * BLOCK_BYTES as usize + at) {
            for bit in [1, 0x80] {
                all[at] ^= bit;
                blocks.write_at(&all, 0).unwrap();
                let read = Journal::read(blocks.clone(), 0).map_err(|error| error.to_string());
                all[at] ^= bit;
                match (block, read) {
                    // A damaged last record looks like a torn write. The file `committed` shows whether its
                    // batch was acknowledged.
                    (3, Ok((_, found))) => check(&found, 1..=2, |_| 1),
                    (0, Err(damage)) => assert!(damage.contains("header"), "{damage}"),
                    (1 | 2, Err(damage)) => assert!(damage.contains("missing"), "{damage}"),
                    (_, Ok(_)) => panic!("byte {at} was changed without an error"),
                    (_, Err(damage)) => panic!("byte {at}: {damage}"),
                }
            }
        }
    }
    blocks.write_at(&all, 0).unwrap();
    check(&open(&blocks, 0).1, 1..=3, |_| 1);
}

#[test]
fn a_value_that_looks_like_a_record_is_not_read_as_a_record() {
    let blocks = blocks();
    let (journal, _) = open(&blocks, 0);
    // The value contains a record of another journal. This record begins at the start of a block.
    let other = formatted([8; 16]);
    let (theirs, _) = open(&other, 0);
    append(&theirs, 1, &batch(9, 1)).unwrap();
    let mut forged = vec![0; 4_096];
    other.read_at(&mut forged, BLOCK_BYTES).unwrap();
    let mut batch = Batch::new();
    let filling = 4_096 - record::bytes_of(&batch) - 2 * (1 + 1 + 4);
    batch.put(Key::new(b"a"), vec![0; filling]);
    batch.put(Key::new(b"b"), forged.clone());
    append(&journal, 1, &batch).unwrap();
    let mut there = vec![0; 4_096];
    blocks.read_at(&mut there, 2 * BLOCK_BYTES).unwrap();
    assert_eq!(there, forged, "the forged record must begin at the start of a block");
    // A new record overwrites the first block of batch 1. The forged record is in the second block, so it remains.
    journal.sync().unwrap();
    journal.retire(1);
    let mut small = Batch::new();
    small.put(Key::new(b"c"), vec![1]);
    append(&journal, 2, &small).unwrap();
    let found = open(&blocks, 1).1;
    assert_eq!(found.iter().map(|found| found.number).collect::<Vec<_>>(), [2]);
    assert_eq!(open(&blocks, 1).1[0].rows, rows(&small));
}

#[test]
fn the_file_is_created_completely_and_an_invalid_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal");
    // This file remains after a crash during the creation of the journal. The next opening must replace it.
    fs::write(path.with_extension("new"), b"half").unwrap();
    let (journal, found) = super::open(&path, 7).unwrap();
    assert!(found.is_empty() && !path.with_extension("new").exists());
    assert_eq!(path.metadata().unwrap().len(), JOURNAL_BYTES);
    append(&journal, 8, &batch(8, 2)).unwrap();
    journal.sync().unwrap();
    assert_eq!(path.metadata().unwrap().len(), JOURNAL_BYTES);
    check(&super::open(&path, 7).unwrap().1, 8..=8, |_| 2);
    let refused = |expected: &str| {
        let refused = super::open(&path, 6).err().unwrap();
        assert!(matches!(refused, StoreError::DamagedFiles { .. }), "{refused}");
        assert!(refused.to_string().contains(expected), "{refused}");
    };
    refused("missing");
    File::options().write(true).open(&path).unwrap().set_len(JOURNAL_BYTES - 1).unwrap();
    refused("shorter");
    fs::write(&path, b"").unwrap();
    refused("header");
}

#[test]
fn opening_makes_the_last_batch_durable_if_it_was_not_synced() {
    let blocks = blocks();
    let (journal, _) = open(&blocks, 0);
    for number in 1..=2 {
        append(&journal, number, &batch(number, 2)).unwrap();
        if number == 1 {
            journal.sync().unwrap();
        }
    }
    // The process was killed, the next process opened the journal, and then the power failed. The record must survive.
    check(&open(&blocks, 0).1, 1..=2, |_| 2);
    blocks.crash(|_| 0);
    check(&open(&blocks, 0).1, 1..=2, |_| 2);
}

#[test]
fn the_journal_continues_after_the_last_record_even_if_none_is_needed() {
    let blocks = blocks();
    let (journal, _) = open(&blocks, 0);
    let mut written = vec![0; LENGTH as usize];
    for number in 1..=15 {
        append(&journal, number, &batch(number, 1)).unwrap();
        journal.sync().unwrap();
        journal.retire(number);
    }
    blocks.read_at(&mut written, 0).unwrap();
    let is_used = |block: &[u8]| block.iter().any(|byte| *byte != 0);
    assert!(
        written.chunks(BLOCK_BYTES as usize).all(is_used),
        "every block must be used once before a block is overwritten"
    );
}
