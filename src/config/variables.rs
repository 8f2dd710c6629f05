//! The environment variables, by which errors name the settings.

/// The public listener.
pub const LISTEN: &str = "RECEPTIONIST_LISTEN";
/// The operator listener.
pub const ADMIN_LISTEN: &str = "RECEPTIONIST_ADMIN_LISTEN";
/// The names by which the operator listener is called.
pub const ADMIN_HOSTS: &str = "RECEPTIONIST_ADMIN_HOSTS";
/// The origin at which people and programs reach the service.
pub const PUBLIC_URL: &str = "RECEPTIONIST_PUBLIC_URL";
/// Where commands call the operator API.
pub const ADMIN_URL: &str = "RECEPTIONIST_ADMIN_URL";
/// The store.
pub const DATA_DIR: &str = "RECEPTIONIST_DATA_DIR";
/// The operator's token.
pub const ADMIN_TOKEN: &str = "RECEPTIONIST_ADMIN_TOKEN";
/// The file that holds it.
pub const ADMIN_TOKEN_FILE: &str = "RECEPTIONIST_ADMIN_TOKEN_FILE";
/// The rate limit.
pub const RATE_LIMIT: &str = "PUBLIC_API_RATE_LIMIT_PER_MINUTE";
/// The rate limit of people in the dashboard.
pub const PERSON_RATE_LIMIT: &str = "RECEPTIONIST_PERSON_RATE_LIMIT_PER_MINUTE";
/// The bound on the connections of one address.
pub const CONNECTIONS_PER_ADDRESS: &str = "RECEPTIONIST_CONNECTIONS_PER_ADDRESS";
/// The networks of trusted proxies.
pub const TRUSTED_PROXIES: &str = "RECEPTIONIST_TRUSTED_PROXIES";
/// The free space that is left alone.
pub const DISK_RESERVE: &str = "RECEPTIONIST_DISK_RESERVE";
/// The bound on the actors of businesses.
pub const BUSINESS_ACTORS_MAX: &str = "RECEPTIONIST_BUSINESS_ACTORS_MAX";
/// Whether a store of an earlier format is refused.
pub const NO_UPGRADE: &str = "RECEPTIONIST_NO_UPGRADE";
/// The certificate chain.
pub const TLS_CERT: &str = "RECEPTIONIST_TLS_CERT";
/// The private key.
pub const TLS_KEY: &str = "RECEPTIONIST_TLS_KEY";
/// The certificate chain of the operator listener.
pub const ADMIN_TLS_CERT: &str = "RECEPTIONIST_ADMIN_TLS_CERT";
/// Its private key.
pub const ADMIN_TLS_KEY: &str = "RECEPTIONIST_ADMIN_TLS_KEY";
/// That what could be overlooked was not.
pub const I_KNOW: &str = "RECEPTIONIST_I_KNOW";
/// The origin of the service that `mcp` calls.
pub const URL: &str = "RECEPTIONIST_URL";
/// The API key that it calls with.
pub const API_KEY: &str = "RECEPTIONIST_API_KEY";
/// The file that holds it.
pub const API_KEY_FILE: &str = "RECEPTIONIST_API_KEY_FILE";
/// The log filter.
pub const LOG: &str = "RECEPTIONIST_LOG";
/// The log format.
pub const LOG_FORMAT: &str = "RECEPTIONIST_LOG_FORMAT";
/// The relay that mails are handed to.
pub const SMTP_URL: &str = "RECEPTIONIST_SMTP_URL";
/// The file that holds its address.
pub const SMTP_URL_FILE: &str = "RECEPTIONIST_SMTP_URL_FILE";
/// Whom mails are from.
pub const MAIL_FROM: &str = "RECEPTIONIST_MAIL_FROM";
