//! Splits a text into words, numbers and signs.

use domain::unaccented;

use super::numbers;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word in lower case without accents.
    Word(String),
    /// The value of up to 8 digits, and the number of digits. A longer sequence of digits is a word.
    Digits(u32, usize),
    Sign(char),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) token: Token,
    /// Whether there is no white space before the token.
    pub(super) is_glued: bool,
}

/// Splits a text into tokens. Apostrophes and hyphens separate words. Between digits, `:`, `/`, `.` and `-` are tokens.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let chars: Vec<char> = unaccented(text).chars().flat_map(char::to_lowercase).collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut is_glued = false;
    while at < chars.len() {
        let start = at;
        let run = |same: fn(char) -> bool| chars[start..].iter().take_while(|c| same(**c)).count();
        let c = chars[at];
        let token = if c.is_ascii_digit() {
            let len = run(|c| c.is_ascii_digit());
            at += len;
            let digits: String = chars[start..at].iter().collect();
            match digits.parse() {
                Ok(value) if len <= 8 => Token::Digits(value, len),
                _ => Token::Word(digits),
            }
        } else if c.is_alphabetic() {
            at += run(char::is_alphabetic);
            Token::Word(chars[start..at].iter().collect())
        } else {
            at += 1;
            let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
            let is_between = digit(start.checked_sub(1)) && digit(Some(start + 1));
            if is_between && ":/.-".contains(c) || "?,;".contains(c) {
                Token::Sign(c)
            } else {
                is_glued = is_glued && !c.is_whitespace();
                if c.is_whitespace() {
                    is_glued = false;
                }
                continue;
            }
        };
        pieces.push(Piece { token, is_glued });
        is_glued = true;
    }
    pieces
}

/// A position in the pieces of a text.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) all: &'a [Piece],
    pub(super) at: usize,
}

impl<'a> At<'a> {
    pub(super) fn skip(self, count: usize) -> Self {
        Self { at: self.at + count, ..self }
    }

    pub(super) fn piece(self) -> Option<&'a Piece> {
        self.all.get(self.at)
    }

    pub(super) fn word(self) -> Option<&'a str> {
        match &self.piece()?.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn digits(self) -> Option<(u32, usize)> {
        match self.piece()?.token {
            Token::Digits(value, len) => Some((value, len)),
            _ => None,
        }
    }

    pub(super) fn sign(self) -> Option<char> {
        match self.piece()?.token {
            Token::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    pub(super) fn is_glued(self) -> bool {
        self.piece().is_some_and(|piece| piece.is_glued)
    }

    /// The word before the position.
    pub(super) fn word_before(self) -> Option<&'a str> {
        Self { at: self.at.checked_sub(1)?, ..self }.word()
    }

    /// Skips the words of a phrase. Returns `None` if the text at this position differs from the phrase.
    pub(super) fn phrase(self, phrase: &str) -> Option<Self> {
        phrase.split(' ').try_fold(self, |at, word| (at.word()? == word).then(|| at.skip(1)))
    }

    /// Skips the first phrase of the list that equals the words at this position. Returns `None` if no phrase does.
    pub(super) fn any(self, phrases: &[&str]) -> Option<Self> {
        phrases.iter().find_map(|phrase| self.phrase(phrase))
    }

    /// Like [`At::any`], but returns this position if no phrase equals the words here.
    pub(super) fn optional(self, phrases: &[&str]) -> Self {
        self.any(phrases).unwrap_or(self)
    }

    /// Reads a whole number up to 99 in digits or words.
    pub(super) fn number(self) -> Option<(u32, Self)> {
        if let Some((value, len)) = self.digits() {
            return (len <= 2).then(|| (value, self.skip(1)));
        }
        let (value, len) = numbers::cardinal(|offset| self.skip(offset).word())?;
        Some((value, self.skip(len)))
    }
}
