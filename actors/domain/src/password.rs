//! The reasons why a password is easy to guess, and recommendations for a better password.

/// A finding or a recommendation of an estimate of a password's strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordHint {
    RowOfKeys,
    ShortKeyPattern,
    RepeatedCharacter,
    RepeatedPart,
    Top10,
    Top100,
    Common,
    SimilarToCommon,
    Sequence,
    RecentYear,
    SingleWord,
    Date,
    NameAlone,
    CommonName,
    /// Use a few words that do not form a common phrase.
    UseFewWords,
    NoNeedForSymbols,
    AddWords,
    /// Capital letters help little.
    Capitalization,
    AllUppercase,
    ReversedWord,
    /// A symbol in the place of a similar letter helps little.
    PredictableSubstitution,
    /// Use a longer pattern of keys with more turns.
    LongerKeyPattern,
    AvoidRepeats,
    AvoidSequences,
    AvoidRecentYears,
    /// Avoid years that are associated with the person.
    AvoidOwnYears,
    /// Avoid dates and years that are associated with the person.
    AvoidOwnDates,
}
