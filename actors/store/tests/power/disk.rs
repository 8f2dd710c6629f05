//! A simulated disk. Its state is computed from [`Note`]s. Each note records a call of the tested process that changed
//! a file. The simulation returns contents that a real disk may have after a power cut.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::chance::Rng;
use crate::notes::Note;

/// The number of bytes that a disk writes atomically.
const BLOCK: usize = 4096;

#[derive(Clone, Default)]
struct File {
    synced: Vec<u8>,
    now: Vec<u8>,
    /// For each block, the contents that were written since the last sync. The number before a content is the number of
    /// the [`Note`] that records the write.
    blocks: BTreeMap<usize, Vec<(usize, Vec<u8>)>>,
    lengths: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
enum Entry {
    File(String, usize),
    Directory(String),
    Renamed(String, String),
    Removed(String),
}

#[derive(Clone, Default)]
struct Directory {
    names: Names,
    entries: Vec<(usize, Entry)>,
}

/// The names in a directory. The value is the number of a file, or `None` for a directory.
type Names = BTreeMap<String, Option<usize>>;

#[derive(Clone, Default)]
pub(crate) struct Disk {
    files: Vec<File>,
    /// The number of the file that has this inode.
    of_inode: HashMap<u64, usize>,
    directory_of_inode: HashMap<u64, String>,
    /// All directories by their path relative to the root directory, whose own path is empty.
    directories: BTreeMap<String, Directory>,
    /// For each sync in progress, the number of the note that recorded its start.
    syncs: HashMap<u64, usize>,
    noted: usize,
}

impl File {
    fn changed(&mut self, note: usize, from: usize, to: usize) {
        for block in from / BLOCK..to.div_ceil(BLOCK) {
            let bytes = self.now.get(block * BLOCK..).unwrap_or_default();
            let bytes = bytes[..bytes.len().min(BLOCK)].to_vec();
            self.blocks.entry(block).or_default().push((note, bytes));
        }
    }

    fn write(&mut self, note: usize, at: usize, bytes: &[u8]) {
        let end = at + bytes.len();
        if end > self.now.len() {
            self.now.resize(end, 0);
            self.lengths.push((note, end));
        }
        self.now[at..end].copy_from_slice(bytes);
        self.changed(note, at, end);
    }

    fn truncate(&mut self, note: usize, bytes: usize) {
        let before = self.now.len();
        self.now.resize(bytes, 0);
        self.lengths.push((note, bytes));
        if bytes < before {
            self.changed(note, bytes, before);
        }
    }

    /// Marks all changes of earlier notes (with a number below `note`) as synced.
    fn sync(&mut self, note: usize) {
        if let Some((_, length)) = self.lengths.iter().rfind(|(at, _)| *at < note) {
            self.synced.resize(*length, 0);
        }
        self.lengths.retain(|(at, _)| *at >= note);
        self.blocks.retain(|block, versions| {
            let synced = versions.iter().rposition(|(at, _)| *at < note);
            if let Some(synced) = synced {
                let (_, bytes) = &versions[synced];
                put(&mut self.synced, block * BLOCK, bytes);
                versions.drain(..=synced);
            }
            !versions.is_empty()
        });
    }

    /// Simulates a failed sync. A quarter of the blocks reach the disk. Later syncs write a remaining block only if the
    /// block changes again.
    fn fail_sync(&mut self, note: usize) {
        let mut rng = Rng(note as u64);
        for (block, versions) in std::mem::take(&mut self.blocks) {
            if rng.below(4) == 0
                && let Some((_, bytes)) = versions.last()
            {
                put(&mut self.synced, block * BLOCK, bytes);
            }
        }
    }

    /// Returns the blocks that a failed sync has lost: their content in memory differs from the disk, but the next sync
    /// does not write them. Each item is the offset of a block and its bytes on the disk.
    fn lost(&self) -> impl Iterator<Item = (usize, Vec<u8>)> {
        self.now.chunks(BLOCK).enumerate().filter_map(|(block, seen)| {
            let at = block * BLOCK;
            let on_disk = self.synced.get(at..).unwrap_or_default();
            let mut on_disk = on_disk[..on_disk.len().min(seen.len())].to_vec();
            on_disk.resize(seen.len(), 0);
            (seen != on_disk && !self.blocks.contains_key(&block)).then_some((at, on_disk))
        })
    }

    /// Drops the blocks of a failed sync from memory, so that reads return the content of the disk again.
    fn drop_clean(&mut self) {
        let lost: Vec<_> = self.lost().collect();
        lost.into_iter().for_each(|(at, bytes)| put(&mut self.now, at, &bytes));
    }

