mod letters;
mod relays;
mod server;
