//! Backups during the run. Each contains exactly the disk after the commit that it names, which is later
//! than the request. A killed backup is invalid.

use std::collections::BTreeMap;

use domain::{Actor, BackupId};
use engine::backup::{Backup, BackupError};
use engine::verify;
use store::{RoomLevel, Tombstone};
use tempfile::TempDir;

use crate::dice::Dice;
use crate::life::Life;
use crate::sim::Sim;
use crate::wide::Workload;

/// A backup that was started.
pub(crate) struct Begun {
    id: BackupId,
    home: TempDir,
    /// The simulated time of the start, and the number of commits at that time.
    began: i64,
    from: u64,
}

/// Whether and when backups are made, and the running backup of this life.
pub(crate) struct Backups {
    dice: Dice,
    begun: Option<Begun>,
    made: usize,
}

impl Backups {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed ^ 0xbac0), begun: None, made: 0 }
    }

    /// Whether no running backup needs the history of the disk.
    pub(crate) fn is_idle(&self) -> bool {
        self.begun.is_none()
    }
}

impl Sim {
    /// Starts a backup now and then, or checks the one that is running.
    pub(crate) fn some_backup(&mut self, life: &Life) {
        self.look_at_backup(life);
        if self.workload == Workload::First || self.backups.begun.is_some() || !self.backups.dice.once_in(40)
        {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let from = self.world.disk.applies();
        if self.moves.is_idle() {
            self.world.disk.note_history();
        }
        match life.engine.begin_backup(Actor::Operator, &home.path().join("backup")) {
            Ok(id) => {
                self.world.say(format_args!("a backup begins behind {from} commits"));
                self.backups.begun = Some(Begun { id, home, began: self.world.time.now(), from });
            }
            Err(error) => self.world.say(format_args!("no backup begins: {error}")),
        }
    }

    /// Checks a finished backup.
    fn look_at_backup(&mut self, life: &Life) {
        let Some(begun) = &self.backups.begun else { return };
        let state = life.engine.backup(begun.id).expect("it was begun in this life");
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
                assert!(expected, "recorded rows are missing: {differences}");
                assert!(manifest.sequence >= begun.from, "it lacks what came before it was asked for");
                let backup = Backup::open(&begun.home.path().join("backup")).unwrap();
                let mut rows = BTreeMap::new();
                (0..backup.chunks()).for_each(|at| rows.extend(backup.read_chunk(at).unwrap()));
                assert!(rows == self.world.disk.rows_as_of(manifest.sequence), "it is not what was there");
                let report = verify::check(&backup).unwrap();
                let (whole, planted) = (report.is_whole(), &self.planted);
                assert!(whole || !planted.is_empty(), "{:?}", report.findings);
                assert!(!whole || !planted.stays(), "what does not decode is not found");
                self.backups.made += 1;
            }
        }
        self.backups.begun = None;
    }

    /// Every revocation is in the list of tombstones, even if the disk has forgotten the change itself.
    pub(crate) fn check_tombstones(&self) {
        let listed = self.world.disk.tombstones();
        for key in self.models.iter().flat_map(|model| &model.revoked) {
            assert!(listed.contains(&Tombstone::RevokedKey(*key)), "{key} was revoked and is not listed");
        }
    }

    /// Ends the life. A backup that was still running is invalid.
    pub(crate) fn end_backup(&mut self) {
        let Some(begun) = self.backups.begun.take() else { return };
        let dir = begun.home.path().join("backup");
        let opened = Backup::open(&dir).map(drop);
        match opened {
            // The backup finished just before the life ended.
            Ok(()) => self.world.say(format_args!("the backup was made at the end")),
            Err(BackupError::NoManifest(_)) => self.world.say(format_args!("the backup was cut short")),
            Err(error) => panic!("{error}"),
        }
    }
}
