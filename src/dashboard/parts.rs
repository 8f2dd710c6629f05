//! The parts of pages that need code: form fields, choices, versions and icons. `parts.html` has the markup.

use domain::Locale;

use super::view::View;

#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    pub(super) id: String,
    pub(super) label: String,
    /// The input type of a field with one line, `area` for several lines of text, `select` for a drop-down list of
    /// options, or `radio` or `checkbox` for a visible list of options.
    pub(super) kind: &'static str,
    /// CSS classes in addition to `input`: `short`, `time`, `date`, `mono`, `tall`. A visible list of options has
    /// the class `choices`, or the class `boxes` if each option is a box that contains an explanation.
    pub(super) class: &'static str,
    pub(super) value: String,
    pub(super) hint: String,
    pub(super) problem: String,
    pub(super) autocomplete: &'static str,
    pub(super) required: bool,
    pub(super) options: Vec<Choice>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) hint: String,
    pub(super) chosen: bool,
}

pub(super) type Line = (String, String);

/// Lines of a record: label, submitted value, and the value that another person has saved.
pub(super) type Versions = Vec<(String, String, String)>;

#[derive(Clone, Debug)]
pub(super) struct Crumb {
    pub(super) label: String,
    pub(super) path: String,
}

pub(super) struct Tab {
    pub(super) label: String,
    pub(super) path: String,
    pub(super) current: bool,
}

impl Field {
    pub(super) fn new(
        id: impl Into<String>,
        kind: &'static str,
        autocomplete: &'static str,
        label: String,
    ) -> Self {
        Self { id: id.into(), kind, label, autocomplete, required: true, ..Self::default() }
    }

    pub(super) fn line(id: impl Into<String>, label: String) -> Self {
        Self::new(id, "text", "off", label)
    }

    pub(super) fn area(id: impl Into<String>, label: String) -> Self {
        Self::new(id, "area", "off", label)
    }

    /// A visible list of options, of kind `radio` or `checkbox`.
    pub(super) fn choices(
        id: &str,
        kind: &'static str,
        label: String,
        options: impl IntoIterator<Item = Choice>,
    ) -> Self {
        Self { kind, class: "choices", ..Self::select(id, label, options) }
    }

    pub(super) fn select(
        id: impl Into<String>,
        label: String,
        options: impl IntoIterator<Item = Choice>,
    ) -> Self {
        Self { options: options.into_iter().collect(), ..Self::new(id, "select", "off", label) }
    }

    pub(super) fn languages(view: &View) -> Self {
        let languages = Locale::ALL.iter().map(|one| Choice::new(one.as_str(), view.language(*one)));
        Self::select("locale", view.t("language"), languages)
    }

    pub(super) fn or_empty(mut self, label: String) -> Self {
        self.options.insert(0, Choice::new("", label));
        self
    }

    pub(super) fn chosen(mut self, value: &str) -> Self {
        self.options.iter_mut().for_each(|one| one.chosen = one.value == value);
        self
    }

    pub(super) fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    pub(super) fn holding(self, value: &str) -> Self {
        Self { value: value.to_owned(), ..self }
    }

    pub(super) fn hint(self, hint: String) -> Self {
        Self { hint, ..self }
    }

    pub(super) fn problem(self, problem: Option<String>) -> Self {
        Self { problem: problem.unwrap_or_default(), ..self }
    }

    pub(super) fn optional(self) -> Self {
        Self { required: false, ..self }
    }

    pub(super) fn described_by(&self) -> String {
        let hint = (!self.hint.is_empty()).then(|| format!("{}-hint", self.id));
        let problem = (!self.problem.is_empty()).then(|| format!("{}-problem", self.id));
        hint.into_iter().chain(problem).collect::<Vec<_>>().join(" ")
    }
}

impl Choice {
    pub(super) fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), ..Self::default() }
    }
}

/// Titles before a name. A title adds no letter to the initials.
const TITLES: [&str; 12] =
    ["dr", "dre", "docteur", "doctor", "prof", "professor", "pr", "mr", "mrs", "ms", "mme", "mlle"];

/// The initials of a name, at most two letters. A title before the name is skipped.
pub(super) fn initials(name: &str) -> String {
    let mut words: Vec<_> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.len() > 1 && TITLES.contains(&words[0].to_lowercase().as_str()) {
        words.remove(0);
    }
    let firsts = match words[..] {
        [] => return "·".into(),
        [one] => one.chars().take(2).collect::<String>(),
        [first, .., last] => first.chars().take(1).chain(last.chars().take(1)).collect(),
    };
    firsts.to_uppercase().chars().take(2).collect()
}

macro_rules! icons {
    ($($name:literal: $paths:literal,)*) => {
        impl View {
            pub(super) fn icon(&self, name: &str) -> &'static str {
                match name {
                    $($name => concat!("<svg class=\"i\" viewBox=\"0 0 20 20\" aria-hidden=\"true\">", $paths, "</svg>"),)*
                    _ => "",
                }
            }
        }
    };
}

