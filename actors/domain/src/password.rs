//! Why a password is easily guessed, and what makes one harder to guess.

/// What an estimate of a password's strength found, or recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordHint {
    /// It is a row of keys.
    RowOfKeys,
    /// It is a short pattern of keys.
    ShortKeyPattern,
    /// It repeats a character.
    RepeatedCharacter,
    /// It repeats a few characters.
    RepeatedPart,
    /// It is one of the ten most common passwords.
    Top10,
    /// It is one of the hundred most common passwords.
    Top100,
    /// It is a common password.
    Common,
    /// It is similar to a common password.
    SimilarToCommon,
    /// It is a sequence such as abc or 6543.
    Sequence,
    /// It is a recent year.
    RecentYear,
    /// It is a single word.
    SingleWord,
    /// It is a date.
    Date,
    /// It is a first name or a surname.
    NameAlone,
    /// It contains a common first name or surname.
    CommonName,
    /// Use a few words, which are no common phrase.
    UseFewWords,
    /// Symbols, digits and upper-case letters are not needed.
    NoNeedForSymbols,
    /// Add a word or two.
    AddWords,
    /// Capital letters help little.
    Capitalization,
    /// Only capital letters help little.
    AllUppercase,
    /// A word spelt backwards helps little.
    ReversedWord,
    /// A symbol in the place of a similar letter helps little.
    PredictableSubstitution,
    /// Use a longer pattern of keys with more turns.
    LongerKeyPattern,
    /// Avoid repeated words and characters.
    AvoidRepeats,
    /// Avoid sequences.
    AvoidSequences,
    /// Avoid recent years.
    AvoidRecentYears,
    /// Avoid years that are associated with the person.
    AvoidOwnYears,
    /// Avoid dates and years that are associated with the person.
    AvoidOwnDates,
}
