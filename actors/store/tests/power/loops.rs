//! Tests of failed syncs on a real file system: ext4 on a loop device. A process makes changes while the device's file
//! cannot grow. The file system has free blocks, so the writes of the process succeed. But a sync fails, because the
//! kernel cannot write the pages to the device. Then the test frees space, so that the file can grow. The next process
//! opens the store and makes changes while the pages of the failed process are still in memory. Finally, the test
//! copies the device's file: this copy simulates the disk after a power cut.
//!
//! From the beginning, the device's file contains all blocks of the file system's tables and journal, so that the file
//! system stays usable.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::chance::Rng;
use crate::lanes::{CHURN_SEED, LANES};
use crate::notes::Note;
use crate::session::{FAILED, Tally, check, note_acknowledged};

const FILE_SYSTEM_BYTES: usize = 192 << 20;
/// The size of the tmpfs (a file system in memory) for the file of the loop device. A second file fills the remaining
/// space of the tmpfs.
const ROOM_BYTES: usize = FILE_SYSTEM_BYTES + (64 << 20);
const BLOCK: usize = 4096;
/// After the second file is written, at most about this number of bytes of the tmpfs are free. The next process needs
/// more space, so its sync must fail.
const LEFT_BYTES_MAX: usize = 12 << 20;
const COMMITS_BEFORE: usize = 150;
const COMMITS_FAILING: usize = 6_000;
const COMMITS_AFTER: usize = 60;

/// A mounted file system, which is unmounted when this value is dropped.
struct Mount(PathBuf);

impl Mount {
    fn new(at: &Path, arguments: &[&str]) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(arguments).arg(at).stderr(Stdio::null()).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Runs the test on a loop device `rounds` times. If the system cannot make or mount the file systems that the test
/// needs, prints a line and returns false.
pub(crate) fn run(dir: &Path, rng: &mut Rng, rounds: usize, tally: &mut Tally) -> bool {
    for _ in 0..rounds {
        let _ = fs::remove_dir_all(dir);
        if round(dir, rng, tally).is_none() {
            println!(
                "the system permits no mount, or has no mkfs.ext4: the test on a loop device is skipped"
            );
            return false;
        }
        tally.loop_rounds += 1;
    }
    true
}

fn round(dir: &Path, rng: &mut Rng, tally: &mut Tally) -> Option<()> {
    let seed = rng.next() & !CHURN_SEED;
    let room = dir.join("room");
    let room_mount = Mount::new(&room, &["-t", "tmpfs", "-o", &format!("size={ROOM_BYTES}"), "none"])?;
    let image = room.join("image");
    make(&image)?;
    let mount = Mount::new(&dir.join("disk"), &["-o", "loop", image.to_str().unwrap()])?;
    let (data, acks) = (mount.0.join("data"), dir.join("acks"));
    fs::create_dir(&data).unwrap();

    let mut acknowledged = [0; LANES];
    let mut live = |commits: usize, end: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("work").arg(&data).args([seed.to_string(), commits.to_string(), end.to_owned()]);
        let output = command.env("ACKS", &acks).output().unwrap();
        note_acknowledged(&mut acknowledged, &Note::Acknowledged(fs::read(&acks).unwrap_or_default()));
        output
    };
    let first = live(COMMITS_BEFORE, "close");
    assert!(first.status.success(), "{first:?}");
    run_command("sync", &["-f", data.to_str().unwrap()])?;

    let filler = room.join("filler");
    fill(&filler, rng.below(LEFT_BYTES_MAX));
    let failing = live(COMMITS_FAILING, "close");
    assert_eq!(failing.status.code(), Some(FAILED), "the store must fail on a full device: {failing:?}");
    fs::remove_file(&filler).unwrap();

    let again = live(COMMITS_AFTER, "kill");
    assert_eq!(again.status.code(), None, "the store must open after a failed sync: {again:?}");
    let copy = dir.join("cut");
    run_command("cp", &["--sparse=always", image.to_str().unwrap(), copy.to_str().unwrap()])?;
    drop(mount);
    drop(room_mount);
    let left = Mount::new(&dir.join("left"), &["-o", "loop", copy.to_str().unwrap()])?;
    check(&left.0.join("data"), seed, &acknowledged, tally);
    Some(())
}

/// Creates a file that contains a file system. The file is sparse: the free blocks of the file system are holes.
fn make(image: &Path) -> Option<()> {
    let mut file = File::create(image).unwrap();
    let block = vec![0; 1 << 20];
    (0..FILE_SYSTEM_BYTES / block.len()).for_each(|_| file.write_all(&block).unwrap());
    drop(file);
    let image = image.to_str().unwrap();
    let options = ["-q", "-F", "-b", "4096", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"];
    run_command("mkfs.ext4", &[&options[..], &[image]].concat())?;
    // mkfs.ext4 may leave holes in the file. `fallocate` fills them.
    run_command("fallocate", &["-l", &FILE_SYSTEM_BYTES.to_string(), image])?;
    let described = Command::new("dumpe2fs").arg(image).output().ok()?;
    for line in String::from_utf8_lossy(&described.stdout).lines() {
        // In the output, the lines of the block groups are indented. The line with the total number of free blocks is
        // not.
        let Some(ranges) = line.strip_prefix("  Free blocks: ") else { continue };
        for range in ranges.split(", ").filter(|range| !range.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let [first, last] = [first, last].map(|block| block.parse::<usize>().unwrap());
            let (offset, length) = ((first * BLOCK).to_string(), ((last + 1 - first) * BLOCK).to_string());
            run_command("fallocate", &["-p", "-o", &offset, "-l", &length, image])?;
        }
    }
    Some(())
}

fn fill(filler: &Path, left: usize) {
    let free = rustix::fs::statvfs(filler.parent().unwrap()).unwrap();
    let bytes = (free.f_bavail * free.f_frsize) as usize - left;
    let mut file = File::create(filler).unwrap();
    let block = vec![1; 64 << 10];
    (0..bytes / block.len()).for_each(|_| file.write_all(&block).unwrap());
}

fn run_command(program: &str, arguments: &[&str]) -> Option<()> {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success()).then_some(())
}
