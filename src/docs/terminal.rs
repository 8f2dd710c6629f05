//! A topic as plain text for a terminal. Paragraphs and tables are wrapped; code is not wrapped. Pictures
//! are omitted.

use std::mem;

use anstyle::Style;
use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use super::markdown::{is_comment, parse};

const GAP: &str = "  ";
/// A column of a table is at least as wide as its longest word. If this word is longer than `WORD_WIDTH_MAX`, the
/// column is at least `WORD_WIDTH_MAX` wide.
const WORD_WIDTH_MAX: usize = 40;
/// The minimum width of a column of sentences, since a narrower column is not readable.
const PROSE_WIDTH_MIN: usize = 24;

/// Formats Markdown in lines of at most `width` columns, with styles if `styled` is true.
pub(crate) fn text(markdown: &str, width: usize, styled: bool) -> String {
    let mut printer = Printer { width, styled, ..Printer::default() };
    parse(markdown).for_each(|event| printer.event(&event));
    printer.out
}

#[derive(Default)]
struct Printer {
    width: usize,
    styled: bool,
    out: String,
    line: String,
    /// For each list around the current text, the number of its next item; `None` for an unnumbered list.
    lists: Vec<Option<u64>>,
    marker: Option<String>,
    /// The destination of the link that is being read.
    link: String,
    code: bool,
    picture: bool,
    rows: Vec<Vec<String>>,
}

