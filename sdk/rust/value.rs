// SPDX-License-Identifier: BSL-1.0
//
// Converts values between Rust and the structs of the ABI. For generated code.
use crate::abi::{Buffer, List, Map, Text};
use crate::call::Call;
use crate::error::{Code, Error, Result};
use std::collections::BTreeMap;
use std::mem::size_of;

/// A type that crosses the ABI as `Raw`.
///
/// # Safety
/// `write` must return a value that `read` accepts.
pub unsafe trait Value: Sized {
    type Raw: Copy;

    /// # Safety
    /// The pointers in `raw` must be valid.
    unsafe fn read(raw: &Self::Raw) -> Result<Self>;

    /// Copies the value into the arena of the call.
    fn write(&self, call: &Call<'_>) -> Self::Raw;
}

/// A value whose raw form can be absent.
///
/// # Safety
/// As for `Value`.
pub unsafe trait Nullable: Value {
    const ABSENT: Self::Raw;
    fn is_absent(raw: &Self::Raw) -> bool;
}

/// A value that lists contain: any except `u8`, because a list of it is bytes.
pub trait Element: Value {}

macro_rules! plain_values {
    ($($type:ty)*) => { $(
        unsafe impl Value for $type {
            type Raw = $type;
            unsafe fn read(raw: &$type) -> Result<$type> {
                Ok(*raw)
            }
            fn write(&self, _: &Call<'_>) -> $type {
                *self
            }
        }
    )* };
}
plain_values!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

macro_rules! elements {
    ($($type:ty)*) => { $( impl Element for $type {} )* };
}
elements!(bool i8 i16 i32 i64 u16 u32 u64 f32 f64 String Vec<u8>);

unsafe impl Value for bool {
    type Raw = u8;
    unsafe fn read(raw: &u8) -> Result<bool> {
        Ok(*raw != 0)
    }
    fn write(&self, _: &Call<'_>) -> u8 {
        u8::from(*self)
    }
}

/// Returns a text that was passed to the plugin. `name` is for the error.
///
/// # Safety
/// The text must be valid as long as the result is used.
pub unsafe fn text<'a>(raw: Text, name: &str) -> Result<&'a str> {
    std::str::from_utf8(raw.bytes())
        .map_err(|_| Error::new(Code::InvalidArgument, format!("{name} is not UTF-8")))
}

/// Returns a buffer that was passed to the plugin.
///
/// # Safety
/// The buffer must be valid as long as the result is used, and nothing else may use it.
pub unsafe fn buffer<'a>(raw: Buffer) -> &'a mut [u8] {
    if raw.data.is_null() {
        return &mut [];
    }
    std::slice::from_raw_parts_mut(raw.data, raw.size)
}

unsafe impl Value for String {
    type Raw = Text;
    unsafe fn read(raw: &Text) -> Result<String> {
        text(*raw, "a text").map(String::from)
    }
    fn write(&self, call: &Call<'_>) -> Text {
        call.copy(self.as_bytes())
    }
}
unsafe impl Value for Vec<u8> {
    type Raw = Text;
    unsafe fn read(raw: &Text) -> Result<Vec<u8>> {
        Ok(raw.bytes().to_vec())
    }
    fn write(&self, call: &Call<'_>) -> Text {
        call.copy(self)
    }
}
macro_rules! nullable_texts {
    ($($type:ty)*) => { $(
        unsafe impl Nullable for $type {
            const ABSENT: Text = Text::ABSENT;
            fn is_absent(raw: &Text) -> bool {
                raw.data.is_null()
            }
        }
    )* };
}
nullable_texts!(String Vec<u8>);

fn write_list<'a, T: Value + 'a>(
    count: usize,
    values: impl Iterator<Item = &'a T>,
    call: &Call<'_>,
) -> List {
    let stride = size_of::<T::Raw>();
    let data = call.allocate(count * stride).cast::<T::Raw>();
    for (i, value) in values.enumerate() {
        unsafe { data.add(i).write(value.write(call)) };
    }
    List {
        data: data.cast(),
        count,
        stride,
    }
}

unsafe impl<T: Element> Value for Vec<T> {
    type Raw = List;
    unsafe fn read(raw: &List) -> Result<Vec<T>> {
        (0..raw.count).map(|i| T::read(&raw.at(i))).collect()
    }
    fn write(&self, call: &Call<'_>) -> List {
        write_list(self.len(), self.iter(), call)
    }
}
impl<T: Element> Element for Vec<T> {}
unsafe impl<T: Element> Nullable for Vec<T> {
    const ABSENT: List = List::ABSENT;
    fn is_absent(raw: &List) -> bool {
        raw.data.is_null()
    }
}

unsafe impl<T: Value> Value for BTreeMap<String, T> {
    type Raw = Map;
    unsafe fn read(raw: &Map) -> Result<Self> {
        (0..raw.keys.count)
            .map(|i| Ok((String::read(&raw.keys.at(i))?, T::read(&raw.values.at(i))?)))
            .collect()
    }
    fn write(&self, call: &Call<'_>) -> Map {
        Map {
            keys: write_list(self.len(), self.keys(), call),
            values: write_list(self.len(), self.values(), call),
        }
    }
}
impl<T: Value> Element for BTreeMap<String, T> {}
unsafe impl<T: Value> Nullable for BTreeMap<String, T> {
    const ABSENT: Map = Map {
        keys: List::ABSENT,
        values: List::ABSENT,
    };
    fn is_absent(raw: &Map) -> bool {
        raw.keys.data.is_null()
    }
}

/// Reads an optional value whose raw form can be absent.
///
/// # Safety
/// As for `Value::read`.
pub unsafe fn read_nullable<T: Nullable>(raw: &T::Raw) -> Result<Option<T>> {
    if T::is_absent(raw) {
        return Ok(None);
    }
    T::read(raw).map(Some)
}
pub fn write_nullable<T: Nullable>(value: &Option<T>, call: &Call<'_>) -> T::Raw {
    value.as_ref().map_or(T::ABSENT, |value| value.write(call))
}

/// Reads an optional value behind a pointer.
///
/// # Safety
/// As for `Value::read`.
pub unsafe fn read_optional<T: Value>(raw: *const T::Raw) -> Result<Option<T>> {
    raw.as_ref().map(|raw| T::read(raw)).transpose()
}
pub fn write_optional<T: Value>(value: &Option<T>, call: &Call<'_>) -> *const T::Raw {
    value
        .as_ref()
        .map_or(std::ptr::null(), |value| call.keep(value.write(call)))
}

/// Returns the error for a number that is no value of an enum.
pub fn unknown_value(name: &str, number: i32) -> Error {
    Error::new(
        Code::InvalidArgument,
        format!("{number} is no value of {name}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_call::TestCall;
    use std::fmt::Debug;

    /// Expects that a value is the same after it has crossed the ABI.
    fn crosses<T: Value + PartialEq + Debug>(value: T) {
        let test = TestCall::new();
        let raw = value.write(&test.call());
        assert_eq!(unsafe { T::read(&raw) }, Ok(value));
    }

    fn crosses_optional<T: Nullable + PartialEq + Debug>(value: Option<T>) {
        let test = TestCall::new();
        let raw = write_nullable(&value, &test.call());
        assert_eq!(unsafe { read_nullable::<T>(&raw) }, Ok(value));
    }

    fn texts(of: &[&str]) -> Vec<String> {
        of.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn values_cross() {
        crosses(i64::MIN);
        crosses(f32::MAX);
        crosses(true);
        crosses(String::from("\u{1f980}\0 and more"));
        crosses(vec![0u8, 255]);
        crosses(vec![1i16, -2, i16::MAX]);
        crosses(vec![texts(&["a", ""]), Vec::new()]);
        crosses(BTreeMap::from([
            (String::from("one"), vec![vec![1u8]]),
            (String::new(), Vec::new()),
        ]));
        // More than the arena has room for.
        crosses((0..1000).map(|i| i.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn empty_is_not_absent() {
        crosses_optional(Some(String::new()));
        crosses_optional::<String>(None);
        crosses_optional(Some(Vec::<u8>::new()));
        crosses_optional(Some(Vec::<i32>::new()));
        crosses_optional::<Vec<i32>>(None);
        crosses_optional(Some(BTreeMap::<String, i32>::new()));
        crosses_optional::<BTreeMap<String, i32>>(None);
    }

    #[test]
    fn optional_numbers_cross_as_pointers() {
        let test = TestCall::new();
        let raw = write_optional(&Some(7), &test.call());
        assert_eq!(unsafe { read_optional::<i32>(raw) }, Ok(Some(7)));
        let raw = write_optional::<i32>(&None, &test.call());
        assert!(raw.is_null());
        assert_eq!(unsafe { read_optional::<i32>(raw) }, Ok(None));
    }

    #[test]
    fn elements_may_be_larger_than_known() {
        let newer = [(1i32, "more"), (2, "")];
        let list = List {
            data: newer.as_ptr().cast::<std::ffi::c_void>(),
            count: newer.len(),
            stride: size_of::<(i32, &str)>(),
        };
        // Which member of a tuple is first is not specified.
        let offset = std::ptr::addr_of!(newer[0].0) as usize - newer.as_ptr() as usize;
        let list = List {
            data: unsafe { list.data.cast::<u8>().add(offset).cast() },
            ..list
        };
        assert_eq!(unsafe { Vec::<i32>::read(&list) }, Ok(vec![1, 2]));
    }

    #[test]
    fn texts_are_utf_8() {
        let wrong = Text::of_bytes(b"\xff");
        let error = unsafe { text(wrong, "key") }.unwrap_err();
        assert!(error.is(Code::InvalidArgument));
        assert_eq!(error.message(), "key is not UTF-8");
        let keys = [wrong];
        let list = List {
            data: keys.as_ptr().cast(),
            count: 1,
            stride: size_of::<Text>(),
        };
        assert!(unsafe { Vec::<String>::read(&list) }.is_err());
        assert_eq!(unsafe { Vec::<u8>::read(&wrong) }, Ok(vec![255]));
    }

    #[test]
    fn absent_values_are_empty() {
        assert_eq!(unsafe { text(Text::ABSENT, "key") }, Ok(""));
        assert_eq!(unsafe { Vec::<i32>::read(&List::ABSENT) }, Ok(Vec::new()));
        let absent = Buffer {
            data: std::ptr::null_mut(),
            size: 0,
        };
        assert!(unsafe { buffer(absent) }.is_empty());
    }
}
