//! Sizes in settings: a whole number, optionally followed by a unit.

/// The units in bytes. Texts may use any letter case and a space before the unit.
const UNITS: [(&str, u64); 10] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
];

/// Returns the size in bytes, or `None` if the text is not a size or exceeds `u64`.
pub(super) fn parse(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.strip_prefix(' ').unwrap_or(unit).to_ascii_lowercase();
    let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4_096),
            ("512MiB", 512 << 20),
            ("1GiB", 1 << 30),
            ("2GB", 2_000_000_000),
            ("2 gb", 2_000_000_000),
            ("18446744073709551615", u64::MAX),
            ("16777215TiB", 16_777_215 << 40),
        ] {
            assert_eq!(parse(text), Some(bytes), "{text}");
        }
        for text in [
            "",
            "GiB",
            "-1",
            "+1",
            "1.5GiB",
            "5%",
            "1G",
            "1  GB",
            " 1",
            "16777216TiB",
            "18446744073709551616",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
