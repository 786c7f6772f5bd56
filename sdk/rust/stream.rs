// SPDX-License-Identifier: BSL-1.0
//
// Readers and writers. A method returns an object with the trait ReadStream or WriteStream, and
// gets streams of others as a Reader or Writer. A stream outlives the call that created it, but
// never the instance.
use crate::abi;
use crate::call::Call;
use crate::error::{Code, Error, Result};
use crate::plugin::{guarded, quietly};
use std::mem::size_of;
use std::sync::{Arc, Mutex};

/// A stream that the plugin implements. Used by one thread at a time. It is dropped when its holder
/// releases it, or when the host revokes it.
pub trait ReadStream: Send + 'static {
    /// Reads to the start of `into`, and returns the number of bytes; 0 only at the end.
    fn read(&mut self, call: &Call<'_>, into: &mut [u8]) -> Result<usize>;
}

/// As a ReadStream. Dropping it discards data that was not committed.
pub trait WriteStream: Send + 'static {
    /// Writes all bytes.
    fn write(&mut self, call: &Call<'_>, from: &[u8]) -> Result<()>;
    /// Makes the written data complete and durable.
    fn commit(&mut self, call: &Call<'_>) -> Result<()>;
}

/// A pointer to a stream, which any thread may use.
struct Pointer<R>(*mut R);
unsafe impl<R> Send for Pointer<R> {}

#[derive(PartialEq, Eq)]
enum Owner {
    Caller, // until the method has succeeded
    Plugin,
    Dropped, // by the plugin, while the method ran
}

struct State<R> {
    stream: Option<Pointer<R>>, // none once it belongs to the caller again
    owner: Owner,
}

/// The stream of a request while the method runs. Its caller keeps it if the method fails.
#[doc(hidden)]
pub struct Borrowed<R: RawStream>(Option<Arc<Mutex<State<R>>>>);

#[doc(hidden)]
pub trait RawStream: Sized {
    /// # Safety
    /// The stream must be owned, and is not used afterwards.
    unsafe fn release(stream: *mut Self);
}
impl RawStream for abi::Reader {
    unsafe fn release(stream: *mut Self) {
        ((*stream).release)(stream)
    }
}
impl RawStream for abi::Writer {
    unsafe fn release(stream: *mut Self) {
        ((*stream).release)(stream)
    }
}

fn locked<R>(state: &Mutex<State<R>>) -> std::sync::MutexGuard<'_, State<R>> {
    state
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl<R: RawStream> Borrowed<R> {
    /// # Safety
    /// The stream must be valid while the method runs; if it succeeds, until it is released.
    pub unsafe fn new(stream: *mut R) -> Self {
        let state = State {
            stream: Some(Pointer(stream)),
            owner: Owner::Caller,
        };
        Borrowed((!stream.is_null()).then(|| Arc::new(Mutex::new(state))))
    }

    fn object(&self) -> Option<Foreign<R>> {
        self.0.clone().map(Foreign)
    }

    /// Takes ownership, after the method has succeeded.
    pub fn own(self) {
        let state = match &self.0 {
            None => return,
            Some(state) => state,
        };
        let mut state = locked(state);
        if state.owner == Owner::Dropped {
            if let Some(stream) = state.stream.take() {
                unsafe { R::release(stream.0) };
            }
        }
        state.owner = Owner::Plugin;
    }
}

impl Borrowed<abi::Reader> {
    pub fn optional(&self) -> Option<Reader> {
        self.object().map(|stream| Reader(Source::Foreign(stream)))
    }
    pub fn reader(&self) -> Result<Reader> {
        self.optional().ok_or_else(missing)
    }
}
impl Borrowed<abi::Writer> {
    pub fn optional(&self) -> Option<Writer> {
        self.object().map(|stream| Writer(Sink::Foreign(stream)))
    }
    pub fn writer(&self) -> Result<Writer> {
        self.optional().ok_or_else(missing)
    }
}

fn missing() -> Error {
    Error::new(Code::InvalidArgument, "a stream is absent")
}

/// Returns the stream to its caller if the method did not take ownership.
impl<R: RawStream> Drop for Borrowed<R> {
    fn drop(&mut self) {
        if let Some(state) = &self.0 {
            let mut state = locked(state);
            if state.owner != Owner::Plugin {
                state.stream = None;
            }
        }
    }
}

/// The plugin's object for a stream of others.
struct Foreign<R: RawStream>(Arc<Mutex<State<R>>>);

impl<R: RawStream> Foreign<R> {
    fn with<T>(&self, call: &Call<'_>, run: impl FnOnce(*mut R) -> (i32, T)) -> Result<T> {
        // A method that fails waits here until a function that is running has ended.
        let state = locked(&self.0);
        let stream = state.stream.as_ref().ok_or_else(|| {
            Error::new(
                Code::FailedPrecondition,
                "the stream belongs to its caller again, because the method that got it has failed",
            )
        })?;
        let (status, value) = run(stream.0);
        call.result(status).map(|()| value)
    }

    /// Gives up the stream if it is owned.
    fn take(&self) -> *mut R {
        let mut state = locked(&self.0);
        state.stream.take().map_or(std::ptr::null_mut(), |p| p.0)
    }
}

impl<R: RawStream> Drop for Foreign<R> {
    fn drop(&mut self) {
        let stream = {
            let mut state = locked(&self.0);
            if state.owner == Owner::Caller {
                state.owner = Owner::Dropped;
                return;
            }
            state.stream.take()
        };
        if let Some(stream) = stream {
            unsafe { R::release(stream.0) };
        }
    }
}

enum Source {
    Foreign(Foreign<abi::Reader>),
    Own(Box<dyn ReadStream>),
}

/// A stream to read from.
pub struct Reader(Source);

impl Reader {
    /// Makes the result of a method of a stream of this plugin.
    pub fn new(stream: impl ReadStream) -> Reader {
        Reader(Source::Own(Box::new(stream)))
    }

    /// Reads to the start of `into`, and returns the number of bytes; 0 only at the end. May block
    /// until the call is cancelled.
    pub fn read(&mut self, call: &Call<'_>, into: &mut [u8]) -> Result<usize> {
        let stream = match &mut self.0 {
            Source::Own(stream) => return stream.read(call, into),
            Source::Foreign(stream) => stream,
        };
        let size = into.len();
        let buffer = abi::Buffer {
            data: into.as_mut_ptr(),
            size,
        };
        let mut got = 0;
        let run = |raw: *mut abi::Reader| {
            let status = unsafe { ((*raw).read)(call.raw(), raw, buffer, &mut got) };
            (status, ())
        };
        stream.with(call, run)?;
        Ok(got.min(size))
    }

    /// Reads all bytes until the end.
    pub fn read_to_end(&mut self, call: &Call<'_>) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        let mut block = vec![0; 64 * 1024];
        loop {
            match self.read(call, &mut block)? {
                0 => return Ok(all),
                got => all.extend_from_slice(&block[..got]),
            }
        }
    }

    /// Returns the form that crosses the ABI, which the caller of a method owns.
    #[doc(hidden)]
    pub fn into_raw(self) -> *mut abi::Reader {
        let stream = match self.0 {
            Source::Own(stream) => stream,
            Source::Foreign(stream) => return stream.take(),
        };
        let head = abi::Reader {
            struct_size: size_of::<abi::Reader>(),
            read: read_own,
            release: release_own_reader,
        };
        Box::into_raw(Box::new(OwnReader { head, stream })).cast()
    }
}

#[repr(C)]
struct OwnReader {
    head: abi::Reader,
    stream: Box<dyn ReadStream>,
}

unsafe extern "C" fn read_own(
    call: *mut abi::Call,
    this: *mut abi::Reader,
    into: abi::Buffer,
    got: *mut usize,
) -> i32 {
    guarded(call, |call| {
        let stream = &mut (*this.cast::<OwnReader>()).stream;
        *got = stream.read(call, crate::value::buffer(into))?;
        Ok(())
    })
}

unsafe extern "C" fn release_own_reader(this: *mut abi::Reader) {
    quietly(|| drop(Box::from_raw(this.cast::<OwnReader>())));
}

enum Sink {
    Foreign(Foreign<abi::Writer>),
    Own(Box<dyn WriteStream>),
}

/// A stream to write to. Dropping it without a commit discards the data.
pub struct Writer(Sink);

impl Writer {
    /// Makes the result of a method of a stream of this plugin.
    pub fn new(stream: impl WriteStream) -> Writer {
        Writer(Sink::Own(Box::new(stream)))
    }

    /// Writes all bytes.
    pub fn write(&mut self, call: &Call<'_>, from: &[u8]) -> Result<()> {
        match &mut self.0 {
            Sink::Own(stream) => stream.write(call, from),
            Sink::Foreign(stream) => stream.with(call, |raw| {
                let bytes = abi::Text::of_bytes(from);
                (unsafe { ((*raw).write)(call.raw(), raw, bytes) }, ())
            }),
        }
    }

    /// Makes the written data complete and durable.
    pub fn commit(&mut self, call: &Call<'_>) -> Result<()> {
        match &mut self.0 {
            Sink::Own(stream) => stream.commit(call),
            Sink::Foreign(stream) => stream.with(call, |raw| {
                (unsafe { ((*raw).commit)(call.raw(), raw) }, ())
            }),
        }
    }

    #[doc(hidden)]
    pub fn into_raw(self) -> *mut abi::Writer {
        let stream = match self.0 {
            Sink::Own(stream) => stream,
            Sink::Foreign(stream) => return stream.take(),
        };
        let head = abi::Writer {
            struct_size: size_of::<abi::Writer>(),
            write: write_own,
            commit: commit_own,
            release: release_own_writer,
        };
        Box::into_raw(Box::new(OwnWriter { head, stream })).cast()
    }
}

#[repr(C)]
struct OwnWriter {
    head: abi::Writer,
    stream: Box<dyn WriteStream>,
}

unsafe extern "C" fn write_own(
    call: *mut abi::Call,
    this: *mut abi::Writer,
    from: abi::Text,
) -> i32 {
    guarded(call, |call| {
        (*this.cast::<OwnWriter>()).stream.write(call, from.bytes())
    })
}

unsafe extern "C" fn commit_own(call: *mut abi::Call, this: *mut abi::Writer) -> i32 {
    guarded(call, |call| (*this.cast::<OwnWriter>()).stream.commit(call))
}

unsafe extern "C" fn release_own_writer(this: *mut abi::Writer) {
    quietly(|| drop(Box::from_raw(this.cast::<OwnWriter>())));
}

/// Returns the form of an optional stream that crosses the ABI.
#[doc(hidden)]
pub fn optional_reader(reader: Option<Reader>) -> *mut abi::Reader {
    reader.map_or(std::ptr::null_mut(), Reader::into_raw)
}
#[doc(hidden)]
pub fn optional_writer(writer: Option<Writer>) -> *mut abi::Writer {
    writer.map_or(std::ptr::null_mut(), Writer::into_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_call::{Counted, Drops, TestCall};

    /// Content that is read three bytes at a time. Reading "panic" panics.
    struct Content {
        bytes: Vec<u8>,
        _drops: Counted,
    }

    impl ReadStream for Content {
        fn read(&mut self, _call: &Call<'_>, into: &mut [u8]) -> Result<usize> {
            assert!(self.bytes != b"panic", "in read");
            let size = into.len().min(self.bytes.len()).min(3);
            into[..size].copy_from_slice(&self.bytes[..size]);
            self.bytes.drain(..size);
            Ok(size)
        }
    }

    /// Appends to a text, and adds a full stop for a commit.
    struct Text {
        text: Arc<Mutex<String>>,
        _drops: Counted,
    }

    impl WriteStream for Text {
        fn write(&mut self, _call: &Call<'_>, from: &[u8]) -> Result<()> {
            let text = std::str::from_utf8(from)
                .map_err(|_| Error::new(Code::DataLoss, "not a text").retryable())?;
            self.text.lock().unwrap().push_str(text);
            Ok(())
        }
        fn commit(&mut self, _call: &Call<'_>) -> Result<()> {
            self.text.lock().unwrap().push('.');
            Ok(())
        }
    }

    /// Returns a stream of another plugin, which it counts when it is released.
    fn foreign(content: &[u8], drops: &Drops) -> *mut abi::Reader {
        let content = Content {
            bytes: content.to_vec(),
            _drops: drops.counted(),
        };
        Reader::new(content).into_raw()
    }

    #[test]
    fn own_streams_are_read_through_the_abi() {
        let (test, drops) = (TestCall::new(), Drops::default());
        let raw = foreign(b"abcde", &drops);
        let borrowed = unsafe { Borrowed::new(raw) };
        let mut reader = borrowed.reader().unwrap();
        // While the method runs, its caller owns the stream.
        assert_eq!(reader.read_to_end(&test.call()), Ok(b"abcde".to_vec()));
        drop(reader);
        assert_eq!(drops.count(), 0);
        unsafe { ((*raw).release)(raw) };
        assert_eq!(drops.count(), 1);
    }

    #[test]
    fn panics_of_own_streams_fail_the_call() {
        let (test, drops) = (TestCall::new(), Drops::default());
        let raw = foreign(b"panic", &drops);
        let mut got = 99;
        let into = abi::Buffer {
            data: std::ptr::null_mut(),
            size: 0,
        };
        assert_eq!(
            unsafe { ((*raw).read)(test.raw(), raw, into, &mut got) },
            13
        );
        let message = String::from("the plugin panicked: in read");
        assert_eq!(test.failure(), Some((13, message)));
        unsafe { ((*raw).release)(raw) };
        assert_eq!(drops.count(), 1);
    }

    #[test]
    fn kept_streams_are_released_once() {
        let (test, drops) = (TestCall::new(), Drops::default());
        let borrowed = unsafe { Borrowed::new(foreign(b"abcd", &drops)) };
        let mut reader = borrowed.reader().unwrap();
        borrowed.own(); // the method has succeeded
        let mut into = [0; 8];
        assert_eq!(reader.read(&test.call(), &mut into), Ok(3));
        assert_eq!(drops.count(), 0);
        drop(reader);
        assert_eq!(drops.count(), 1);
    }

    #[test]
    fn streams_that_the_method_dropped_are_released_if_it_succeeds() {
        let drops = Drops::default();
        let borrowed = unsafe { Borrowed::new(foreign(b"", &drops)) };
        drop(borrowed.reader());
        assert_eq!(drops.count(), 0);
        borrowed.own();
        assert_eq!(drops.count(), 1);
    }

    #[test]
    fn streams_of_a_failed_method_belong_to_its_caller() {
        let (test, drops) = (TestCall::new(), Drops::default());
        let raw = foreign(b"abcd", &drops);
        let borrowed = unsafe { Borrowed::new(raw) };
        let mut reader = borrowed.reader().unwrap();
        drop(borrowed); // without `own`: the method has failed
        let error = reader.read(&test.call(), &mut [0; 8]).unwrap_err();
        assert!(error.is(Code::FailedPrecondition));
        drop(reader);
        assert_eq!(drops.count(), 0);
        unsafe { ((*raw).release)(raw) };
    }

    #[test]
    fn streams_are_passed_on_without_a_wrapper() {
        let drops = Drops::default();
        let raw = foreign(b"", &drops);
        let borrowed = unsafe { Borrowed::new(raw) };
        let reader = borrowed.reader().unwrap();
        borrowed.own();
        assert_eq!(reader.into_raw(), raw);
        assert_eq!(drops.count(), 0);
        unsafe { ((*raw).release)(raw) };
    }

    #[test]
    fn absent_streams_are_errors_unless_optional() {
        let absent = unsafe { Borrowed::<abi::Writer>::new(std::ptr::null_mut()) };
        assert!(absent.optional().is_none());
        assert!(absent.writer().err().unwrap().is(Code::InvalidArgument));
        absent.own();
        assert!(optional_reader(None).is_null() && optional_writer(None).is_null());
    }

    /// Claims to have read more than there is room for.
    unsafe extern "C" fn read_too_much(
        _: *mut abi::Call,
        _: *mut abi::Reader,
        _: abi::Buffer,
        got: *mut usize,
    ) -> i32 {
        *got = 1000;
        0
    }

    unsafe extern "C" fn keep(_: *mut abi::Reader) {}

    #[test]
    fn counts_of_others_are_limited_to_the_buffer() {
        let test = TestCall::new();
        let mut liar = abi::Reader {
            struct_size: size_of::<abi::Reader>(),
            read: read_too_much,
            release: keep,
        };
        let borrowed = unsafe { Borrowed::new(&mut liar) };
        let mut reader = borrowed.reader().unwrap();
        assert_eq!(reader.read(&test.call(), &mut [0; 8]), Ok(8));
    }

    #[test]
    fn writers_write_and_commit() {
        let (test, drops) = (TestCall::new(), Drops::default());
        let text = Arc::new(Mutex::new(String::new()));
        let stream = Text {
            text: text.clone(),
            _drops: drops.counted(),
        };
        let borrowed = unsafe { Borrowed::new(Writer::new(stream).into_raw()) };
        let mut writer = borrowed.writer().unwrap();
        borrowed.own();
        let call = test.call();
        assert_eq!(writer.write(&call, b"a line"), Ok(()));
        let error = writer.write(&call, b"\xff").unwrap_err();
        assert_eq!(
            (error.status(), error.message()),
            (15 | 0x100, "not a text")
        );
        assert_eq!(writer.commit(&call), Ok(()));
        assert_eq!(*text.lock().unwrap(), "a line.");
        drop(writer);
        assert_eq!(drops.count(), 1);
    }
}
