//! The kinds of records that count towards a budget.

use domain::BudgetKind;

use super::{KINDS, Kind};
use crate::keys::kind;

#[derive(Clone, Copy)]
pub struct Counted {
    pub kind: u8,
    pub budget: BudgetKind,
    /// A function that tests whether the value of a row can be decoded to a record. It is `None` for API keys: their
    /// counted rows contain no records, because the records of API keys are rows of the installation.
    pub decodes: Option<fn(&[u8]) -> bool>,
}

const API_KEYS: Counted = Counted { kind: kind::KEY, budget: BudgetKind::Keys, decodes: None };

/// The number of counted kinds: the kinds in [`KINDS`] that have a budget, and API keys.
const LEN: usize = {
    let (mut found, mut at) = (1, 0);
    while at < KINDS.len() {
        if KINDS[at].budget.is_some() {
            found += 1;
        }
        at += 1;
    }
    found
};

/// The counted kinds in the order of their numbers.
pub const COUNTED: [Counted; LEN] = {
    let (mut all, mut found, mut number) = ([API_KEYS; LEN], 0, 0);
    while number < u8::MAX {
        let mut at = 0;
        while at < KINDS.len() {
            let Kind { rows, budget, decodes, .. } = KINDS[at];
            if let Some(budget) = budget
                && rows == number
            {
                all[found] = Counted { kind: rows, budget, decodes: Some(decodes) };
                found += 1;
            }
            at += 1;
        }
        if number == API_KEYS.kind {
            found += 1;
        }
        number += 1;
    }
    assert!(found == all.len(), "`COUNTED` must have one entry per counted kind");
    all
};

/// Returns the entry of [`COUNTED`] for this kind of rows, and the position of the entry.
pub fn counted(kind: u8) -> Option<(usize, Counted)> {
    COUNTED.into_iter().enumerate().find(|(_, counted)| counted.kind == kind)
}
