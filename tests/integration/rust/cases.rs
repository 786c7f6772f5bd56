// SPDX-License-Identifier: BSL-1.0
//
// Plugins in Rust for the tests: counters that panic where the configuration says so, a vault of
// streams, and one that returns values of all types. The module counts the bytes that it has
// allocated.
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard};
use tenon::{
    Call, Cancelled, Code, Config, Error, Level, Plugin, ReadStream, Reader, Result, WriteStream,
    Writer,
};
use test_kinds::tenon::RecordV2;
use test_kinds::test::*;

static LIVE: AtomicI64 = AtomicI64::new(0);

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as i64, Ordering::Relaxed);
        System.alloc(layout)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        System.dealloc(memory, layout)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// -- Counters -----------------------------------------------------------------

#[derive(Default)]
struct Count {
    total: i64,
    adds: i64,
    life: String,
    panics: Vec<String>, // the functions that panic
}

struct Counter(Mutex<Count>);

impl Counter {
    /// Begins a function: notes it if it is a part of the life, and panics if it has to.
    fn begin(&self, function: &str, life: &str) -> MutexGuard<'_, Count> {
        let mut count = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if count.panics.iter().any(|name| name == function) {
            drop(count);
            panic!("in {function}");
        }
        if !life.is_empty() {
            let separator = if count.life.is_empty() { "" } else { " " };
            count.life = format!("{}{}{}", count.life, separator, life);
        }
        count
    }

    fn configure(&self, config: &Config) -> Result<()> {
        let panics = config.get("panics").unwrap_or("");
        self.begin("", "").panics = panics.split(' ').map(String::from).collect();
        let mut count = self.begin("configure", "configure");
        count.total = config.parse("first", 0)?;
        Ok(())
    }

    fn add(&self, number: i64) -> Result<i64> {
        let mut count = self.begin("add", "");
        count.total += number;
        count.adds += 1;
        Ok(count.total)
    }

    fn block(&self, call: &Call<'_>) -> Result<i32> {
        drop(self.begin("block", ""));
        Ok(match call.wait(-1) {
            None => 0,
            Some(Cancelled::ByCaller) => 1,
            Some(Cancelled::ByDeadline) => 2,
            Some(Cancelled::ByRestart) => 3,
        })
    }

    /// "live": the number of allocated bytes. "log": writes lines to the log.
    fn say(&self, call: &Call<'_>, text: &str) -> Result<String> {
        drop(self.begin("call_back", ""));
        if text == "log" {
            call.log(Level::Info, "a line");
            call.log_pairs(Level::Warn, "a line with pairs", &[("rows", "12")]);
            tenon::log(Level::Info, "a line of the module");
            return Ok(String::from(if call.log_wanted(Level::Error) {
                "yes"
            } else {
                "no"
            }));
        }
        Ok(LIVE.load(Ordering::Relaxed).to_string())
    }

    fn refuse(&self, status: i32, message: &str) -> Result<()> {
        drop(self.begin("refuse", ""));
        Err(Error::from_status(status, message))
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        drop(self.begin("destroy", ""));
    }
}

tenon::implement! {
    impl Plugin for Counter {
        fn create(_call: &Call<'_>, name: &str) -> Result<Self> {
            assert!(!name.contains("panics"), "in create");
            let life = String::from("create");
            Ok(Counter(Mutex::new(Count { life, ..Count::default() })))
        }
        fn save_state(&self, _call: &Call<'_>, version: i32) -> Result<Vec<u8>> {
            let count = self.begin("save_state", "");
            Ok(format!("{} {} {}", version, count.total, count.adds).into_bytes())
        }
        fn restore_state(&self, _call: &Call<'_>, version: i32, state: &[u8]) -> Result<()> {
            let mut count = self.begin("restore_state", &format!("restore:{version}"));
            let text = std::str::from_utf8(state).unwrap();
            let numbers: Vec<i64> = text.split(' ').map(|part| part.parse().unwrap()).collect();
            count.total = numbers[1];
            count.adds = numbers[2];
            Ok(())
        }
        fn suspend(&self, _call: &Call<'_>) -> Result<()> {
            drop(self.begin("suspend", "suspend"));
            Ok(())
        }
        fn resume(&self, _call: &Call<'_>) -> Result<()> {
            drop(self.begin("resume", "resume"));
            Ok(())
        }
    }
}

