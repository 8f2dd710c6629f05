pub mod address;
pub mod url;
