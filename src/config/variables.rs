//! The names of the environment variables. Error messages use them to identify settings.

/// The prefix of the service's variables. Only `PUBLIC_API_RATE_LIMIT_PER_MINUTE` has no
/// prefix, because other programs use this variable too.
const PREFIX: &str = "RECEPTIONIST_";

macro_rules! variables {
    ($($(#[$doc:meta])* $name:ident = $variable:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $variable;)*
        pub const ALL: &[&str] = &[$($name),*];
    };
}

variables! {
    LISTEN = "RECEPTIONIST_LISTEN";
    ADMIN_LISTEN = "RECEPTIONIST_ADMIN_LISTEN";
    ADMIN_HOSTS = "RECEPTIONIST_ADMIN_HOSTS";
    CALENDAR_HOSTS = "RECEPTIONIST_CALENDAR_HOSTS";
    PUBLIC_URL = "RECEPTIONIST_PUBLIC_URL";
    ADMIN_URL = "RECEPTIONIST_ADMIN_URL";
    DATA_DIR = "RECEPTIONIST_DATA_DIR";
    ADMIN_TOKEN = "RECEPTIONIST_ADMIN_TOKEN";
    ADMIN_TOKEN_FILE = "RECEPTIONIST_ADMIN_TOKEN_FILE";
    RATE_LIMIT = "PUBLIC_API_RATE_LIMIT_PER_MINUTE";
    /// A second name of `RATE_LIMIT`, with the usual prefix.
    RATE_LIMIT_TOO = "RECEPTIONIST_RATE_LIMIT_PER_MINUTE";
    PERSON_RATE_LIMIT = "RECEPTIONIST_PERSON_RATE_LIMIT_PER_MINUTE";
    CONNECTIONS_PER_ADDRESS = "RECEPTIONIST_CONNECTIONS_PER_ADDRESS";
    TRUSTED_PROXIES = "RECEPTIONIST_TRUSTED_PROXIES";
    DISK_RESERVE = "RECEPTIONIST_DISK_RESERVE";
    BUSINESS_ACTORS_MAX = "RECEPTIONIST_BUSINESS_ACTORS_MAX";
    NO_UPGRADE = "RECEPTIONIST_NO_UPGRADE";
    TLS_CERT = "RECEPTIONIST_TLS_CERT";
    TLS_KEY = "RECEPTIONIST_TLS_KEY";
    ADMIN_TLS_CERT = "RECEPTIONIST_ADMIN_TLS_CERT";
    ADMIN_TLS_KEY = "RECEPTIONIST_ADMIN_TLS_KEY";
    /// Confirms an operator listener without TLS, although others can then read the token in transit.
    I_KNOW = "RECEPTIONIST_I_KNOW";
    /// The address of the service that `mcp` calls.
    URL = "RECEPTIONIST_URL";
    API_KEY = "RECEPTIONIST_API_KEY";
    API_KEY_FILE = "RECEPTIONIST_API_KEY_FILE";
    LOG = "RECEPTIONIST_LOG";
    LOG_FORMAT = "RECEPTIONIST_LOG_FORMAT";
    SMTP_URL = "RECEPTIONIST_SMTP_URL";
    SMTP_URL_FILE = "RECEPTIONIST_SMTP_URL_FILE";
    MAIL_FROM = "RECEPTIONIST_MAIL_FROM";
    LLM_URL = "RECEPTIONIST_LLM_URL";
    LLM_MODEL = "RECEPTIONIST_LLM_MODEL";
    LLM_KEY = "RECEPTIONIST_LLM_KEY";
    LLM_KEY_FILE = "RECEPTIONIST_LLM_KEY_FILE";
    LLM_OPTIONS = "RECEPTIONIST_LLM_OPTIONS";
}

/// The warning about a variable that has the prefix but is not a setting.
pub fn misspelt(name: &str) -> Option<String> {
    if !name.starts_with(PREFIX) || ALL.contains(&name) {
        return None;
    }
    let likeness = |known: &&&str| (strsim::jaro_winkler(name, known) * 1e6) as u64;
    let nearest = ALL.iter().max_by_key(likeness)?;
    Some(format!("{name} is not a setting and has no effect. The nearest name is {nearest}."))
}

pub fn all_misspelt() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| misspelt(name.to_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_reported_with_the_nearest_name() {
        for (name, nearest) in [
            ("RECEPTIONIST_LISTN", LISTEN),
            ("RECEPTIONIST_DATADIR", DATA_DIR),
            ("RECEPTIONIST_ADMIN_TOKN", ADMIN_TOKEN),
            ("RECEPTIONIST_TLS_CERTS", TLS_CERT),
            ("RECEPTIONIST_RATE_LIMIT", RATE_LIMIT_TOO),
            ("RECEPTIONIST_TRUSTED_PROXY", TRUSTED_PROXIES),
        ] {
            assert!(
                misspelt(name).unwrap().ends_with(&format!(" {nearest}.")),
                "{name}: {:?}",
                misspelt(name)
            );
        }
        for name in ALL.iter().chain(&["HOME", "PUBLIC_API_X", "RECEPTIONISTS"]) {
            assert_eq!(misspelt(name), None);
        }
    }
}
