//! Reads the whole store as of one point in time, in steps, while commits continue.
//!
//! Invariants: the *point* is the state of the store after one durable commit. The steps together return
//! each row once, in key order, with its value at the point.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::tap::{SPILL_BYTES, Saved, Tap};
use super::{Key, KeyRange, Order, Pair, Rows, Store, StoreError, every_row, past_corrupt_pages};

/// A read of the store as of a point. Dropping the snapshot ends the read.
pub struct Snapshot {
    store: Store,
    tap: Arc<Tap>,
    sequence: u64,
    left: KeyRange,
    spill: Spill,
    side: PathBuf,
}

impl Store {
    /// Begins a read of the store as of the last commit. While the read is open, old values of changed rows may be
    /// saved in unnamed files in the directory `side`.
    ///
    /// # Errors
    /// Returns [`StoreError::Stopped`], or [`StoreError::SnapshotsTaken`] while too many point-in-time reads are open.
    pub async fn snapshot(&self, side: PathBuf) -> Result<Snapshot, StoreError> {
        let (tap, sequence) = self.begin_tap(vec![every_row()]).await?;
        Ok(Snapshot { store: self.clone(), tap, sequence, left: every_row(), spill: Spill::default(), side })
    }

    /// Begins to save the values that later commits overwrite in these ranges. Also returns the number of the newest
    /// commit at this time.
    pub(super) async fn begin_tap(&self, ranges: Vec<KeyRange>) -> Result<(Arc<Tap>, u64), StoreError> {
        let tap = Arc::new(Tap::of(ranges));
        let sequence = self.0.committer.begin_tap(&self.0.backend, &tap).await?;
        Ok((tap, sequence))
    }
}

impl Snapshot {
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Returns the next rows, or `None` at the end. The returned list may be empty before the end.
    ///
    /// # Errors
    /// Returns an error if reading or saving fails, or if more values were overwritten than can be saved.
    pub fn next(&mut self, rows_max: usize, bytes_max: usize) -> Result<Option<Vec<Pair>>, StoreError> {
        if self.left.is_empty() {
            return Ok(None);
        }
        self.move_aside()?;
        past_corrupt_pages(|| self.read_on(rows_max, bytes_max))
    }

    fn read_on(&mut self, rows_max: usize, bytes_max: usize) -> Result<Option<Vec<Pair>>, StoreError> {
        // The step reads the current rows into `rows`. In `rows`, it then undoes the changes that were made since the
        // snapshot began.
        let (mut rows, mut bytes) = (std::collections::BTreeMap::new(), 0);
        let mut passed = self.left;
        for row in self.store.all_rows().scan(&self.left, Order::Ascending) {
            let (key, value) = row?;
            let key = Key::new(&key);
            bytes += value.len();
            rows.insert(key, value);
            if rows.len() >= rows_max || bytes >= bytes_max {
                passed.to = self.left.after(key).from;
                break;
            }
        }
        let mut saved = self.tap.pass(passed);
        let kept = self.spill.pass(passed.to, &mut saved);
        kept.map_err(StoreError::preparing("reading", &self.side))?;
        self.left.from = passed.to;
        for (key, before) in saved {
            match before {
                Some(value) => rows.insert(key, value),
                None => rows.remove(&key),
            };
        }
        Ok(Some(rows.into_iter().map(|(key, value)| (key.to_vec(), value)).collect()))
    }

    fn move_aside(&mut self) -> Result<(), StoreError> {
        match self.tap.bytes() {
            None => Err(StoreError::Overwritten),
            Some(bytes) if bytes > SPILL_BYTES => {
                let written = self.spill.write(&self.side, &self.tap.take_all());
                written.map_err(StoreError::preparing("writing in", &self.side))
            }
            Some(_) => Ok(()),
        }
    }
}

/// The temporary name of a file of a [`Spill`]. The name is removed immediately after the file is created.
const NAME: &str = "side";
/// This number is stored in place of the length of a value if the row did not exist at the snapshot's point.
const NONE: u32 = u32::MAX;
const READ_BYTES: usize = 64 << 10;

type Row = io::Result<(Key, Option<Vec<u8>>)>;

/// Unnamed files for saved values that do not fit into memory. A file disappears when its reader is dropped.
///
/// Invariant: a file contains each key at most once, in key order. It is read once, from start to end.
#[derive(Default)]
struct Spill {
    runs: Vec<Peekable<Run>>,
}

impl Spill {
    fn write(&mut self, dir: &Path, saved: &Saved) -> io::Result<()> {
        let path = dir.join(NAME);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        let mut writer = BufWriter::new(file);
        for (key, value) in saved {
            let length = value.as_ref().map_or(NONE, |value| u32::try_from(value.len()).unwrap_or(NONE));
            // The length of a key fits into a byte.
            writer.write_all(&[u8::try_from(key.len()).unwrap_or(u8::MAX)])?;
            writer.write_all(key)?;
            writer.write_all(&length.to_be_bytes())?;
            writer.write_all(value.as_deref().unwrap_or_default())?;
        }
        let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(Run(BufReader::with_capacity(READ_BYTES, file)).peekable());
        Ok(())
    }