    /// Returns a random content that the file may have after a power cut. On average, `bias` out of 4 unsynced blocks
    /// survive.
    fn survives(&self, rng: &mut Rng, bias: usize) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        let lengths: Vec<_> = self.lengths.iter().map(|(_, length)| *length).collect();
        if rng.below(4) < bias && !lengths.is_empty() {
            let last = rng.below(3) > 0;
            bytes.resize(lengths[if last { lengths.len() - 1 } else { rng.below(lengths.len()) }], 0);
        }
        for (block, versions) in &self.blocks {
            if rng.below(4) < bias {
                let newest = rng.below(4) > 0;
                let (_, version) =
                    &versions[if newest { versions.len() - 1 } else { rng.below(versions.len()) }];
                put(&mut bytes, block * BLOCK, version);
            }
        }
        bytes
    }
}

fn put(bytes: &mut Vec<u8>, at: usize, block: &[u8]) {
    if block.is_empty() {
        return;
    }
    if bytes.len() < at + block.len() {
        bytes.resize(at + block.len(), 0);
    }
    bytes[at..at + block.len()].copy_from_slice(block);
}

fn parts(path: &str) -> (String, String) {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    (parent.to_owned(), name.to_owned())
}

fn enter(names: &mut Names, entry: &Entry) {
    match entry {
        Entry::File(name, file) => _ = names.insert(name.clone(), Some(*file)),
        Entry::Directory(name) => _ = names.insert(name.clone(), None),
        Entry::Removed(name) => _ = names.remove(name),
        Entry::Renamed(from, to) => {
            if let Some(what) = names.remove(from) {
                names.insert(to.clone(), what);
            }
        }
    }
}

impl Disk {
    pub(crate) fn of(root: &Path) -> Self {
        let mut disk = Self::default();
        disk.take_in(root, "");
        disk
    }

