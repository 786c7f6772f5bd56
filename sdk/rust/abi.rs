// SPDX-License-Identifier: BSL-1.0
//
// The structs of tenon/abi.h, which documents them. For generated code.
use std::ffi::c_void;
use std::ptr;

/// UTF-8 text or bytes; absent if `data` is null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub data: *const u8,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    pub data: *mut u8,
    pub size: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct List {
    pub data: *const c_void,
    pub count: usize,
    pub stride: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Map {
    pub keys: List,
    pub values: List,
}

#[repr(C)]
pub struct LogPair {
    pub key: Text,
    pub value: Text,
}

#[repr(C)]
pub struct LogLine {
    pub struct_size: usize,
    pub level: i32,
    pub reserved: i32,
    pub plugin: Text,
    pub message: Text,
    pub pairs: List,
}

#[repr(C)]
pub struct CallFunctions {
    pub struct_size: usize,
    pub allocate: unsafe extern "C" fn(*mut Call, usize) -> *mut c_void,
    pub fail: unsafe extern "C" fn(*mut Call, i32, Text),
    pub log: unsafe extern "C" fn(*mut Call, i32, Text),
    pub cancelled: unsafe extern "C" fn(*mut Call) -> i32,
    pub wait: unsafe extern "C" fn(*mut Call, i64) -> i32,
    pub wait_handle: unsafe extern "C" fn(*mut Call) -> isize,
    pub message: unsafe extern "C" fn(*mut Call) -> Text,
    pub log_wanted: unsafe extern "C" fn(*mut Call, i32) -> i32,
    pub log_line: unsafe extern "C" fn(*mut Call, *const LogLine),
}

#[repr(C)]
pub struct Call {
    pub struct_size: usize,
    pub functions: *const CallFunctions,
    pub arena_next: *mut u8,
    pub arena_end: *mut u8,
    pub deadline: i64,
}

#[repr(C)]
pub struct Reader {
    pub struct_size: usize,
    pub read: unsafe extern "C" fn(*mut Call, *mut Reader, Buffer, *mut usize) -> i32,
    pub release: unsafe extern "C" fn(*mut Reader),
}

#[repr(C)]
pub struct Writer {
    pub struct_size: usize,
    pub write: unsafe extern "C" fn(*mut Call, *mut Writer, Text) -> i32,
    pub commit: unsafe extern "C" fn(*mut Call, *mut Writer) -> i32,
    pub release: unsafe extern "C" fn(*mut Writer),
}

/// The functions for calls of other plugins are pointers, because this crate does not call them.
#[repr(C)]
pub struct Host {
    pub struct_size: usize,
    pub abi_major: i32,
    pub abi_minor: i32,
    pub log: unsafe extern "C" fn(*const Host, i32, Text),
    pub calls: [*const c_void; 5],
    pub log_wanted: unsafe extern "C" fn(*const Host, i32) -> i32,
    pub log_line: unsafe extern "C" fn(*const Host, *const LogLine),
    pub module_file: Text,
}

#[repr(C)]
pub struct CreateRequest {
    pub struct_size: usize,
    pub host: *const Host,
    pub name: Text,
}

#[repr(C)]
pub struct StateRequest {
    pub struct_size: usize,
    pub version: i32,
    pub reserved: i32,
    pub state: Text,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct StateResponse {
    pub struct_size: usize,
    pub state: Text,
}

/// A method of a kind without and with a response.
pub type Method<I> = unsafe extern "C" fn(*mut Call, *mut c_void, *const I) -> i32;
pub type Query<I, O> = unsafe extern "C" fn(*mut Call, *mut c_void, *const I, *mut *const O) -> i32;

pub type Step = unsafe extern "C" fn(*mut Call, *mut c_void) -> i32;

#[repr(C)]
pub struct Base {
    pub struct_size: usize,
    pub create: unsafe extern "C" fn(*mut Call, *const CreateRequest, *mut *mut c_void) -> i32,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub save_state: Option<Query<StateRequest, StateResponse>>,
    pub restore_state: Option<Method<StateRequest>>,
    pub suspend: Option<Step>,
    pub resume: Option<Step>,
}

#[repr(C)]
pub struct Registration {
    pub kind: Text,
    pub version: i32,
    pub reserved: i32,
    pub fingerprint: u64,
    pub name: Text,
    pub table: *const c_void,
}

#[repr(C)]
pub struct Module {
    pub magic: u64,
    pub struct_size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub manifest: *const u8,
    pub manifest_size: u64,
    pub registrations: List,
    pub start: unsafe extern "C" fn(*mut Call, *const Host) -> i32,
    pub stop: unsafe extern "C" fn(),
}

pub const MAGIC: u64 = 0x3176_6e6f_6e65_74ab;

/// The note with the manifest, which hosts read before any code of the module runs.
#[repr(C, align(4))]
pub struct Note<const N: usize> {
    pub name_size: u32,
    pub text_size: u32,
    pub kind: u32,
    pub name: [u8; 8],
    pub text: [u8; N],
}

const _: () = assert!(std::mem::size_of::<LogLine>() == 72);
const _: () = assert!(std::mem::size_of::<CallFunctions>() == 80);
const _: () = assert!(std::mem::size_of::<Call>() == 40);
const _: () = assert!(std::mem::size_of::<Reader>() == 24);
const _: () = assert!(std::mem::size_of::<Writer>() == 32);
const _: () = assert!(std::mem::size_of::<Host>() == 96);
const _: () = assert!(std::mem::size_of::<StateRequest>() == 32);
const _: () = assert!(std::mem::size_of::<Base>() == 56);
const _: () = assert!(std::mem::size_of::<Registration>() == 56);
const _: () = assert!(std::mem::size_of::<Module>() == 72);

// Both consist of constants. All threads may read them.
unsafe impl Sync for Registration {}
unsafe impl Sync for Module {}

impl Text {
    pub const ABSENT: Text = Text {
        data: ptr::null(),
        size: 0,
    };

    pub const fn of(text: &str) -> Text {
        Text::of_bytes(text.as_bytes())
    }
    pub const fn of_bytes(bytes: &[u8]) -> Text {
        Text {
            data: bytes.as_ptr(),
            size: bytes.len(),
        }
    }

    /// Returns the bytes, none if they are absent.
    ///
    /// # Safety
    /// They must be valid as long as the result is used.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() {
            return &[];
        }
        std::slice::from_raw_parts(self.data, self.size)
    }
}

