//! A response of the dashboard, and the parts of its markup.

use hyper::HeaderMap;

pub(crate) struct Page {
    /// The method and path of the request.
    pub(crate) what: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) action: String,
    pub(crate) method: String,
    /// The fields that the browser would send, in order.
    pub(crate) fields: Vec<(String, String)>,
    /// The names of all controls, including checkboxes that are not ticked.
    pub(crate) controls: Vec<String>,
}

/// A tag with its attributes. The name of an end tag begins with `/`.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// The text between this tag and the next tag.
    pub(crate) text: String,
}

impl Tag {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }
}

impl Page {
    pub(super) fn new(what: String, status: u16, headers: HeaderMap, body: String) -> Self {
        Self { what, status, headers, body }
    }

    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}: {:?} {}", self.what, self.headers.get("location"), self.text());
        self
    }

    /// Asserts a redirect to this path.
    #[track_caller]
    pub(crate) fn leads_to(self, path: &str) -> Self {
        let page = self.is(303);
        assert_eq!(page.header("location"), path, "{}", page.what);
        page
    }

    /// Asserts that the visible text contains this text. A no-break space counts as a space.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        let [said, wanted] = [&*self.text(), text].map(|text| text.replace('\u{a0}', " "));
        assert!(said.contains(&wanted), "{}: {text:?} is missing in {}", self.what, self.text());
        self
    }

    /// The value of a header, or an empty string.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Every tag of the page, in order.
    pub(crate) fn tags(&self) -> Vec<Tag> {
        let mut tags = Vec::new();
        let mut rest = self.body.as_str();
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            let (mut tag, end) = read_tag(rest);
            rest = &rest[end..];
            tag.text = unescaped(rest.split('<').next().unwrap_or_default());
            tags.push(tag);
        }
        tags
    }

    /// The address of the first link whose address contains this text.
    #[track_caller]
    pub(crate) fn link(&self, part: &str) -> String {
        let links = self.tags().into_iter().filter(|tag| tag.name == "a");
        let mut found = links.filter_map(|tag| tag.get("href").map(str::to_owned));
        found.find(|to| to.contains(part)).unwrap_or_else(|| panic!("no link contains {part}: {}", self.body))
    }

    /// The visible text. Words are separated by single spaces.
    pub(crate) fn text(&self) -> String {
        let (mut text, mut rest) = (String::new(), self.body.as_str());
        while let Some(at) = rest.find('<') {
            text.push_str(&rest[..at]);
            text.push(' ');
            rest = &rest[at + 1..];
            rest = &rest[read_tag(rest).1..];
        }
        text.push_str(rest);
        unescaped(&text)
            .split([' ', '\n', '\r', '\t'])
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(crate) fn forms(&self) -> Vec<Form> {
        let mut forms: Vec<Form> = Vec::new();
        let (mut open, mut chosen) = (false, None::<String>);
        for tag in self.tags() {
            let of = |name: &str| tag.get(name).unwrap_or_default().to_owned();
            let name = of("name");
            match tag.name.as_str() {
                "form" => {
                    let (action, method) = (of("action"), of("method"));
                    forms.push(Form { action, method, fields: Vec::new(), controls: Vec::new() });
                    open = true;
                }
                "/form" => open = false,
                "input" | "select" | "textarea" | "button" if open && !name.is_empty() => {
                    let form = forms.last_mut().expect("a field must be within a form");
                    form.controls.push(name.clone());
                    let boxed = ["radio", "checkbox"].contains(&of("type").as_str());
                    match tag.name.as_str() {
                        "input" if !boxed || tag.get("checked").is_some() => {
                            let value = tag.get("value").unwrap_or(if boxed { "on" } else { "" });
                            form.fields.push((name, value.to_owned()));
                        }
                        "textarea" => {
                            // A line break directly after the tag is not part of the text.
                            let text = tag.text.strip_prefix('\n').unwrap_or(&tag.text);
                            form.fields.push((name, text.to_owned()));
                        }
                        "select" => chosen = Some(name),
                        _ => {}
                    }
                }
                "option" => {
                    let form = forms.last_mut().filter(|_| open);
                    if let Some((form, name)) = form.zip(chosen.as_ref()) {
                        match form.fields.iter_mut().find(|(field, _)| field == name) {
                            None => form.fields.push((name.clone(), of("value"))),
                            Some(first) if tag.get("selected").is_some() => first.1 = of("value"),
                            Some(_) => {}
                        }
                    }
                }
                "/select" => chosen = None,
                _ => {}
            }
        }
        forms
    }

    /// Returns the form with this action. If there are several, returns one with the method `POST`.
    #[track_caller]
    pub(crate) fn form(&self, action: &str) -> Form {
        let mut forms: Vec<_> = self.forms().into_iter().filter(|form| form.action == action).collect();
        forms.sort_by_key(|form| form.method == "get");
        let form = forms.into_iter().next();
        form.unwrap_or_else(|| panic!("{} has no form for {action}: {}", self.what, self.body))
    }

    /// The value of the first button with this name.
    #[track_caller]
    pub(crate) fn button_value(&self, name: &str) -> String {
        let tags = self.tags();
        let button = tags.iter().find(|tag| tag.name == "button" && tag.get("name") == Some(name));
        button.unwrap_or_else(|| panic!("no button {name}: {}", self.body)).get("value").unwrap().to_owned()
    }

    /// The value of a field in the form with this action.
    pub(crate) fn field(&self, action: &str, name: &str) -> String {
        let form = self.form(action);
        let field = form.fields.iter().find(|(field, _)| field == name);
        field.unwrap_or_else(|| panic!("the form {action} has no field {name}")).1.clone()
    }
}

/// Reads the tag at the start of the text. Also returns the offset of its end.
fn read_tag(text: &str) -> (Tag, usize) {
    let name_end = text.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(text.len());
    let mut tag = Tag { name: text[..name_end].to_owned(), attributes: Vec::new(), text: String::new() };
    let mut at = name_end;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            return (tag, text.len());
        }
        if trimmed.starts_with('>') {
            return (tag, at + 1);
        }
        let end = trimmed.find(|c: char| c.is_whitespace() || "=>".contains(c)).unwrap_or(trimmed.len());
        let name = trimmed[..end.max(1)].to_owned();
        at += end.max(1);
        let mut value = String::new();
        if let Some(quoted) = text[at..].strip_prefix("=\"") {
            let length = quoted.find('"').expect("a value ends");
            value = unescaped(&quoted[..length]);
            at += length + 3;
        } else {
            assert!(!text[at..].starts_with('='), "a value without quotes: {}", &text[..60.min(text.len())]);
        }
        tag.attributes.push((name, value));
    }
}

fn unescaped(text: &str) -> String {
    let pairs =
        [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&"), ("&amp;", "&")];
    pairs.into_iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