    #[cfg(test)]
    fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Moves the values with keys before `end` from the files to `passed`. If several values of a key were saved, the
    /// value that was saved first remains: the values in `passed` are newer than all files, the files are read from the
    /// newest to the oldest, and each value that is read replaces the value of its key in `passed`.
    fn pass(&mut self, end: Key, passed: &mut Saved) -> io::Result<()> {
        for run in self.runs.iter_mut().rev() {
            while let Some(row) = run.next_if(|row| row.as_ref().map_or(true, |(at, _)| *at < end)) {
                let (at, value) = row?;
                passed.insert(at, value);
            }
        }
        Ok(())
    }
}

struct Run(BufReader<File>);

impl Run {
    fn read(&mut self) -> io::Result<Option<(Key, Option<Vec<u8>>)>> {
        let mut length = [0];
        if self.0.read(&mut length)? == 0 {
            return Ok(None);
        }
        let (mut key, mut bytes) = (vec![0; usize::from(length[0])], [0; 4]);
        self.0.read_exact(&mut key)?;
        self.0.read_exact(&mut bytes)?;
        let value = match u32::from_be_bytes(bytes) {
            NONE => None,
            length => {
                let mut value = vec![0; length as usize];
                self.0.read_exact(&mut value)?;
                Some(value)
            }
        };
        Ok(Some((Key::new(&key), value)))
    }
}

impl Iterator for Run {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use domain::BusinessId;

    use super::super::committer::SNAPSHOTS_MAX;
    use super::super::{Batch, MemoryBackend};
    use super::*;

    async fn write(store: &Store, number: u8, value: Option<Vec<u8>>) {
        let key = Key::new(&[1; 16]).with(&[0x50, number]);
        let mut batch = Batch::default();
        match value {
            Some(value) => batch.put(key, value),
            None => batch.delete_whole(key, 300_000),
        }
        store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
        store.wait_durable(BusinessId::INSTALLATION).await.unwrap();
    }

    fn all(store: &Store) -> Vec<Pair> {
        store.rows().scan(&every_row(), Order::Ascending).collect::<Result<_, _>>().unwrap()
    }

    #[tokio::test]
    async fn later_writes_do_not_change_the_rows_of_a_snapshot() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
        for number in 0..100 {
            write(&store, number, Some(vec![number; 300_000])).await;
        }
        let before = all(&store);
        let mut snapshot = store.snapshot(home.path().to_owned()).await.unwrap();
        let mut others = Vec::new();
        for _ in 1..SNAPSHOTS_MAX {
            others.push(store.snapshot(home.path().to_owned()).await.unwrap());
        }
        let more = store.snapshot(home.path().to_owned()).await.map(drop);
        assert!(matches!(more, Err(StoreError::SnapshotsTaken)), "{more:?}");
        drop(others);
        let (mut read, mut aside) = (Vec::new(), 0);
        for round in 0.. {
            let Some(rows) = snapshot.next(60, 1 << 20).unwrap() else { break };
            read.extend(rows);
            // The writes make rows longer or shorter, delete rows, and create rows. The snapshot must keep the old
            // values. They do not fit into its memory, so it moves them to files.
            for number in 0..30 {
                let number = (round as u8).wrapping_mul(31).wrapping_add(number) % 110;
                let value = [Some(vec![0xee; 310_000]), Some(vec![1]), None, Some(vec![0xdd; 5_000])];
                write(&store, number, value[usize::from(number + round as u8) % 4].clone()).await;
            }
            aside = aside.max(snapshot.spill.runs());
        }
        assert!(aside >= 2, "only {aside} files were needed");
        assert!(read == before, "the snapshot must contain the rows of its point");
        drop(snapshot);
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        // The next snapshot contains the rows as they are now.
        let after = all(&store);
        let mut again = store.snapshot(home.path().to_owned()).await.unwrap();
        let mut read = Vec::new();
        while let Some(rows) = again.next(1_000, usize::MAX).unwrap() {
            read.extend(rows);
        }
        assert!(read == after);
    }

    #[test]
    fn the_value_that_was_saved_first_counts() {
        let dir = tempfile::tempdir().unwrap();
        let key = |byte: u8| Key::new(&[byte]);
        let row = |byte: u8, value: Option<&[u8]>| (key(byte), value.map(<[u8]>::to_vec));
        let mut spill = Spill::default();
        spill.write(dir.path(), &Saved::from([row(1, Some(b"first")), row(3, None)])).unwrap();
        spill
            .write(dir.path(), &Saved::from([row(1, Some(b"later")), row(2, Some(b"")), row(4, Some(b"x"))]))
            .unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut passed = Saved::from([row(2, Some(b"latest")), row(3, Some(b"latest"))]);
        spill.pass(key(4), &mut passed).unwrap();
        assert_eq!(passed, Saved::from([row(1, Some(b"first")), row(2, Some(b"")), row(3, None)]));
        let mut passed = Saved::new();
        spill.pass(key(9), &mut passed).unwrap();
        assert_eq!(passed, Saved::from([row(4, Some(b"x"))]));
    }
}