impl List {
    pub const ABSENT: List = List {
        data: ptr::null(),
        count: 0,
        stride: 0,
    };

    /// Returns an element.
    ///
    /// # Safety
    /// The list must have it, and its elements must begin with a `T`.
    pub unsafe fn at<T: Copy>(&self, index: usize) -> T {
        *self.data.cast::<u8>().add(index * self.stride).cast::<T>()
    }
}

/// Returns the length of the concatenation of texts.
pub const fn total(texts: &[&str]) -> usize {
    let mut size = 0;
    let mut i = 0;
    while i < texts.len() {
        size += texts[i].len();
        i += 1;
    }
    size
}

/// Concatenates texts.
pub const fn concatenated<const N: usize>(texts: &[&str]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut size = 0;
    let mut i = 0;
    while i < texts.len() {
        let mut k = 0;
        while k < texts[i].len() {
            bytes[size] = texts[i].as_bytes()[k];
            size += 1;
            k += 1;
        }
        i += 1;
    }
    bytes
}

/// Returns whether a list contains a text.
pub const fn contains(texts: &[&str], wanted: &str) -> bool {
    let mut i = 0;
    while i < texts.len() {
        if equal(texts[i].as_bytes(), wanted.as_bytes()) {
            return true;
        }
        i += 1;
    }
    false
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{concatenated, contains, total};

    const TEXTS: &[&str] = &["{", "", "\"a\"", "}\0"];

    #[test]
    fn texts_are_concatenated() {
        const ALL: [u8; total(TEXTS)] = concatenated(TEXTS);
        assert_eq!(&ALL, b"{\"a\"}\0");
    }

    #[test]
    fn only_whole_texts_are_contained() {
        assert!(contains(TEXTS, "{") && contains(TEXTS, ""));
        assert!(!contains(TEXTS, "\"a") && !contains(&[], "a") && !contains(TEXTS, "x"));
    }
}
