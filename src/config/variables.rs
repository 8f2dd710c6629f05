//! The environment variables, by which errors name the settings.

/// What the names of all variables of the service begin with, but for one that other services share.
const PREFIX: &str = "RECEPTIONIST_";

macro_rules! variables {
    ($($(#[$doc:meta])* $name:ident = $variable:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $variable;)*
        /// All of them.
        const ALL: &[&str] = &[$($name),*];
    };
}

variables! {
    /// The public listener.
    LISTEN = "RECEPTIONIST_LISTEN";
    /// The operator listener.
    ADMIN_LISTEN = "RECEPTIONIST_ADMIN_LISTEN";
    /// The names by which the operator listener is called.
    ADMIN_HOSTS = "RECEPTIONIST_ADMIN_HOSTS";
    /// The origin at which people and programs reach the service.
    PUBLIC_URL = "RECEPTIONIST_PUBLIC_URL";
    /// Where commands call the operator API.
    ADMIN_URL = "RECEPTIONIST_ADMIN_URL";
    /// The store.
    DATA_DIR = "RECEPTIONIST_DATA_DIR";
    /// The operator's token.
    ADMIN_TOKEN = "RECEPTIONIST_ADMIN_TOKEN";
    /// The file that holds it.
    ADMIN_TOKEN_FILE = "RECEPTIONIST_ADMIN_TOKEN_FILE";
    /// The rate limit.
    RATE_LIMIT = "PUBLIC_API_RATE_LIMIT_PER_MINUTE";
    /// The same by a name like those of the others.
    RATE_LIMIT_TOO = "RECEPTIONIST_RATE_LIMIT_PER_MINUTE";
    /// The rate limit of people in the dashboard.
    PERSON_RATE_LIMIT = "RECEPTIONIST_PERSON_RATE_LIMIT_PER_MINUTE";
    /// The bound on the connections of one address.
    CONNECTIONS_PER_ADDRESS = "RECEPTIONIST_CONNECTIONS_PER_ADDRESS";
    /// The networks of trusted proxies.
    TRUSTED_PROXIES = "RECEPTIONIST_TRUSTED_PROXIES";
    /// The free space that is left alone.
    DISK_RESERVE = "RECEPTIONIST_DISK_RESERVE";
    /// The bound on the actors of businesses.
    BUSINESS_ACTORS_MAX = "RECEPTIONIST_BUSINESS_ACTORS_MAX";
    /// Whether a store of an earlier format is refused.
    NO_UPGRADE = "RECEPTIONIST_NO_UPGRADE";
    /// The certificate chain.
    TLS_CERT = "RECEPTIONIST_TLS_CERT";
    /// The private key.
    TLS_KEY = "RECEPTIONIST_TLS_KEY";
    /// The certificate chain of the operator listener.
    ADMIN_TLS_CERT = "RECEPTIONIST_ADMIN_TLS_CERT";
    /// Its private key.
    ADMIN_TLS_KEY = "RECEPTIONIST_ADMIN_TLS_KEY";
    /// That what could be overlooked was not.
    I_KNOW = "RECEPTIONIST_I_KNOW";
    /// The origin of the service that `mcp` calls.
    URL = "RECEPTIONIST_URL";
    /// The API key that it calls with.
    API_KEY = "RECEPTIONIST_API_KEY";
    /// The file that holds it.
    API_KEY_FILE = "RECEPTIONIST_API_KEY_FILE";
    /// The log filter.
    LOG = "RECEPTIONIST_LOG";
    /// The log format.
    LOG_FORMAT = "RECEPTIONIST_LOG_FORMAT";
    /// The relay that mails are handed to.
    SMTP_URL = "RECEPTIONIST_SMTP_URL";
    /// The file that holds its address.
    SMTP_URL_FILE = "RECEPTIONIST_SMTP_URL_FILE";
    /// Whom mails are from.
    MAIL_FROM = "RECEPTIONIST_MAIL_FROM";
}

/// What to say of a variable whose name is like those of the settings, and that is none.
pub fn misspelt(name: &str) -> Option<String> {
    if !name.starts_with(PREFIX) || ALL.contains(&name) {
        return None;
    }
    let likeness = |known: &&&str| (strsim::jaro_winkler(name, known) * 1e6) as u64;
    let nearest = ALL.iter().max_by_key(likeness)?;
    Some(format!("{name} is not a setting and has no effect. The nearest name is {nearest}."))
}

/// The same of every variable of the process.
pub fn all_misspelt() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| misspelt(name.to_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_told_with_the_nearest_name() {
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
