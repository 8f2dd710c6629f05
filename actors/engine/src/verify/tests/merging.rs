//! Tests with damaged rows of merged contacts.

use domain::Alias;

use super::*;

impl Map {
    /// Adds a contact that was merged into an existing contact.
    fn merge(&mut self, is_moving: bool) -> Alias {
        let into = self.somebody().id;
        let alias = Alias { from: other(), into, id: other(), former: vec![], is_moving };
        let mut rows = store::Batch::default();
        store::kept::put(self.of(), None, &alias, &mut rows);
        for (key, value) in rows.writes() {
            self.put(key, value.unwrap().to_vec());
        }
        if is_moving {
            self.put(&keys::unfinished(self.of()), vec![]);
        }
        alias
    }

    /// Changes the survivor's calls so that they belong to the merged contact.
    fn move_back(&mut self, alias: &Alias) {
        for key in self.keys(kind::CALL) {
            let before = self.record::<CallRecord>(&key);
            if before.contact_id == Some(alias.into) {
                let after = before.of_contact(alias.from);
                let mut rows = store::Batch::default();
                store::kept::put(self.of(), Some(&before), &after, &mut rows);
                for (key, value) in rows.writes() {
                    match value {
                        Some(value) => self.put(key, value.to_vec()),
                        None => self.remove(key),
                    }
                }
            }
        }
    }
}

const DAMAGES: &[Damage] = &[
    (
        "a record that refers to a merged contact whose records have moved",
        |m| {
            let alias = m.merge(false);
            m.move_back(&alias);
        },
        "the contact that it names is missing",
    ),
    (
        "a merged contact that still exists",
        |m| {
            let mut alias = m.merge(false);
            let key = keys::alias(m.of(), alias.from);
            alias.from =
                m.keys(kind::CONTACT).iter().map(|key| keys::id_at_end(key).unwrap()).next_back().unwrap();
            m.remove(&key);
            m.put(&keys::alias(m.of(), alias.from), alias.encode());
        },
        "the contact that was merged still exists",
    ),
    (
        "a merged contact without a survivor",
        |m| {
            let alias = m.merge(false);
            let lost = Alias { into: other(), ..alias };
            m.put(&keys::alias(m.of(), lost.from), lost.encode());
        },
        "the contact that it names is missing",
    ),
    (
        "a merged contact that its survivor does not list",
        |m| {
            m.merge(false);
            m.remove(&m.first(kind::ALIAS_OF));
        },
        "its index row by survivor is missing",
    ),
    (
        "a survivor that lists a contact that was not merged",
        |m| {
            m.merge(false);
            m.remove(&m.first(kind::ALIAS));
        },
        "no record has this index row",
    ),
    (
        "moving records that are not listed",
        |m| {
            m.merge(true);
            m.remove(&m.first(kind::MERGING));
        },
        "its index row of moving records is missing",
    ),
    (
        "moving records in a business that is not listed as unfinished",
        |m| {
            m.merge(true);
            m.remove(&keys::unfinished(m.of()));
        },
        "in the list of unfinished businesses is missing",
    ),
    (
        "a damaged alias",
        |m| {
            m.merge(false);
            let key = m.first(kind::ALIAS);
            m.0.get_mut(&key).unwrap().truncate(5);
        },
        "kind alias",
    ),
];

#[tokio::test]
async fn damage_to_merged_contacts_is_found() {
    let good = good().await;
    for is_moving in [false, true] {
        let mut merged = good.clone();
        let alias = merged.merge(is_moving);
        if is_moving {
            merged.move_back(&alias);
        }
        let mut report = check(&merged).unwrap();
        // The test added the rows of the merge without an audit entry. So the check correctly finds that the recorded
        // usage differs from the rows.
        report.findings.retain(|finding| !finding.contains("differs from the rows found"));
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }
    each_is_found(&good, DAMAGES);
}
