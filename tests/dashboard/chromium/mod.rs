//! The pages in a real Chromium, where there is one: what is seen, what may not be, and the ways through them.

mod axe;
mod pages;
mod salon;
mod window;