tenon::implement! {
    impl CounterV1 for Counter {
        fn configure(&self, _call: &Call<'_>, config: &Config) -> Result<()> {
            self.configure(config)
        }
        fn add(&self, _call: &Call<'_>, number: i64) -> Result<i64> {
            self.add(number)
        }
        fn total(&self, _call: &Call<'_>) -> Result<CounterV1TotalResult> {
            let count = self.begin("total", "");
            Ok(CounterV1TotalResult { total: count.total, adds: count.adds })
        }
        fn block(&self, call: &Call<'_>) -> Result<i32> {
            self.block(call)
        }
        fn call_back(&self, call: &Call<'_>, text: &str) -> Result<String> {
            self.say(call, text)
        }
        fn refuse(&self, _call: &Call<'_>, status: i32, message: &str) -> Result<()> {
            self.refuse(status, message)
        }
        fn life(&self, _call: &Call<'_>) -> Result<String> {
            Ok(self.begin("life", "").life.clone())
        }
    }
}

tenon::implement! {
    impl SessionCounterV1 for Counter {
        fn configure(&self, _call: &Call<'_>, config: &Config) -> Result<()> {
            self.configure(config)
        }
        fn open(&self, _call: &Call<'_>) -> Result<()> {
            drop(self.begin("open", ""));
            Ok(())
        }
        fn add(&self, _call: &Call<'_>, number: i64) -> Result<i64> {
            self.add(number)
        }
        fn block(&self, call: &Call<'_>) -> Result<i32> {
            self.block(call)
        }
        fn life(&self, _call: &Call<'_>) -> Result<String> {
            Ok(self.begin("life", "").life.clone())
        }
    }
}

// -- Streams ------------------------------------------------------------------

/// The content of a stream. Functions whose name it is panic.
struct Content(Vec<u8>);

impl Content {
    fn begin(&self, function: &str) {
        assert!(self.0 != function.as_bytes(), "in {function}");
    }
}

impl ReadStream for Content {
    fn read(&mut self, _call: &Call<'_>, into: &mut [u8]) -> Result<usize> {
        self.begin("read");
        let size = into.len().min(self.0.len()).min(3);
        into[..size].copy_from_slice(&self.0[..size]);
        self.0.drain(..size);
        Ok(size)
    }
}

impl Drop for Content {
    fn drop(&mut self) {
        self.begin("release");
    }
}

static VALUES: Mutex<Vec<(String, Vec<u8>)>> = Mutex::new(Vec::new());

fn store(key: &str, value: Vec<u8>) {
    let mut values = VALUES.lock().unwrap();
    values.retain(|(name, _)| name != key);
    values.push((key.to_string(), value));
}

struct Sink {
    key: String,
    content: Content,
}

impl WriteStream for Sink {
    fn write(&mut self, _call: &Call<'_>, from: &[u8]) -> Result<()> {
        assert!(from != b"write", "in write");
        self.content.0.extend_from_slice(from);
        Ok(())
    }
    fn commit(&mut self, _call: &Call<'_>) -> Result<()> {
        self.content.begin("commit");
        store(&self.key, self.content.0.clone());
        Ok(())
    }
}

#[derive(Default)]
struct Vault(Mutex<Option<Reader>>);

tenon::implement! {
    impl Plugin for Vault {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            Ok(Vault::default())
        }
    }
}

tenon::implement! {
    impl VaultV1 for Vault {
        fn get(&self, _call: &Call<'_>, key: &str) -> Result<VaultV1GetResult> {
            let values = VALUES.lock().unwrap();
            let found = values.iter().find(|(name, _)| name == key);
            let (_, value) = found.ok_or_else(|| {
                Error::new(Code::NotFound, format!("no value {key}"))
            })?;
            Ok(VaultV1GetResult { body: Reader::new(Content(value.clone())), trailer: None })
        }
        fn put(&self, call: &Call<'_>, key: &str, mut body: Reader) -> Result<()> {
            let value = body.read_to_end(call)?;
            assert!(value != b"put", "in put");
            if value.starts_with(b"!") {
                return Err(Error::new(Code::InvalidArgument, "refused"));
            }
            store(key, value);
            Ok(())
        }
        fn open(&self, _call: &Call<'_>, key: &str) -> Result<Writer> {
            Ok(Writer::new(Sink { key: key.to_string(), content: Content(Vec::new()) }))
        }
        /// Keeps the stream also if it fails.
        fn keep(&self, call: &Call<'_>, mut body: Reader) -> Result<()> {
            let mut first = [0];
            body.read(call, &mut first)?;
            *self.0.lock().unwrap() = Some(body);
            match first[0] {
                b'!' => Err(Error::new(Code::InvalidArgument, "refused")),
                _ => Ok(()),
            }
        }
        fn kept(&self, call: &Call<'_>) -> Result<String> {
            let mut kept = self.0.lock().unwrap().take().expect("a stream");
            Ok(String::from_utf8(kept.read_to_end(call)?).unwrap())
        }
    }
}

// -- All types ----------------------------------------------------------------

struct Echo;

tenon::implement! {
    impl Plugin for Echo {
        fn create(_call: &Call<'_>, _name: &str) -> Result<Self> {
            Ok(Echo)
        }
    }
}

