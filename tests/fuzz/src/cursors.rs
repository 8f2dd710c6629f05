//! A fuzz target for cursors. Opening a cursor never panics. The service can open only a cursor that it has
//! sealed itself, and only with the same binding (the list, filters and business of the cursor).

use receptionist::http::cursor::{Binding, Cursors, POSITION_BYTES_MAX};

fn binding(parts: &[u8]) -> Binding {
    let mut parts = parts.split(|byte| *byte == b'|').map(|part| String::from_utf8_lossy(part));
    let list = Binding::list(&parts.next().unwrap_or_default());
    parts.fold(list, |binding, part| binding.with_filter((part != "-").then_some(part)))
}

/// The input has three lines: a cursor, the parts of its binding, and the parts of another binding. Parts are
/// separated by `|`.
pub fn check(data: &[u8]) {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (bytes, own, other) = (line(), binding(line()), binding(line()));
    let cursors = Cursors::new([7; 32]);
    let text = String::from_utf8_lossy(bytes);
    if let Some(position) = cursors.open(&own, &text) {
        assert_eq!(cursors.seal(&own, &position), text, "one position has two cursors");
    }
    let position = &bytes[..bytes.len().min(POSITION_BYTES_MAX)];
    let sealed = cursors.seal(&own, position);
    assert_eq!(cursors.open(&own, &sealed).as_deref(), Some(position));
    assert_eq!(cursors.open(&other, &sealed).is_some(), own == other, "{own:?} {other:?}");
    assert!(Cursors::new([8; 32]).open(&own, &sealed).is_none(), "another secret must not open the cursor");
}
