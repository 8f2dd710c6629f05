//! Tests of the dashboard URL that `receptionist demo` prints.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::program::Demo;

/// Requests a page and returns the whole response.
fn get(url: &str) -> String {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_demonstration_prints_where_the_dashboard_is_and_a_link_that_signs_its_owner_in() {
    let demo = Demo::start();
    let dashboard = demo.says.iter().find_map(|line| line.strip_prefix("dashboard on ")).unwrap();
    assert!(get(dashboard).starts_with("HTTP/1.1 303 "), "{dashboard}");
    let booking = demo.says.iter().find_map(|line| line.strip_prefix("booking page on ")).unwrap();
    assert!(
        booking.ends_with("/book/salon-lumiere") && get(booking).starts_with("HTTP/1.1 200 "),
        "{booking}"
    );
    let link =
        demo.says.iter().map(|line| line.trim()).find(|line| line.contains("/dashboard/enter/")).unwrap();
    assert!(link.starts_with(dashboard), "{link}");
    let page = get(link);
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    assert!(page.contains("lucie@salon-lumiere.example"), "{page}");
}