tenon::implement! {
    impl AllTypesV1 for Echo {
        fn nothing(&self, _call: &Call<'_>) -> Result<()> {
            Ok(())
        }
        fn echo(
            &self,
            _call: &Call<'_>,
            a_bool: bool,
            a_int8: i8,
            a_int16: i16,
            a_int32: i32,
            a_int64: i64,
            a_uint8: u8,
            a_uint16: u16,
            a_uint32: u32,
            a_uint64: u64,
            a_float32: f32,
            a_float64: f64,
            a_string: &str,
            a_bytes: &[u8],
            a_duration: i64,
            a_timestamp: i64,
            a_json: &str,
            an_enum: AllTypesV1Colour,
            a_struct: AllTypesV1Pair,
            a_document: EntryV1,
            a_standard_document: RecordV2,
            a_list: Vec<i32>,
            a_list_of_text: Vec<String>,
            a_list_of_lists: Vec<Vec<String>>,
            a_list_of_structs: Vec<AllTypesV1Pair>,
            a_list_of_documents: Vec<EntryV1>,
            a_list_of_bool: Vec<bool>,
            a_list_of_enums: Vec<AllTypesV1Colour>,
            a_map: BTreeMap<String, f64>,
            a_map_of_text: BTreeMap<String, String>,
            a_map_of_lists: BTreeMap<String, Vec<Vec<u8>>>,
            a_map_of_structs: BTreeMap<String, AllTypesV1Pair>,
            no_bool: Option<bool>,
            no_int8: Option<i8>,
            no_int16: Option<i16>,
            no_int32: Option<i32>,
            no_int64: Option<i64>,
            no_uint8: Option<u8>,
            no_uint16: Option<u16>,
            no_uint32: Option<u32>,
            no_uint64: Option<u64>,
            no_float32: Option<f32>,
            no_float64: Option<f64>,
            no_string: Option<String>,
            no_bytes: Option<Vec<u8>>,
            no_duration: Option<i64>,
            no_timestamp: Option<i64>,
            no_json: Option<String>,
            no_enum: Option<AllTypesV1Colour>,
            no_struct: Option<AllTypesV1Pair>,
            no_document: Option<EntryV1>,
            no_list: Option<Vec<i32>>,
            no_map: Option<BTreeMap<String, String>>,
            a_buffer: &mut [u8],
            a_reader: Reader,
            a_writer: Writer,
            no_reader: Option<Reader>,
            no_writer: Option<Writer>,
        ) -> Result<AllTypesV1EchoResult> {
            a_buffer.iter_mut().for_each(|byte| *byte += 1);
            Ok(AllTypesV1EchoResult {
                a_bool,
                a_int8,
                a_int16,
                a_int32,
                a_int64,
                a_uint8,
                a_uint16,
                a_uint32,
                a_uint64,
                a_float32,
                a_float64,
                a_string: a_string.to_string(),
                a_bytes: a_bytes.to_vec(),
                a_duration,
                a_timestamp,
                a_json: a_json.to_string(),
                an_enum,
                a_struct,
                a_document,
                a_standard_document,
                a_list,
                a_list_of_text,
                a_list_of_lists,
                a_list_of_structs,
                a_list_of_documents,
                a_list_of_bool,
                a_list_of_enums,
                a_map,
                a_map_of_text,
                a_map_of_lists,
                a_map_of_structs,
                no_bool,
                no_int8,
                no_int16,
                no_int32,
                no_int64,
                no_uint8,
                no_uint16,
                no_uint32,
                no_uint64,
                no_float32,
                no_float64,
                no_string,
                no_bytes,
                no_duration,
                no_timestamp,
                no_json,
                no_enum,
                no_struct,
                no_document,
                no_list,
                no_map,
                a_reader,
                a_writer,
                no_reader,
                no_writer,
            })
        }
    }
}

// -- The module ---------------------------------------------------------------

fn start(_call: &Call<'_>) -> Result<()> {
    let path = tenon::module_file().unwrap_or_default();
    assert!(
        !path.to_string_lossy().contains("panics-in-start"),
        "in start"
    );
    Ok(())
}

fn stop() {
    tenon::log(Level::Info, "stopping");
    std::mem::take(&mut *VALUES.lock().unwrap()); // a static is never dropped
    panic!("in stop");
}

tenon::module! {
    name: "test.example/cases",
    version: "1.0.0",
    plugins: [
        "test.example/counter" => Counter as CounterV1,
        "test.example/panics" => Counter as CounterV1,
        "test.example/session-counter" => Counter as SessionCounterV1,
        "test.example/vault" => Vault as VaultV1,
        "test.example/echo" => Echo as AllTypesV1,
    ],
    details: r#"{"threads": "joined", "state": {"writes": 1, "reads": [1]}}"#,
    start: start,
    stop: stop,
}
