//! Lines on their way to standard error, written many at a time by a thread of their own.
//!
//! What always holds: lines come out whole and in order; whoever writes while too much waits, waits too; after
//! [`Lines::finish`] every line is out, and later ones go out at once.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// So many bytes may wait to be written.
const WAITING_BYTES_MAX: usize = 1 << 20;
/// How long the thread gathers lines before it writes them: waking it for each would cost more than writing.
const GATHER_TIME: Duration = Duration::from_millis(5);

/// Where lines are left. Cheap to clone.
#[derive(Clone)]
pub(super) struct Lines(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// There is something to write, or the end has come.
    filled: Condvar,
    /// There is room again.
    emptied: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct State {
    waiting: Vec<u8>,
    ended: bool,
    /// Where lines go; taken by the thread while it writes.
    sink: Option<Box<dyn Write + Send>>,
}

impl Lines {
    /// Starts the thread that writes to `sink`.
    ///
    /// # Errors
    /// When there can be no thread.
    pub(super) fn start(sink: impl Write + Send + 'static) -> io::Result<Self> {
        let state = State { waiting: Vec::new(), ended: false, sink: Some(Box::new(sink)) };
        let lines = Self(Arc::new(Shared {
            state: Mutex::new(state),
            filled: Condvar::new(),
            emptied: Condvar::new(),
            thread: Mutex::new(None),
        }));
        let shared = Arc::clone(&lines.0);
        let thread = thread::Builder::new().name("log".into()).spawn(move || shared.write_on())?;
        *lines.0.thread.lock() = Some(thread);
        Ok(lines)
    }

    /// Writes what waits, and lets later lines go out at once.
    pub(super) fn finish(&self) {
        self.0.state.lock().ended = true;
        self.0.filled.notify_all();
        self.0.emptied.notify_all();
        if let Some(thread) = self.0.thread.lock().take() {
            let _ = thread.join();
        }
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut state = self.0.state.lock();
        while state.waiting.len() > WAITING_BYTES_MAX && !state.ended {
            self.0.emptied.wait(&mut state);
        }
        let first = state.waiting.is_empty();
        state.waiting.extend_from_slice(line);
        if state.ended {
            // While the thread holds the sink, it writes this too.
            let waiting = std::mem::take(&mut state.waiting);
            match &mut state.sink {
                Some(sink) => sink.write_all(&waiting)?,
                None => state.waiting = waiting,
            }
        } else if first {
            drop(state);
            self.0.filled.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    /// Writes until the end.
    fn write_on(&self) {
        let mut state = self.state.lock();
        let Some(mut sink) = state.sink.take() else { return };
        loop {
            while state.waiting.is_empty() && !state.ended {
                self.filled.wait(&mut state);
            }
            if !state.ended {
                // Only the end is told meanwhile.
                let _ = self.filled.wait_for(&mut state, GATHER_TIME);
            }
            if state.waiting.is_empty() {
                state.sink = Some(sink);
                return;
            }
            let lines = std::mem::take(&mut state.waiting);
            self.emptied.notify_all();
            drop(state);
            // There is nowhere to tell that standard error takes nothing.
            let _ = sink.write_all(&lines);
            state = self.state.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sink that can be looked into, and that may be slow.
    #[derive(Clone, Default)]
    struct Sink {
        bytes: Arc<Mutex<Vec<u8>>>,
        held: Arc<Mutex<()>>,
    }

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _held = self.held.lock();
            self.bytes.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_comes_out_whole_and_in_order_and_later_ones_at_once() {
        let sink = Sink::default();
        let lines = Lines::start(sink.clone()).unwrap();
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let mut lines = lines.clone();
                thread::spawn(move || {
                    for line in 0..2_000 {
                        lines.write_all(format!("{thread} {line}\n").as_bytes()).unwrap();
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        lines.finish();
        lines.clone().write_all(b"4 0\n").unwrap();
        let text = String::from_utf8(sink.bytes.lock().clone()).unwrap();
        for thread in 0..5 {
            let prefix = format!("{thread} ");
            let numbers: Vec<usize> =
                text.lines().filter_map(|line| line.strip_prefix(&prefix)?.parse().ok()).collect();
            assert_eq!(numbers, (0..if thread < 4 { 2_000 } else { 1 }).collect::<Vec<_>>());
        }
    }

    #[test]
    fn whoever_writes_while_too_much_waits_waits_and_nothing_is_dropped() {
        let sink = Sink::default();
        let held = sink.held.lock();
        let lines = Lines::start(sink.clone()).unwrap();
        let line = vec![b'x'; 1 << 16];
        let writer = {
            let (mut lines, line) = (lines.clone(), line.clone());
            thread::spawn(move || (0..64).for_each(|_| lines.write_all(&line).unwrap()))
        };
        // More than the bound cannot be left while nothing is taken.
        while lines.0.state.lock().waiting.len() <= WAITING_BYTES_MAX {
            thread::yield_now();
        }
        assert!(lines.0.state.lock().waiting.len() <= WAITING_BYTES_MAX + line.len());
        drop(held);
        writer.join().unwrap();
        lines.finish();
        assert_eq!(sink.bytes.lock().len(), 64 << 16);
    }
}
