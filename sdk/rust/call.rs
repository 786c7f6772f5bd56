// SPDX-License-Identifier: BSL-1.0
use crate::abi;
use crate::error::{Error, Result};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i32)]
pub enum Level {
    Trace = 0,
    Debug = 1,
    Info = 2,
    Warn = 3,
    Error = 4,
}

/// Why a call was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    ByCaller,
    ByDeadline,
    ByRestart,
}

impl Cancelled {
    fn of(reason: i32) -> Option<Cancelled> {
        match reason {
            0 => None,
            2 => Some(Cancelled::ByDeadline),
            3 => Some(Cancelled::ByRestart),
            _ => Some(Cancelled::ByCaller),
        }
    }
}

/// A span of time or a point in time (since 1970-01-01T00:00:00Z), in nanoseconds.
pub type Nanoseconds = i64;

/// One call of one method. It cannot leave its thread or outlive the method.
pub struct Call<'a> {
    raw: *mut abi::Call,
    method: PhantomData<&'a abi::Call>,
}

impl Call<'_> {
    /// # Safety
    /// The call must be valid, and not be used otherwise, as long as the result is used.
    #[doc(hidden)]
    pub unsafe fn new(raw: *mut abi::Call) -> Self {
        Call {
            raw,
            method: PhantomData,
        }
    }

    #[doc(hidden)]
    pub fn raw(&self) -> *mut abi::Call {
        self.raw
    }

    fn functions(&self) -> &abi::CallFunctions {
        unsafe { &*(*self.raw).functions }
    }

    /// Returns whether the table of functions has this many members; an older host has fewer.
    fn has(&self, members: usize) -> bool {
        self.functions().struct_size >= members * std::mem::size_of::<usize>()
    }

    /// Returns why the call was cancelled, if it was.
    pub fn cancelled(&self) -> Option<Cancelled> {
        Cancelled::of(unsafe { (self.functions().cancelled)(self.raw) })
    }

    /// Waits until the call is cancelled or the time has passed; a negative time never passes.
    /// Returns the same as `cancelled`.
    pub fn wait(&self, timeout: Nanoseconds) -> Option<Cancelled> {
        Cancelled::of(unsafe { (self.functions().wait)(self.raw, timeout) })
    }

    /// Returns a file descriptor that becomes readable when the call is cancelled, for `poll`; -1
    /// if the system has none left. The deadline does not signal it. The host closes it.
    pub fn wait_handle(&self) -> isize {
        unsafe { (self.functions().wait_handle)(self.raw) }
    }

    /// Returns the deadline in nanoseconds of CLOCK_MONOTONIC; `i64::MAX` means none.
    pub fn deadline(&self) -> Nanoseconds {
        unsafe { (*self.raw).deadline }
    }

    /// Returns whether the host logs lines of this level. Ask before a line is formatted.
    pub fn log_wanted(&self, level: Level) -> bool {
        !self.has(9) || unsafe { (self.functions().log_wanted)(self.raw, level as i32) != 0 }
    }

    /// Writes a line to the host's log, which adds the name of the plugin.
    pub fn log(&self, level: Level, message: &str) {
        unsafe { (self.functions().log)(self.raw, level as i32, abi::Text::of(message)) };
    }

    /// Writes a line with pairs of keys and values. An older host drops the pairs.
    pub fn log_pairs(&self, level: Level, message: &str, pairs: &[(&str, &str)]) {
        if !self.has(10) {
            return self.log(level, message);
        }
        let pairs: Vec<abi::LogPair> = pairs
            .iter()
            .map(|(key, value)| abi::LogPair {
                key: abi::Text::of(key),
                value: abi::Text::of(value),
            })
            .collect();
        let line = abi::LogLine {
            struct_size: std::mem::size_of::<abi::LogLine>(),
            level: level as i32,
            reserved: 0,
            plugin: abi::Text::ABSENT,
            message: abi::Text::of(message),
            pairs: abi::List {
                data: pairs.as_ptr().cast(),
                count: pairs.len(),
                stride: std::mem::size_of::<abi::LogPair>(),
            },
        };
        unsafe { (self.functions().log_line)(self.raw, &line) };
    }

    /// Allocates memory in the arena of the call, aligned to 16 bytes.
    #[doc(hidden)]
    pub fn allocate(&self, size: usize) -> *mut u8 {
        unsafe {
            let start = (*self.raw).arena_next;
            let room = (*self.raw).arena_end as usize - start as usize;
            if size > room {
                return (self.functions().allocate)(self.raw, size).cast();
            }
            let padded = (size + 15) & !15;
            (*self.raw).arena_next = start.add(padded.min(room));
            start
        }
    }

    /// Copies bytes into the arena of the call.
    #[doc(hidden)]
    pub fn copy(&self, bytes: &[u8]) -> abi::Text {
        let data = self.allocate(bytes.len());
        unsafe { data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        abi::Text {
            data,
            size: bytes.len(),
        }
    }

    /// Moves a value into the arena of the call.
    #[doc(hidden)]
    pub fn keep<T: Copy>(&self, value: T) -> *const T {
        let memory = self.allocate(std::mem::size_of::<T>()).cast::<T>();
        unsafe { memory.write(value) };
        memory
    }

    /// Reports an error, and returns its status.
    #[doc(hidden)]
    pub fn fail(&self, error: &Error) -> i32 {
        // A status without a code would be a success.
        let unknown = i32::from(error.status() & 0xff == 0) * 2;
        let status = error.status() | unknown;
        let message = abi::Text::of(error.message());
        unsafe { (self.functions().fail)(self.raw, status, message) };
        status
    }

    /// Converts the status of a function of another plugin or the host.
    pub(crate) fn result(&self, status: i32) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        let message = unsafe { (self.functions().message)(self.raw).bytes() };
        Err(Error::from_status(status, String::from_utf8_lossy(message)))
    }
}

