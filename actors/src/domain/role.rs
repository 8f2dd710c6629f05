//! What people may do in a business: the one table of roles and rights.

use super::words::words;

words! {
    /// What a person is in a business.
    Role {
        /// Runs the business.
        Owner = "owner",
        /// Runs it in the owner's place, but for owners.
        Admin = "admin",
        /// Works in it.
        Member = "member",
    }
}

/// What a change or a page is about, as far as roles go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// Calendar, appointments, messages, calls, contacts.
    Day,
    /// One's own account and alert settings.
    Own,
    /// Profile, hours, special days, breaks, services, staff, knowledge.
    Settings,
    /// Retention, erasing a contact, export.
    Data,
    /// API keys, webhooks and their log, the audit log, the mail log.
    Integrations,
    /// People.
    People,
    /// What only whoever runs the business decides: how long the audit log is kept.
    Ownership,
    /// What the operator alone decides: suspending, budgets.
    Operation,
}

/// How far a role goes in something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// It is not shown: 404.
    Hidden,
    /// It is shown and not to be changed: 403.
    Read,
    /// It may be changed.
    Change,
}

impl Role {
    /// How far this role goes.
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

    /// Whether this role may make a change.
    pub fn may_change(self, right: Right) -> bool {
        self.access(right) == Access::Change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_may_everything_and_a_member_sees_no_keys() {
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