    fn take_in(&mut self, root: &Path, path: &str) {
        let full = root.join(path);
        self.directory_of_inode.insert(fs::metadata(&full).unwrap().ino(), path.to_owned());
        let mut directory = Directory::default();
        for entry in fs::read_dir(&full).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if ["lock", "ballast", "acks"].contains(&&*name) {
                continue;
            }
            let below = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let seen = fs::metadata(root.join(&below)).unwrap();
            if seen.is_dir() {
                directory.names.insert(name, None);
                self.take_in(root, &below);
            } else {
                let synced = fs::read(root.join(&below)).unwrap();
                self.of_inode.insert(seen.ino(), self.files.len());
                directory.names.insert(name, Some(self.files.len()));
                self.files.push(File { now: synced.clone(), synced, ..File::default() });
            }
        }
        self.directories.insert(path.to_owned(), directory);
    }

    fn note_entry(&mut self, parent: &str, entry: Entry) {
        let number = self.noted;
        self.directories.get_mut(parent).expect("unknown directory").entries.push((number, entry));
    }

    pub(crate) fn follow(&mut self, note: &Note) {
        self.noted += 1;
        let number = self.noted;
        match note {
            Note::Created { inode, name } => {
                let (parent, name) = parts(name);
                self.of_inode.insert(*inode, self.files.len());
                self.note_entry(&parent, Entry::File(name, self.files.len()));
                self.files.push(File::default());
            }
            Note::Directory { inode, name } => {
                self.directory_of_inode.insert(*inode, name.clone());
                self.directories.insert(name.clone(), Directory::default());
                let (parent, name) = parts(name);
                self.note_entry(&parent, Entry::Directory(name));
            }
            Note::Written { inode, at, bytes } => {
                self.files[self.of_inode[inode]].write(number, *at, bytes);
            }
            Note::Truncated { inode, bytes } => self.files[self.of_inode[inode]].truncate(number, *bytes),
            Note::Syncing { sync } => _ = self.syncs.insert(*sync, number),
            Note::Synced { inode, sync } => {
                let began = self.syncs[sync];
                if let Some(path) = self.directory_of_inode.get(inode) {
                    let directory = self.directories.get_mut(path).unwrap();
                    let later = directory.entries.iter().position(|(at, _)| *at >= began);
                    let synced = later.unwrap_or(directory.entries.len());
                    for (_, entry) in directory.entries.drain(..synced) {
                        enter(&mut directory.names, &entry);
                    }
                } else {
                    self.files[self.of_inode[inode]].sync(began);
                }
            }
            Note::SyncFailed { inode } => {
                // A failed sync of a file can lose blocks. A failed sync of a directory loses nothing: a later sync can
                // still write the changes to the directory.
                if let Some(file) = self.of_inode.get(inode) {
                    self.files[*file].fail_sync(number);
                }
            }
            Note::Dropped { inode } => {
                if let Some(file) = self.of_inode.get(inode) {
                    self.files[*file].drop_clean();
                }
            }
            Note::Renamed { from, to } => {
                let ((parent, from), (other, to)) = (parts(from), parts(to));
                assert_eq!(parent, other, "a rename to another directory is not supported");
                self.note_entry(&parent, Entry::Renamed(from, to));
            }
            Note::Removed { name } => {
                let (parent, name) = parts(name);
                self.note_entry(&parent, Entry::Removed(name));
            }
            Note::Acknowledged(_) => {}
        }
    }

    /// Returns the number of unsynced bytes in a part of a file, in whole blocks. When sled opens a store, it fills
    /// free segments with zeros. Therefore blocks of zeros are not counted.
    pub(crate) fn unsynced(&self, name: &str, part: Range<usize>) -> usize {
        let Some(file) = self.file(name) else { return 0 };
        let blocks = self.files[file].blocks.range(part.start / BLOCK..part.end.div_ceil(BLOCK));
        let newest = blocks.filter_map(|(_, versions)| versions.last());
        newest.filter(|(_, bytes)| bytes.iter().any(|byte| *byte != 0)).count() * BLOCK
    }

    /// Writes a file for the shim. A block is *lost* if a failed sync has not written it: the memory and the disk then
    /// contain different bytes, and the next sync does not write the block either. For each lost block, the file
    /// contains the bytes on the disk. Returns the number of lost blocks.
    pub(crate) fn write_lost(&self, to: &Path) -> usize {
        let (mut records, mut blocks) = (Vec::new(), 0);
        for (inode, file) in &self.of_inode {
            for (at, mut bytes) in self.files[*file].lost() {
                for number in [*inode, at as u64, bytes.len() as u64] {
                    records.extend(number.to_le_bytes());
                }
                bytes.resize(BLOCK, 0);
                records.extend(bytes);
                blocks += 1;
            }
        }
        fs::write(to, records).unwrap();
        blocks
    }

    /// Returns true if the note records a write that overwrites old bytes of the file, begins at a multiple of `part`,
    /// and does not begin with 8 zeros.
    pub(crate) fn writes_over(&self, name: &str, note: &Note, part: usize) -> bool {
        let Some((at, bytes)) = self.written(name, note) else { return false };
        let before = self.file(name).is_some_and(|file| self.files[file].now.get(at).is_some());
        before && at % part == 0 && bytes[..bytes.len().min(8)] != [0; 8]
    }

    pub(crate) fn written<'a>(&self, name: &str, note: &'a Note) -> Option<(usize, &'a [u8])> {
        let Note::Written { inode, at, bytes } = note else { return None };
        let of_it = self.file(name).is_some() && self.of_inode.get(inode).copied() == self.file(name);
        of_it.then_some((*at, bytes))
    }

    fn file(&self, name: &str) -> Option<usize> {
        let (parent, name) = parts(name);
        let directory = self.directories.get(&parent)?;
        let mut names = directory.names.clone();
        directory.entries.iter().for_each(|(_, entry)| enter(&mut names, entry));
        names.get(&name).copied().flatten()
    }

    /// Creates the directory `to` with one of the states that the disk may have after a power cut, chosen at random.
    pub(crate) fn cut(&self, to: &Path, rng: &mut Rng) {
        self.cut_directory(to, "", rng);
    }

    fn cut_directory(&self, to: &Path, path: &str, rng: &mut Rng) {
        fs::create_dir(to.join(path)).unwrap();
        let directory = &self.directories[path];
        let mut names = directory.names.clone();
        let kept = rng.below(directory.entries.len() + 1);
        directory.entries[..kept].iter().for_each(|(_, entry)| enter(&mut names, entry));
        for (name, what) in names {
            let below = if path.is_empty() { name } else { format!("{path}/{name}") };
            match what {
                None => self.cut_directory(to, &below, rng),
                Some(file) => {
                    // For each file, a random share of the blocks survives the power cut, from none to all.
                    let bias = rng.below(5);
                    fs::write(to.join(below), self.files[file].survives(rng, bias)).unwrap();
                }
            }
        }
    }
}
