//! Backups while the engine runs. Each backup names a commit, and must contain exactly the rows that the disk had just
//! after this commit. It must include every commit that was made before the request for the backup. A backup that was
//! interrupted by a kill must be invalid.

use std::collections::BTreeMap;

use domain::{Actor, BackupId};
use engine::backup::{Backup, BackupError};
use engine::verify;
use store::RoomLevel;
use tempfile::TempDir;

use crate::dice::Dice;
use crate::life::Life;
use crate::sim::Sim;
use crate::wide::Workload;

/// A backup that was requested.
pub(crate) struct Begun {
    id: BackupId,
    home: TempDir,
    /// The simulated time of the request in milliseconds, and the number of commits at that time.
    began: i64,
    from: u64,
}

/// The random numbers for backups, and the backup in progress.
pub(crate) struct Backups {
    dice: Dice,
    begun: Option<Begun>,
    made: usize,
}

impl Backups {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed ^ 0xbac0), begun: None, made: 0 }
    }

    /// True if no backup is in progress. While a backup is in progress, an export must not replace the recorded history
    /// of the disk, because the check of the backup needs this history.
    pub(crate) fn is_idle(&self) -> bool {
        self.begun.is_none()
    }
}

impl Sim {
    /// Starts a backup from time to time. If a backup is in progress, checks it.
    pub(crate) fn some_backup(&mut self, life: &Life) {
        self.look_at_backup(life);
        if self.workload != Workload::Wide || self.backups.begun.is_some() || !self.backups.dice.once_in(40) {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let from = self.world.disk.applies();
        if self.moves.is_idle() {
            self.world.disk.note_history();
        }
        match life.engine.begin_backup(Actor::Operator, &home.path().join("backup")) {
            Ok(id) => {
                self.world.say(format_args!("a backup begins after {from} commits"));
                self.backups.begun = Some(Begun { id, home, began: self.world.time.now(), from });
            }
            Err(error) => self.world.say(format_args!("no backup begins: {error}")),
        }
    }

    /// Checks the backup, if it is finished.
    fn look_at_backup(&mut self, life: &Life) {
        let Some(begun) = &self.backups.begun else { return };
        let state = life.engine.backup(begun.id).expect("the backup was begun in this run");
        match state.outcome {
            None => return,
            Some(Err(error)) => {
                self.world.say(format_args!("the backup failed: {error:?}"));
                let least = self.world.room_between(begun.began).1;
                assert!(self.world.failed() || least >= RoomLevel::Scarce, "{error:?}");
            }
            Some(Ok(manifest)) => {
                self.world.say(format_args!("the backup is made, as of commit {}", manifest.sequence));
                let differences = manifest.differences();
                let aside = self.aside.set_aside();
                let expected = differences.listed.iter().all(|problem| Some(problem.business_id) == aside);
                assert!(expected, "the backup lacks recorded rows: {differences}");
                assert!(
                    manifest.sequence >= begun.from,
                    "the backup lacks changes that were acknowledged before its request"
                );
                let backup = Backup::open(&begun.home.path().join("backup")).unwrap();
                let mut rows = BTreeMap::new();
                (0..backup.chunks()).for_each(|at| rows.extend(backup.read_chunk(at).unwrap()));
                assert!(
                    rows == self.world.disk.rows_as_of(manifest.sequence),
                    "the backup differs from the rows of the disk"
                );
                let report = verify::check(&backup).unwrap();
                let (whole, planted) = (report.is_whole(), &self.planted);
                assert!(whole || !planted.is_empty(), "{:?}", report.findings);
                assert!(!whole || !planted.stays(), "the check must find the undecodable rows");
                self.backups.made += 1;
            }
        }
        self.backups.begun = None;
    }

    /// Checks that the list of tombstones contains every revocation, even if a crash has undone the change itself.
    pub(crate) fn check_tombstones(&self) {
        let listed = self.world.disk.tombstones();
        for revoked in self.models.iter().flat_map(|model| &model.revoked) {
            assert!(listed.contains(revoked), "{revoked} is not in the list");
        }
    }

    /// Checks the backup that was in progress at the end of the run. It must be either invalid or complete.
    pub(crate) fn end_backup(&mut self) {
        let Some(begun) = self.backups.begun.take() else { return };
        let dir = begun.home.path().join("backup");
        let opened = Backup::open(&dir).map(drop);
        match opened {
            // The backup was completed just before the run ended.
            Ok(()) => self.world.say(format_args!("the backup was completed at the end of the run")),
            Err(BackupError::NoManifest(_)) => self.world.say(format_args!("the backup was interrupted")),
            Err(error) => panic!("{error}"),
        }
    }
}
