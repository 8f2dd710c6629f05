//! The roles of people in a business, and the rights of each role.

use super::words::words;

words! {
    Role {
        Owner = "owner",
        /// An admin has the same rights as an owner, except that an admin cannot change owners.
        Admin = "admin",
        Member = "member",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// The right to the calendar and to appointments, messages, calls and contacts.
    Day,
    Own,
    /// The right to the profile and to opening hours, special days, breaks, services, staff and knowledge.
    Settings,
    /// The right to set the retention, to erase a contact and to export.
    Data,
    /// The right to API keys, to webhooks and their log, to the audit log and to the mail log.
    Integrations,
    People,
    /// The right to set the retention of the audit log.
    Ownership,
    /// The right to suspend the business and to set its budget. Only the operator has it.
    Operation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// The records are not shown: a request gets a 404.
    Hidden,
    /// The records are shown, and a change gets a 403.
    Read,
    Change,
}

impl Role {
    pub fn access(self, right: Right) -> Access {
        use Access::{Change, Hidden, Read};
        let row = match right {
            //                     owner   admin   member
            Right::Day => [Change, Change, Change],
            Right::Own => [Change, Change, Change],
            Right::Settings => [Change, Change, Read],
            Right::Data => [Change, Change, Hidden],
            Right::Integrations => [Change, Change, Hidden],
            Right::People => [Change, Change, Hidden],
            Right::Ownership => [Change, Read, Hidden],
            Right::Operation => [Hidden, Hidden, Hidden],
        };
        row[self as usize]
    }

    pub fn may_change(self, right: Right) -> bool {
        self.access(right) == Access::Change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_can_change_everything_and_a_member_sees_no_keys() {
        let all = [
            Right::Day,
            Right::Own,
            Right::Settings,
            Right::Data,
            Right::Integrations,
            Right::People,
            Right::Ownership,
        ];
        for right in all {
            assert!(Role::Owner.may_change(right), "{right:?}");
            assert!(Role::Admin.access(right) >= Role::Member.access(right), "{right:?}");
            assert_eq!(Role::Admin.may_change(right), right != Right::Ownership, "{right:?}");
        }
        assert!(Role::Member.may_change(Right::Day) && Role::Member.may_change(Right::Own));
        assert_eq!(Role::Member.access(Right::Settings), Access::Read);
        for role in Role::ALL {
            assert_eq!(role.access(Right::Operation), Access::Hidden);
        }
        for hidden in [Right::Data, Right::Integrations, Right::People, Right::Ownership] {
            assert_eq!(Role::Member.access(hidden), Access::Hidden, "{hidden:?}");
        }
    }
}
