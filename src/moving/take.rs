//! Parses the lines of an import and passes their records to the engine.
//!
//! Invariants:
//! - Each problem is reported with its line. After [`PROBLEMS_MAX`] problems, no further line is read.
//! - Only one line, and the received bytes after it, are in memory.

use bytes::{Buf, Bytes, BytesMut};
use domain::{ImportProblem, Problem, ProblemCode, Timestamp};
use engine::EngineError;
use engine::moving::{Import, Wrong};

use super::LINE_BYTES_MAX;
use super::read::{Line, read};

/// After this number of problems, no further line is read.
pub(crate) const PROBLEMS_MAX: usize = 100;

#[derive(Default)]
pub(crate) struct Lines {
    buffer: BytesMut,
    searched: usize,
}

impl Lines {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next line without its line feed, or the beginning of a line that is too long.
    pub(crate) fn next(&mut self) -> Option<Bytes> {
        let end = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        if let Some(end) = end {
            let line = self.buffer.split_to(self.searched + end).freeze();
            self.buffer.advance(1);
            self.searched = 0;
            return Some(line);
        }
        self.searched = self.buffer.len();
        (self.searched > LINE_BYTES_MAX).then(|| self.rest()).flatten()
    }

    pub(crate) fn rest(&mut self) -> Option<Bytes> {
        self.searched = 0;
        Some(self.buffer.split().freeze()).filter(|rest| !rest.is_empty())
    }
}

#[derive(Default)]
pub(crate) struct Taking {
    line: u64,
    pub(crate) wrong: Vec<Wrong>,
    /// The time of the export, from the first line.
    pub(crate) exported_at: Option<Timestamp>,
    ended: bool,
}

impl Taking {
    /// Imports the next line and adds its problems to `wrong`. Returns false if the import reads no further line.
    pub(crate) async fn line(&mut self, import: &mut Import, bytes: &[u8]) -> Result<bool, EngineError> {
        self.line += 1;
        let (line, clean) = (self.line, self.wrong.is_empty());
        if bytes.len() > LINE_BYTES_MAX {
            self.bad("", ImportProblem::LineBytesMax(LINE_BYTES_MAX));
            return Ok(false);
        }
        if self.ended {
            self.bad("", ImportProblem::AfterTheLast);
            return Ok(false);
        }
        match read(bytes) {
            Ok(Line::Head { exported_at }) if line == 1 => self.exported_at = Some(exported_at),
            Ok(Line::Head { .. }) => self.bad("format", ImportProblem::NotTheFirst),
            Ok(_) if line == 1 => {
                self.bad("", ImportProblem::NoHead);
                return Ok(false);
            }
            Ok(Line::End { businesses }) => {
                self.ended = true;
                let (count, _) = import.count();
                if import.is_good() && businesses != count {
                    self.bad("businesses", ImportProblem::Count(count));
                } else if !import.is_good() && clean {
                    self.bad("kind", ImportProblem::BusinessNotEnded);
                }
            }
            Ok(Line::Record(moved)) => self.wrong.extend(import.take(line, moved).await?),
            Err(unread) => {
                import.not_a_record(unread.is_business);
                unread.problems.into_iter().for_each(|Problem { path, code }| self.bad(path, code));
                // If the first line is invalid, the file probably has another format, so reading ends.
                if line == 1 {
                    return Ok(false);
                }
            }
        }
        Ok(self.wrong.len() < PROBLEMS_MAX)
    }

    pub(crate) fn end(&mut self) {
        if !self.ended {
            self.line += 1;
            self.bad("", ImportProblem::EndsEarly);
        }
    }

    fn bad(&mut self, path: impl Into<String>, code: impl Into<ProblemCode>) {
        self.wrong.push(Wrong { line: self.line, problem: Problem::new(path, code) });
    }
}

/// The path of a problem, with its line number.
pub(crate) fn place(wrong: &Wrong) -> String {
    let Wrong { line, problem } = wrong;
    if problem.path.is_empty() { format!("line {line}") } else { format!("line {line}: {}", problem.path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[&[u8]]) -> Vec<usize> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        for piece in pieces {
            lines.push(piece);
            while let Some(line) = lines.next() {
                found.push(line.len());
            }
        }
        found.extend(lines.rest().map(|rest| rest.len()));
        found
    }

    #[test]
    fn lines_are_found_wherever_the_pieces_end() {
        assert_eq!(cut(&[b"ab\n\nc", b"d", b"\ne"]), [2, 0, 2, 1]);
        assert_eq!(cut(&[b"ab\n"]), [2]);
        assert_eq!(cut(&[]), [0; 0]);
        let longest = vec![b' '; LINE_BYTES_MAX];
        assert_eq!(cut(&[&longest, b"\n"]), [LINE_BYTES_MAX]);
    }

    #[test]
    fn a_line_that_never_ends_is_returned_at_the_limit() {
        let mut lines = Lines::default();
        lines.push(&vec![b' '; LINE_BYTES_MAX]);
        assert_eq!(lines.next(), None);
        lines.push(b" ");
        assert_eq!(lines.next().unwrap().len(), LINE_BYTES_MAX + 1);
    }
}
