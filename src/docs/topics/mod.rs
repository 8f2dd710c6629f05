//! The topics of the documentation. They are Markdown files that are part of the program.

#[derive(Debug)]
pub struct Topic {
    /// The word that selects the topic in `receptionist help` and under `/docs`. It is also the name of the topic's
    /// file, without `.md`.
    pub name: &'static str,
    pub about: &'static str,
    pub text: &'static str,
}

impl Topic {
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

macro_rules! topics {
    ($($group:literal: { $($name:literal: $about:literal,)* })*) => {
        pub const GROUPS: &[(&str, &[Topic])] = &[$(($group, &[
            $(Topic { name: $name, about: $about, text: include_str!(concat!($name, ".md")) },)*
        ])),*];
    };
}

topics! {
    "Use": {
        "commands": "list of commands, input of names and times, diary, contacts, people, alerts",
        "dashboard": "pages, roles, forms, sign-in",
        "calendars": "feeds for Google Calendar, Outlook and Apple Calendar, and connected calendars",
        "booking-page": "booking page, embedding, links to appointments, chat, notices to customers",
        "conversations": "talks with customers in writing, chat model, verification of callers, unanswered questions",
    }
    "Integrate": {
        "api": "routes, authentication, errors, pagination, ETags, idempotency, rate limits, time zones, OpenAPI",
        "webhooks": "events, signatures, retries, delivery log",
        "assistants": "MCP: tools and clients",
    }
    "Operate": {
        "installing": "systemd, proxies, TLS, firewall, backup, restore, upgrade, moving",
        "replicated-disk": "one service on DRBD or a cloud volume, fencing, takeover by another machine",
        "settings": "settings, operator listener, mail, connections, budgets",
        "metrics": "health check, metrics, alerts",
        "storage": "files, disk space, verify, salvage, repair",
        "export": "export and import, format of the lines",
    }
    "Background": {
        "promises": "guarantees, failures, clock, polling",
        "privacy": "erasing, deleting, retention, remains of erased data in files",
        "benchmarks": "measurements and how to repeat them",
        "changelog": "compatibility of /v1, changes",
    }
}

pub fn topics() -> impl Iterator<Item = &'static Topic> {
    GROUPS.iter().flat_map(|(_, topics)| topics.iter())
}

pub fn topic(name: &str) -> Option<&'static Topic> {
    topics().find(|topic| topic.name == name)
}