static HOST: AtomicPtr<abi::Host> = AtomicPtr::new(std::ptr::null_mut());

pub(crate) fn set_host(host: *const abi::Host) {
    HOST.store(host as *mut abi::Host, Ordering::Release);
}

/// Writes a line to the host's log from any thread, which adds the name of the module. Before the
/// module's `start` and after its `stop` it does nothing.
pub fn log(level: Level, message: &str) {
    let host = HOST.load(Ordering::Acquire);
    if !host.is_null() {
        unsafe { ((*host).log)(host, level as i32, abi::Text::of(message)) };
    }
}

/// Returns the absolute path of the module's file, to find files beside it.
pub fn module_file() -> Option<std::path::PathBuf> {
    let host = HOST.load(Ordering::Acquire);
    if host.is_null() {
        return None;
    }
    let host = unsafe { &*host };
    if host.struct_size < std::mem::size_of::<abi::Host>() {
        return None;
    }
    let path = unsafe { host.module_file.bytes() };
    std::str::from_utf8(path).ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::{Cancelled, Level};
    use crate::test_call::TestCall;
    use crate::{Code, Error};

    #[test]
    fn memory_comes_from_the_arena_until_it_is_full() {
        let test = TestCall::new();
        let call = test.call();
        let first = call.allocate(1);
        let second = call.allocate(100);
        assert_eq!(second as usize - first as usize, 16);
        assert_eq!(test.blocks(), 0);
        let third = call.allocate(17); // 16 bytes are left, or fewer
        assert_eq!(test.blocks(), 1);
        assert_eq!(first as usize % 16 + third as usize % 16, 0);
        assert_eq!(unsafe { call.copy(b"some bytes").bytes() }, b"some bytes");
    }

    #[test]
    fn a_status_without_a_code_is_a_failure() {
        let test = TestCall::new();
        let error = Error::from_status(0x100, "later");
        assert_eq!(test.call().fail(&error), 0x102);
        assert_eq!(test.failure(), Some((0x102, String::from("later"))));
    }

    #[test]
    fn errors_of_others_have_their_message() {
        let test = TestCall::new();
        assert_eq!(test.call().result(0), Ok(()));
        test.set_failure(0x105, "no such row");
        let error = test.call().result(0x105).unwrap_err();
        assert!(error.is(Code::NotFound));
        assert_eq!(error.status(), 0x105);
        assert_eq!(error.message(), "no such row");
    }

    #[test]
    fn the_reason_of_a_cancellation_is_known() {
        let test = TestCall::new();
        assert_eq!(test.call().cancelled(), Some(Cancelled::ByRestart));
        assert_eq!(test.call().wait(-1), Some(Cancelled::ByDeadline));
        assert_eq!(test.call().wait(1), None);
        assert_eq!(Cancelled::of(99), Some(Cancelled::ByCaller)); // of a newer host
    }

    #[test]
    fn lines_have_pairs_if_the_host_has_them() {
        for (test, wanted, line) in [
            (TestCall::new(), false, "3 slow rows=12 key="),
            (TestCall::of_older_host(8), true, "3 slow"),
        ] {
            let call = test.call();
            assert_eq!(call.log_wanted(Level::Debug), wanted);
            call.log(Level::Info, "a line");
            call.log_pairs(Level::Warn, "slow", &[("rows", "12"), ("key", "")]);
            assert_eq!(test.lines(), ["2 a line", line]);
        }
    }
}
