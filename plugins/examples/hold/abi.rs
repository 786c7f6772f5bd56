// SPDX-License-Identifier: BSL-1.0
//
// abi.rs: the structs of the C ABI of tenon that the plugin needs. See the headers tenon/abi.h and
// tenon/delete_item_action/v1.h.
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;

pub type Status = i32;
pub const OK: Status = 0;
pub const INVALID_ARGUMENT: Status = 3;
pub const FAILED_PRECONDITION: Status = 9;
pub const INTERNAL: Status = 13;

/// UTF-8 text; absent if `data` is null.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub data: *const u8,
    pub size: usize,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct List {
    pub data: *const c_void,
    pub count: usize,
    pub stride: usize,
}
#[repr(C)]
pub struct Map {
    pub keys: List,
    pub values: List,
}

// The first functions of tenon_call_functions. This plugin calls no others.
#[repr(C)]
pub struct CallFunctions {
    pub struct_size: usize,
    pub allocate: unsafe extern "C" fn(*mut Call, usize) -> *mut c_void,
    pub fail: unsafe extern "C" fn(*mut Call, Status, Text),
}
#[repr(C)]
pub struct Call {
    pub struct_size: usize,
    pub functions: *const CallFunctions,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Selector {
    pub included_namespaces: List,
    pub excluded_namespaces: List,
    pub included_resources: List,
    pub excluded_resources: List,
    pub label_selector: Text,
    pub bag: Text,
}
#[repr(C)]
pub struct ConfigureRequest {
    pub struct_size: usize,
    pub config: Map,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AppliesToResponse {
    pub struct_size: usize,
    pub selector: Selector,
}
// The fields that this plugin reads.
#[repr(C)]
pub struct ExecuteRequest {
    pub struct_size: usize,
    pub item: Text,
    pub backup_name: Text,
}

#[repr(C)]
pub struct Base {
    pub struct_size: usize,
    pub create: unsafe extern "C" fn(*mut Call, *const c_void, *mut *mut c_void) -> Status,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub state: [*const c_void; 4], // this plugin has none
}
#[repr(C)]
pub struct Table {
    pub struct_size: usize,
    pub version: i32,
    pub reserved: i32,
    pub base: *const Base,
    pub configure: unsafe extern "C" fn(*mut Call, *mut c_void, *const ConfigureRequest) -> Status,
    pub applies_to: unsafe extern "C" fn(
        *mut Call,
        *mut c_void,
        *const c_void,
        *mut *const AppliesToResponse,
    ) -> Status,
    pub execute: unsafe extern "C" fn(*mut Call, *mut c_void, *const ExecuteRequest) -> Status,
}

#[repr(C)]
pub struct Registration {
    pub kind: Text,
    pub version: i32,
    pub reserved: i32,
    pub fingerprint: u64,
    pub name: Text,
    pub table: *const Table,
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
    pub start: unsafe extern "C" fn(*mut Call, *const c_void) -> Status,
    pub stop: unsafe extern "C" fn(),
}

const _: () = assert!(std::mem::size_of::<ConfigureRequest>() == 56);
const _: () = assert!(std::mem::size_of::<AppliesToResponse>() == 136);
const _: () = assert!(std::mem::size_of::<Base>() == 56);
const _: () = assert!(std::mem::size_of::<Table>() == 48);
const _: () = assert!(std::mem::size_of::<Registration>() == 56);
const _: () = assert!(std::mem::size_of::<Module>() == 72);

// All threads may share structs that point only to constants.
unsafe impl Sync for Registration {}
unsafe impl Sync for Module {}
unsafe impl Sync for Base {}
unsafe impl Sync for Table {}

impl Text {
    pub const fn of(text: &'static str) -> Text {
        Text {
            data: text.as_ptr(),
            size: text.len(),
        }
    }
    pub const ABSENT: Text = Text {
        data: ptr::null(),
        size: 0,
    };

    /// Returns the bytes of the text, which must be valid as long as the result is used.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() {
            return &[];
        }
        std::slice::from_raw_parts(self.data, self.size)
    }
}

impl Map {
    /// Returns the value of a key. The values of the map must be texts.
    pub unsafe fn get<'a>(&'a self, key: &str) -> Option<&'a [u8]> {
        (0..self.keys.count)
            .find(|&i| self.keys.text_at(i) == key.as_bytes())
            .map(|i| self.values.text_at(i))
    }
}

impl List {
    /// Present, but without elements.
    pub const EMPTY: List = List {
        data: "".as_ptr().cast(),
        count: 0,
        stride: std::mem::size_of::<Text>(),
    };

    unsafe fn text_at<'a>(&'a self, i: usize) -> &'a [u8] {
        let element = self.data.cast::<u8>().add(i * self.stride).cast::<Text>();
        (*element).bytes()
    }
}

/// The call of a method.
#[derive(Clone, Copy)]
pub struct CallRef<'a>(*mut Call, PhantomData<&'a Call>);

impl<'a> CallRef<'a> {
    /// The call must be valid as long as the result is used.
    pub unsafe fn new(call: *mut Call) -> Self {
        CallRef(call, PhantomData)
    }
    pub fn fail(self, status: Status, message: &str) -> Status {
        let text = Text {
            data: message.as_ptr(),
            size: message.len(),
        };
        unsafe { ((*(*self.0).functions).fail)(self.0, status, text) };
        status
    }
    /// Copies a value into the arena of the call. All results must be allocated there.
    pub fn allocate<T: Copy>(self, value: T) -> &'a T {
        unsafe {
            let size = std::mem::size_of::<T>();
            let memory = ((*(*self.0).functions).allocate)(self.0, size).cast::<T>();
            memory.write(value);
            &*memory
        }
    }
    /// Copies a text into the arena of the call.
    pub fn copy(self, text: &str) -> Text {
        unsafe {
            let memory = ((*(*self.0).functions).allocate)(self.0, text.len()).cast::<u8>();
            ptr::copy_nonoverlapping(text.as_ptr(), memory, text.len());
            Text {
                data: memory,
                size: text.len(),
            }
        }
    }
}
