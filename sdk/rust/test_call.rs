// SPDX-License-Identifier: BSL-1.0
//
// A call of a host, for the unit tests of the crate.
use crate::abi;
use crate::call::Call;
use std::ffi::c_void;
use std::mem::{size_of, size_of_val};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Memory as the host aligns it.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Line {
    _bytes: [u8; 16],
}

const EMPTY: Line = Line { _bytes: [0; 16] };

/// The part that the functions of the call use. Its first member is the call.
#[repr(C)]
struct Inner {
    raw: abi::Call,
    functions: abi::CallFunctions,
    arena: [Line; 8],
    blocks: Vec<Vec<Line>>, // what the arena had no room for
    failure: Option<(i32, String)>,
    lines: Vec<String>,
}

/// A call with an arena of 128 bytes, which records failures and lines of the log.
pub struct TestCall(*mut Inner);

impl TestCall {
    pub fn new() -> TestCall {
        let inner = Box::into_raw(Box::new(Inner {
            raw: abi::Call {
                struct_size: size_of::<abi::Call>(),
                functions: std::ptr::null(),
                arena_next: std::ptr::null_mut(),
                arena_end: std::ptr::null_mut(),
                deadline: i64::MAX,
            },
            functions: abi::CallFunctions {
                struct_size: size_of::<abi::CallFunctions>(),
                allocate,
                fail,
                log,
                cancelled,
                wait,
                wait_handle,
                message,
                log_wanted,
                log_line,
            },
            arena: [EMPTY; 8],
            blocks: Vec::new(),
            failure: None,
            lines: Vec::new(),
        }));
        unsafe {
            let arena = std::ptr::addr_of_mut!((*inner).arena);
            (*inner).raw.functions = std::ptr::addr_of!((*inner).functions);
            (*inner).raw.arena_next = arena.cast();
            (*inner).raw.arena_end = arena.add(1).cast();
        }
        TestCall(inner)
    }

    /// Returns a call of a host whose table has only the first members.
    pub fn of_older_host(members: usize) -> TestCall {
        let call = TestCall::new();
        unsafe { (*call.0).functions.struct_size = members * size_of::<usize>() };
        call
    }

    pub fn raw(&self) -> *mut abi::Call {
        self.0.cast()
    }

    pub fn call(&self) -> Call<'_> {
        unsafe { Call::new(self.raw()) }
    }

    /// Returns the status and message of the last failure, and forgets it.
    pub fn failure(&self) -> Option<(i32, String)> {
        unsafe { (*self.0).failure.take() }
    }

    /// Sets the failure that another plugin has reported.
    pub fn set_failure(&self, status: i32, message: &str) {
        unsafe { (*self.0).failure = Some((status, message.to_string())) };
    }

    pub fn lines(&self) -> Vec<String> {
        unsafe { (*self.0).lines.clone() }
    }

    /// Returns the number of allocations that the arena had no room for.
    pub fn blocks(&self) -> usize {
        unsafe { (*self.0).blocks.len() }
    }
}

impl Drop for TestCall {
    fn drop(&mut self) {
        unsafe { drop(Box::from_raw(self.0)) };
    }
}

unsafe fn text(raw: abi::Text) -> String {
    String::from_utf8(raw.bytes().to_vec()).unwrap()
}

unsafe extern "C" fn allocate(call: *mut abi::Call, size: usize) -> *mut c_void {
    let blocks = &mut (*call.cast::<Inner>()).blocks;
    blocks.push(vec![EMPTY; size / 16 + 1]);
    blocks.last_mut().unwrap().as_mut_ptr().cast()
}

unsafe extern "C" fn fail(call: *mut abi::Call, status: i32, message: abi::Text) {
    (*call.cast::<Inner>()).failure = Some((status, text(message)));
}

unsafe extern "C" fn log(call: *mut abi::Call, level: i32, message: abi::Text) {
    let line = format!("{} {}", level, text(message));
    (*call.cast::<Inner>()).lines.push(line);
}

unsafe extern "C" fn cancelled(_: *mut abi::Call) -> i32 {
    3
}

unsafe extern "C" fn wait(_: *mut abi::Call, timeout: i64) -> i32 {
    i32::from(timeout < 0) * 2
}

unsafe extern "C" fn wait_handle(_: *mut abi::Call) -> isize {
    -1
}

unsafe extern "C" fn message(call: *mut abi::Call) -> abi::Text {
    match &(*call.cast::<Inner>()).failure {
        None => abi::Text::ABSENT,
        Some((_, message)) => abi::Text::of(message),
    }
}

unsafe extern "C" fn log_wanted(_: *mut abi::Call, level: i32) -> i32 {
    i32::from(level >= 2)
}

unsafe extern "C" fn log_line(call: *mut abi::Call, line: *const abi::LogLine) {
    let line = &*line;
    assert_eq!(line.struct_size, size_of_val(line));
    let mut shown = format!("{} {}", line.level, text(line.message));
    for i in 0..line.pairs.count {
        let pair = line.pairs.data.cast::<abi::LogPair>().add(i);
        shown += &format!(" {}={}", text((*pair).key), text((*pair).value));
    }
    (*call.cast::<Inner>()).lines.push(shown);
}

/// Counts how often values were dropped.
#[derive(Clone, Default)]
pub struct Drops(Arc<AtomicUsize>);

impl Drops {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns a value that is counted when it is dropped.
    pub fn counted(&self) -> Counted {
        Counted(self.0.clone())
    }
}

pub struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
