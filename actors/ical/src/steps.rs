//! The bound on the work that a file may cause.

use std::ops::ControlFlow;

/// The maximum number of steps of one event. A step is the examination of a day or a time, which takes about 50 ns.
const EVENT_STEPS_MAX: u64 = 1_000_000;
/// The maximum number of steps of a file.
pub const FILE_STEPS_MAX: u64 = 10_000_000;

/// The reason why an expansion ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The event needs too many steps or has too many occurrences.
    Event,
    /// The file needs too many steps or has too many events or intervals.
    File,
}

#[derive(Debug)]
pub(crate) struct Steps {
    event: u64,
    file: u64,
}

impl Steps {
    /// `most` is a second limit on the steps of the file, besides [`FILE_STEPS_MAX`].
    pub(crate) fn new(most: u64) -> Self {
        Self { event: EVENT_STEPS_MAX, file: FILE_STEPS_MAX.min(most) }
    }

    /// The number of steps that remain for the file.
    pub(crate) fn left(&self) -> u64 {
        self.file
    }

    /// Begins the next event.
    pub(crate) fn next_event(&mut self) {
        self.event = EVENT_STEPS_MAX;
    }

    pub(crate) fn take(&mut self, steps: u64) -> ControlFlow<Stop> {
        let Some(file) = self.file.checked_sub(steps) else { return ControlFlow::Break(Stop::File) };
        let Some(event) = self.event.checked_sub(steps) else { return ControlFlow::Break(Stop::Event) };
        (self.file, self.event) = (file, event);
        ControlFlow::Continue(())
    }
}
