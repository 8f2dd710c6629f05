//! Markdown as HTML.
//!
//! Invariants: raw HTML is shown as text, except that HTML comments are omitted. Anchors follow GitHub's
//! rules. A link to a topic's file leads to the topic's page.

use std::collections::HashMap;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd, html};

use super::pictures;
use super::topics::topic;

/// In the first column of a table, code without slashes has no line break if it has at most this many bytes.
const NAME_BYTES_MAX: usize = 44;
/// In a table, code with at most this many bytes has no line break. For code without slashes in the first column,
/// `NAME_BYTES_MAX` applies instead.
const WORD_BYTES_MAX: usize = 24;

pub(super) struct Rendered {
    pub(super) html: String,
    /// The sections of the page in order. The first section belongs to the title.
    pub(super) sections: Vec<Section>,
}

/// A heading, with the text up to the next heading of any level.
pub(super) struct Section {
    pub(super) level: u8,
    pub(super) title: String,
    pub(super) anchor: String,
    pub(super) text: String,
}

pub(super) fn parse(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

pub fn anchors(text: &str) -> Vec<String> {
    render(text).sections.into_iter().map(|section| section.anchor).collect()
}

pub(super) fn is_comment(html: &str) -> bool {
    html.trim_start().starts_with("<!--")
}

/// The text of inline Markdown as HTML, without a paragraph around it.
pub(super) fn inline(text: &str) -> String {
    let html = render(text).html;
    let html = html.trim_end();
    let one = html.strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    one.filter(|one| !one.contains("<p>")).unwrap_or(html).to_owned()
}

pub(super) fn render(text: &str) -> Rendered {
    let events: Vec<Event<'_>> = parse(text).collect();
    let mut writer = Writer::default();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let content = events[at + 1..].iter();
                let content = content.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
                let title: String = content.filter_map(text_of).collect();
                writer.heading(*level as u8, title);
            }
            event => writer.event(event.clone()),
        }
    }
    let mut html = String::new();
    html::push_html(&mut html, writer.written.into_iter());
    Rendered { html, sections: writer.sections }
}

fn text_of<'a>(event: &'a Event<'_>) -> Option<&'a str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        Event::SoftBreak | Event::HardBreak => Some(" "),
        _ => None,
    }
}

/// The anchor of a heading, before it is made unique: lower case, without punctuation, with hyphens for spaces.
fn anchor(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    title.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A text as the value of an attribute in HTML.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// The address of a link. A link to a topic's file gets the address of the topic's page.
fn address(link: &str) -> String {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    match file.strip_suffix(".md").filter(|name| topic(name).is_some()) {
        Some(name) => anchor.map_or(format!("/docs/{name}"), |anchor| format!("/docs/{name}#{anchor}")),
        None => link.to_owned(),
    }
}

#[derive(Default)]
struct Writer<'a> {
    written: Vec<Event<'a>>,
    sections: Vec<Section>,
    anchors: HashMap<String, usize>,
    in_heading: bool,
    /// The language and the content of the code block that is being read.
    code: Option<(String, String)>,
    /// The file and the description, as HTML, of the picture that is being read.
    picture: Option<(String, String)>,
    alignments: Vec<Alignment>,
    labels: Vec<String>,
    /// The number of the column whose cell is being read, from 1; 0 outside of cells.
    column: usize,
    in_head: bool,
}

impl<'a> Writer<'a> {
    fn html(&mut self, html: impl Into<String>) {
        self.written.push(Event::Html(html.into().into()));
    }

    fn heading(&mut self, level: u8, title: String) {
        let plain = anchor(&title);
        let count = self.anchors.entry(plain.clone()).or_default();
        let anchor = if *count == 0 { plain } else { format!("{plain}-{count}") };
        *count += 1;
        self.html(format!("<h{level} id=\"{anchor}\">"));
        self.sections.push(Section { level, title, anchor, text: String::new() });
        self.in_heading = true;
    }