impl Printer {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(_) if self.picture => {}
            Event::Text(text) if self.code => self.code_line(text),
            Event::Text(text) => self.line.push_str(text),
            Event::Code(code) => self.line.push_str(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.line.push(' '),
            Event::Html(html) | Event::InlineHtml(html) if !is_comment(html) => self.line.push_str(html),
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(*tag),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.gap(),
            Tag::Paragraph if self.marker.is_none() => self.gap(),
            Tag::CodeBlock(_) => {
                self.flush();
                self.gap();
                self.code = true;
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(*first);
            }
            Tag::Item => {
                let number = self.lists.last_mut().and_then(Option::as_mut);
                self.marker = Some(number.map_or("- ".into(), |number| {
                    *number += 1;
                    format!("{}. ", *number - 1)
                }));
            }
            Tag::Link { dest_url, .. } => self.link = dest_url.to_string(),
            Tag::Image { .. } => self.picture = true,
            Tag::Table(_) => self.gap(),
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                let title = mem::take(&mut self.line);
                let line = if level == HeadingLevel::H1 { "=" } else { "-" };
                self.out.push_str(&format!("{}\n", self.bold(&title)));
                if level <= HeadingLevel::H2 {
                    self.out.push_str(&format!("{}\n", line.repeat(title.width())));
                }
            }
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::CodeBlock => self.code = false,
            TagEnd::Image => self.picture = false,
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Link => {
                let link = mem::take(&mut self.link);
                self.line.push_str(&link_text(&link));
            }
            TagEnd::TableCell => {
                let cell = mem::take(&mut self.line);
                // If a cell contains only code, the backticks are omitted.
                let code = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
                let code = code.filter(|code| !code.contains('`'));
                if let Some(row) = self.rows.last_mut() {
                    row.push(code.unwrap_or(&cell).to_owned());
                }
            }
            TagEnd::Table => {
                let rows = mem::take(&mut self.rows);
                let table = self.table(&rows);
                self.out.push_str(&table);
            }
            _ => {}
        }
    }

    /// Writes an empty line, except at the beginning of the text.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn bold(&self, text: &str) -> String {
        let style = Style::new().bold();
        if self.styled { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// The indentation of the current text in columns: two for each list around it.
    fn indent(&self) -> usize {
        2 * self.lists.len()
    }

    fn code_line(&mut self, text: &str) {
        let indent = " ".repeat(self.indent() + 4);
        for line in text.lines() {
            let line = format!("{indent}{line}");
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
    }

    /// Writes the inline text. At the start of a list item, the marker of the item precedes the text.
    fn flush(&mut self) {
        let text = mem::take(&mut self.line);
        if text.trim().is_empty() {
            return;
        }
        let marker = self.marker.take().unwrap_or_default();
        let indent = self.indent().max(marker.len());
        let lead = " ".repeat(indent - marker.len()) + &marker;
        for (number, line) in wrap(&text, self.width.saturating_sub(indent)).iter().enumerate() {
            let lead = if number == 0 { lead.clone() } else { " ".repeat(indent) };
            self.out.push_str(&format!("{lead}{line}\n"));
        }
    }

    /// The rows with the columns aligned. If the columns are too narrow to read, each row is a list of its cells.
    fn table(&self, rows: &[Vec<String>]) -> String {
        let Some((head, body)) = rows.split_first() else { return String::new() };
        let Some(widths) = widths(rows, self.width) else { return self.rows_as_lists(head, body) };
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut lines = aligned(head, &widths).iter().map(|line| self.bold(line)).collect::<Vec<_>>();
        lines.push(rule.join(GAP));
        lines.extend(body.iter().flat_map(|row| aligned(row, &widths)));
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn rows_as_lists(&self, head: &[String], body: &[Vec<String>]) -> String {
        let mut text = String::new();
        for row in body {
            for (number, (name, cell)) in head.iter().zip(row).enumerate() {
                let (lead, cell) =
                    if number == 0 { ("", cell.clone()) } else { ("    ", format!("{name}: {cell}")) };
                for line in wrap(&cell, self.width - lead.len()) {
                    text.push_str(&format!("{lead}{}\n", if number == 0 { self.bold(&line) } else { line }));
                }
            }
        }
        text
    }
}

/// The text appended to a link: its address or, for a topic, the command that shows the topic.
fn link_text(link: &str) -> String {
    let file = link.split('#').next().unwrap_or_default();
    match file.strip_suffix(".md") {
        Some(topic) => format!(" (help {topic})"),
        None if file.is_empty() => String::new(),
        None => format!(" <{link}>"),
    }
}

/// Returns the widths of the columns of a table, or `None` if a column of sentences would be too narrow to read.
fn widths(rows: &[Vec<String>], width: usize) -> Option<Vec<usize>> {
    let columns = rows[0].len();
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let longest = |column| cells(column).map(|cell| cell.width()).max().unwrap_or(0);
    let word = |column| {
        let words = cells(column).flat_map(|cell| cell.split(' ')).map(|word| word.width());
        words.max().unwrap_or(0).min(WORD_WIDTH_MAX)
    };
    let wanted: Vec<usize> = (0..columns).map(longest).collect();
    let least: Vec<usize> =
        (0..columns).map(|column| word(column).max(wanted[column].min(PROSE_WIDTH_MIN))).collect();
    let mut left = width.checked_sub(GAP.len() * columns.saturating_sub(1))?;
    left = left.checked_sub(least.iter().sum())?;
    let mut widths = least;
    // The columns that need the least additional width get it first. So as many columns as possible have no wrapped
    // cells.
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by_key(|column| wanted[*column] - widths[*column]);
    for column in order {
        let more = (wanted[column] - widths[column]).min(left);
        widths[column] += more;
        left -= more;
    }
    Some(widths)
}

fn aligned(row: &[String], widths: &[usize]) -> Vec<String> {
    let cells: Vec<Vec<String>> = row.iter().zip(widths).map(|(cell, width)| wrap(cell, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let parts = cells.iter().zip(widths).map(|(lines, width)| {
            let part = lines.get(at).map_or("", String::as_str);
            format!("{part}{}", " ".repeat(width.saturating_sub(part.width())))
        });
        parts.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// Wraps a text into lines of at most `width` columns. A word that is longer than a line is broken, if possible
/// before a slash.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while !rest.is_empty() {
            let end = rest.char_indices().nth(width).map_or(rest.len(), |(end, _)| end);
            let slash = rest[..end].rfind('/').filter(|slash| *slash > 0 && end < rest.len());
            let (piece, after) = rest.split_at(slash.unwrap_or(end));
            match lines.last_mut().filter(|line| line.width() + 1 + piece.width() <= width) {
                Some(line) => {
                    line.push(' ');
                    line.push_str(piece);
                }
                None => lines.push(piece.to_owned()),
            }
            rest = after;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::topics::topics;

    #[test]
    fn a_topic_is_plain_text() {
        let markdown = "# Title\n\nSome `code` and a [link](api.md#errors) to read.\n\n![A picture](pictures/x.webp)\n\n## Part\n\n- one two three\n- four\n\n\
            1. first\n2. second\n\n```console\n$ run\n```\n\n<!-- generated: x -->\n\n| Name | Meaning |\n|---|---|\n| `a` | The first. |\n\n<!-- end -->\n";
        let expected = "Title\n=====\n\nSome `code` and a link (help\napi) to read.\n\nPart\n----\n\n- one two three\n- four\n\n\
            1. first\n2. second\n\n    $ run\n\nName  Meaning\n----  ----------\na     The first.\n";
        let printed = text(markdown, 30, false);
        assert_eq!(printed, expected, "{printed}");
        assert!(text(markdown, 30, true).contains("\u{1b}[1mTitle\u{1b}[0m"));
    }

    #[test]
    fn every_topic_fits_except_for_its_code() {
        for topic in topics() {
            for width in [80, 100] {
                let printed = text(topic.text, width, false);
                let wide = printed.lines().find(|line| line.width() > width && !line.starts_with("    "));
                assert_eq!(wide, None, "{} in {width} columns", topic.name);
                assert!(!printed.contains("<!--") && !printed.contains("\u{1b}"), "{}", topic.name);
            }
        }
    }
}
