//! The rules that must always hold.

use std::collections::{HashMap, HashSet};

use place::Digest;

use crate::database::{Image, Op, Record};

#[derive(Default)]
pub(crate) struct Check {
    /// The image of all replicated records.
    pub(crate) truth: Image,
    states: HashMap<Digest, u64>,
    acknowledged: HashSet<u64>,
    /// The number of the newest record with an acknowledged change.
    pub(crate) newest_acknowledged: u64,
    /// Changes whose requests were all answered with "nothing was changed".
    pub(crate) refused: HashSet<u64>,
    delivered: HashSet<u64>,
    /// True if a failover has lost replicated records. From then on, [`Check::fail_if_whole`] and [`Check::finish`]
    /// report no violation.
    pub(crate) has_lost: bool,
    pub(crate) violation: Option<String>,
}

impl Check {
    pub(crate) fn fail(&mut self, violation: impl Into<String>) {
        self.violation.get_or_insert(violation.into());
    }

    /// Reports a violation, unless a failover has lost replicated records.
    pub(crate) fn fail_if_whole(&mut self, violation: impl Into<String>) {
        if !self.has_lost {
            self.fail(violation);
        }
    }

    pub(crate) fn replicated(&mut self, record: &Record) {
        if !record.header.follows(&self.truth.head()) {
            self.fail(format!("record {} does not follow its predecessor", record.header.number));
        }
        self.truth.apply(record);
        self.states.insert(record.digest, self.truth.state());
    }

    /// Notes that a failover has kept only the records up to this number.
    pub(crate) fn lose(&mut self, through: u64) {
        self.has_lost = true;
        self.truth.take_back((self.truth.head().number - through) as usize);
    }

    pub(crate) fn image(&mut self, node: usize, image: &Image) {
        let head = image.head();
        let state = *self.states.entry(head.digest).or_insert(image.state());
        if head.number > 0 && state != image.state() {
            self.fail(format!("the images at record {} differ", head.number));
        }
        let known = (head.number as usize).checked_sub(1).map(|at| self.truth.trail.get(at).copied());
        let is_true = known.is_none_or(|known| {
            known.is_some_and(|(known, state, _)| known == head && state == image.state())
        });
        if !is_true {
            self.fail_if_whole(format!("the image of node {node} contains removable record {}", head.number));
        }
    }

    pub(crate) fn acknowledge(&mut self, id: u64, number: u64) {
        if !self.truth.contains(Op::Change(id)) {
            self.fail_if_whole(format!("change {id} is acknowledged but not replicated"));
        }
        self.acknowledged.insert(id);
        self.newest_acknowledged = self.newest_acknowledged.max(number);
    }

    /// Checks a read that returned the image after the record `number`. The record `floor` had been acknowledged
    /// before the read began.
    pub(crate) fn read(&mut self, number: u64, floor: u64) {
        if number < floor {
            self.fail_if_whole(format!("a read shows record {number} after {floor} was acknowledged"));
        }
    }

    pub(crate) fn deliver(&mut self, id: u64) {
        if !self.truth.contains(Op::Change(id)) {
            self.fail_if_whole(format!("change {id} is delivered but not replicated"));
        }
        self.delivered.insert(id);
    }

    pub(crate) fn finish(&mut self) {
        if self.has_lost {
            return;
        }
        let mut found = HashSet::new();
        for op in self.truth.ops.clone() {
            let Op::Change(id) = op else { continue };
            if !found.insert(id) {
                self.fail(format!("change {id} is doubled"));
            }
            if !self.delivered.contains(&id) {
                self.fail(format!("change {id} is not delivered"));
            }
        }
        if let Some(id) = self.acknowledged.difference(&found).min() {
            self.fail(format!("the acknowledged change {id} is lost"));
        }
        if let Some(id) = self.refused.intersection(&found).min() {
            self.fail(format!("the refused change {id} was made"));
        }
    }
}