    fn event(&mut self, event: Event<'a>) {
        if let (Some((_, code)), Event::Text(text)) = (&mut self.code, &event) {
            code.push_str(text);
        }
        if let (Some((_, alt)), Some(text)) = (&mut self.picture, text_of(&event)) {
            alt.push_str(&attribute(text));
        }
        if let (Some(label), Some(text)) = (self.labels.last_mut().filter(|_| self.in_head), text_of(&event))
        {
            label.push_str(&attribute(text));
        }
        let is_end = matches!(event, Event::End(_));
        if let Some(section) = self.sections.last_mut().filter(|_| !self.in_heading) {
            section.text.push_str(text_of(&event).unwrap_or(if is_end { " " } else { "" }));
        }
        match event {
            Event::End(TagEnd::Heading(level)) => {
                self.in_heading = false;
                self.html(format!("</{level}>\n"));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Event::End(TagEnd::CodeBlock) => {
                let (language, code) = self.code.take().unwrap_or_default();
                self.code_block(&language, &code);
            }
            Event::Text(_) if self.code.is_some() => {}
            Event::Start(Tag::Image { dest_url, .. }) => {
                self.picture = Some((dest_url.to_string(), String::new()));
            }
            Event::End(TagEnd::Image) => {
                let (file, alt) = self.picture.take().unwrap_or_default();
                self.html(pictures::html(&file, &alt).unwrap_or(alt));
            }
            _ if self.picture.is_some() => {}
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = address(&dest_url).into();
                self.written.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::Code(code) if self.column > 0 => self.name(&code),
            Event::Html(html) | Event::InlineHtml(html) if is_comment(&html) => {}
            Event::Html(html) | Event::InlineHtml(html) => self.written.push(Event::Text(html)),
            event => self.table(event),
        }
    }

    /// A table scrolls within its own box. The alignment of a cell is a class, because the content security
    /// policy forbids styles. Each cell has the heading of its column as an attribute, which the stylesheet
    /// needs on narrow screens.
    fn table(&mut self, event: Event<'a>) {
        match event {
            Event::Start(Tag::Table(alignments)) => {
                (self.alignments, self.labels) = (alignments, Vec::new());
                let label = self.sections.last().map_or(String::new(), |section| section.anchor.clone());
                self.html(format!(
                    "<div class=\"table\" role=\"group\" aria-labelledby=\"{label}\" tabindex=\"0\"><table>"
                ));
            }
            Event::End(TagEnd::Table) => self.html("</tbody></table></div>\n"),
            Event::Start(Tag::TableHead) => {
                self.in_head = true;
                self.html("<thead><tr>");
            }
            Event::End(TagEnd::TableHead) => {
                (self.in_head, self.column) = (false, 0);
                self.html("</tr></thead><tbody>");
            }
            Event::Start(Tag::TableRow) => self.html("<tr>"),
            Event::End(TagEnd::TableRow) => {
                self.column = 0;
                self.html("</tr>");
            }
            Event::Start(Tag::TableCell) => {
                let is_number = self.alignments.get(self.column) == Some(&Alignment::Right);
                let class = if is_number { " class=\"num\"" } else { "" };
                let label = self.labels.get(self.column).cloned().unwrap_or_default();
                self.column += 1;
                if self.in_head {
                    self.labels.push(String::new());
                    self.html(format!("<th{class}>"));
                } else {
                    self.html(format!("<td{class} data-label=\"{label}\">"));
                }
            }
            Event::End(TagEnd::TableCell) => self.html(if self.in_head { "</th>" } else { "</td>" }),
            event => self.written.push(event),
        }
    }

    /// Code in a cell. Short code has no line break, and longer code can be broken before a slash.
    fn name(&mut self, code: &str) {
        let is_name = self.column == 1 && !code.contains('/');
        let is_short = code.len() <= if is_name { NAME_BYTES_MAX } else { WORD_BYTES_MAX };
        self.html(if is_short { "<code class=\"nowrap\">" } else { "<code>" });
        for (number, part) in code.split('/').enumerate() {
            if number > 0 {
                self.html("<wbr>");
                self.written.push(Event::Text("/".into()));
            }
            self.written.push(Event::Text(part.to_owned().into()));
        }
        self.html("</code>");
    }

    /// A code block. In a console session, the output of commands is marked, so that it is shown in grey.
    fn code_block(&mut self, language: &str, code: &str) {
        self.html("<pre class=\"code\" tabindex=\"0\"><code>");
        let mut continues = false;
        for line in code.split_inclusive('\n') {
            let is_command = continues || line.starts_with("$ ");
            continues = is_command && line.trim_end().ends_with('\\');
            let tag = if language == "console" && !is_command { ("<i>", "</i>") } else { ("", "") };
            self.html(tag.0);
            self.written.push(Event::Text(line.to_owned().into()));
            self.html(tag.1);
        }
        self.html("</code></pre>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_follow_the_rules_of_github() {
        let text = "# A `code` title\n\n## ETags, `If-Match` & more!\n\n## Same\n\n### Same\n\n## snake_case 1.2 é\n";
        let expected = ["a-code-title", "etags-if-match--more", "same", "same-1", "snake_case-12-é"];
        assert_eq!(anchors(text), expected);
    }

    #[test]
    fn raw_html_is_text_and_comments_are_not_shown() {
        let html =
            render("<!-- generated: routes -->\n\n<script>alert(1)</script>\n\nA <b>word</b> <!-- x -->.\n")
                .html;
        assert!(!html.contains("<script") && !html.contains("<b>") && !html.contains("<!--"), "{html}");
        assert!(
            html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && html.contains("&lt;b&gt;word"),
            "{html}"
        );
    }

    #[test]
    fn links_to_topics_lead_to_their_pages() {
        let html =
            render("[a](webhooks.md#retries) [b](api.md) [c](#here) [d](https://example.com/x.md)").html;
        for href in ["/docs/webhooks#retries", "/docs/api", "#here", "https://example.com/x.md"] {
            assert!(html.contains(&format!("href=\"{href}\"")), "{href} in {html}");
        }
    }

    #[test]
    fn a_picture_has_a_size_and_its_description() {
        let html = render("One.\n\n![Today, and a \"name\" `x`](pictures/today.webp)\n").html;
        let expected =
            "alt=\"Today, and a &quot;name&quot; x\" width=\"1280\" height=\"900\" loading=\"lazy\"></a></p>";
        assert!(html.contains(expected) && html.matches("Today").count() == 1, "{html}");
        assert_eq!(render("![None](pictures/none.webp)").html, "<p>None</p>\n");
    }

    #[test]
    fn tables_and_code_contain_no_style_attribute() {
        let html =
            render("# T\n\n| a | b |\n|---|---:|\n| x | 1 |\n\n```console\n$ run \\\n    on\nout <1>\n```\n")
                .html;
        assert!(
            html.contains("<td class=\"num\" data-label=\"b\">1</td>") && !html.contains("style="),
            "{html}"
        );
        assert!(html.contains("$ run \\\n    on\n<i>out &lt;1&gt;\n</i>"), "{html}");
    }
}