icons! {
    "desk": r#"<path d="M3 16.5h14M4.5 14a5.5 5.5 0 0 1 11 0zM10 8.5V6.5M8.5 6h3"/>"#,
    "chart": r#"<path d="M3 16.5h14M5.5 13.5v-4M10 13.5v-9M14.5 13.5V7"/>"#,
    "calendar": r#"<rect x="3" y="4.5" width="14" height="12.5" rx="2"/><path d="M3 8.5h14M7 2.5v3.5M13 2.5v3.5"/>"#,
    "message": r#"<path d="M4 4h12a1.5 1.5 0 0 1 1.5 1.5v7A1.5 1.5 0 0 1 16 14H9l-4 3v-3H4a1.5 1.5 0 0 1-1.5-1.5v-7A1.5 1.5 0 0 1 4 4z"/>"#,
    "phone": r#"<path d="M4 3h3l1.3 3.7L6.6 8.1a9.5 9.5 0 0 0 5.3 5.3l1.4-1.7L17 13v3a1.5 1.5 0 0 1-1.6 1.5A13.5 13.5 0 0 1 2.5 4.6 1.5 1.5 0 0 1 4 3z"/>"#,
    "person": r#"<circle cx="10" cy="6.5" r="3.2"/><path d="M3.5 17a6.5 6.5 0 0 1 13 0"/>"#,
    "people": r#"<circle cx="7.5" cy="7" r="2.8"/><path d="M2 16.5a5.5 5.5 0 0 1 11 0M12.5 4.5a2.8 2.8 0 0 1 0 5M15 12.3a5.5 5.5 0 0 1 3 4.2"/>"#,
    "book": r#"<path d="M10 5.5C8.5 4 6 3.5 3 3.5v12c3 0 5.5.5 7 2 1.5-1.5 4-2 7-2v-12c-3 0-5.5.5-7 2zM10 5.5v12"/>"#,
    "gear": r#"<path d="M3 6h8M15 6h2M3 14h2M9 14h8"/><circle cx="13" cy="6" r="2"/><circle cx="7" cy="14" r="2"/>"#,
    "bell": r#"<path d="M5 13.5V9a5 5 0 0 1 10 0v4.5l1.5 1.5h-13zM8.5 17.5h3"/>"#,
    "plus": r#"<path d="M10 4v12M4 10h12"/>"#,
    "left": r#"<path d="M12 4.5 6.5 10l5.5 5.5"/>"#,
    "right": r#"<path d="M8 4.5 13.5 10 8 15.5"/>"#,
    "down": r#"<path d="M5 8l5 5 5-5"/>"#,
    "absent": r#"<path d="M5 5l10 10M15 5 5 15"/>"#,
    "check": r#"<path d="M4 10.5l4 4 8-9"/>"#,
    "copy": r#"<rect x="7" y="7" width="10" height="10" rx="2"/><path d="M13 7V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2h2"/>"#,
    "search": r#"<circle cx="9" cy="9" r="5.5"/><path d="M13.2 13.2 17 17"/>"#,
    "menu": r#"<path d="M3 6h14M3 10h14M3 14h14"/>"#,
    "out": r#"<path d="M8 3H5a1.5 1.5 0 0 0-1.5 1.5v11A1.5 1.5 0 0 0 5 17h3M12.5 6l4 4-4 4M8 10h8"/>"#,
    "key": r#"<circle cx="6.5" cy="13.5" r="3.5"/><path d="M9 11l7.5-7.5M13 7l2.5 2.5"/>"#,
    "hook": r#"<path d="M7 12a3 3 0 1 0 3 3V9.5M10 9.5a3 3 0 1 0-3-3M10 9.5 13.5 14"/>"#,
    "clock": r#"<circle cx="10" cy="10" r="7"/><path d="M10 6v4l2.8 1.8"/>"#,
    "mail": r#"<rect x="2.5" y="4.5" width="15" height="11" rx="1.5"/><path d="M3 6l7 5 7-5"/>"#,
    "print": r#"<path d="M6 7V3h8v4M6 14H3.5V8.5A1.5 1.5 0 0 1 5 7h10a1.5 1.5 0 0 1 1.5 1.5V14H14"/><path d="M6 12h8v5H6z"/>"#,
    "trash": r#"<path d="M3.5 5.5h13M8 5.5V3.5h4v2M5.5 5.5l.7 11h7.6l.7-11"/>"#,
    "scissors": r#"<circle cx="5" cy="5.5" r="2.2"/><circle cx="5" cy="14.5" r="2.2"/><path d="M6.8 6.8 17 15M6.8 13.2 17 5"/>"#,
    "play": r#"<path d="M6 4l9 6-9 6z"/>"#,
    "missed": r#"<path d="M4 5l6 5.5L16 5M4 5v4M4 5h4M3 15c4-3 10-3 14 0"/>"#,
    "note": r#"<path d="M5 3.5h7.5l3 3v10H5zM8 8.5h4M8 11.5h4"/>"#,
    "alert": r#"<path d="M10 3.5l7.5 13h-15zM10 8.5v4M10 14.4v.1"/>"#,
    "moon": r#"<path d="M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z"/>"#,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_have_at_most_two_letters() {
        for (name, letters) in [
            ("Camille Laurent", "CL"),
            ("Jean-François de la Tour", "JT"),
            ("Zoé", "ZO"),
            ("", "·"),
            ("<b>", "B"),
            ("林 小明", "林小"),
            ("ßa", "SS"),
            ("Dr Hélène Rivière", "HR"),
            ("Mme. Besson", "BE"),
            ("Dr", "DR"),
            ("Pr Marc", "MA"),
        ] {
            assert_eq!(initials(name), letters, "{name}");
        }
    }

    #[test]
    fn a_field_is_described_by_its_hint_and_problem() {
        let field = Field::new("email", "email", "email", "Email".into());
        assert_eq!(field.described_by(), "");
        let field = field.hint("h".into()).problem(Some("p".into()));
        assert_eq!(field.described_by(), "email-hint email-problem");
    }
}
