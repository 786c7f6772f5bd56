// SPDX-License-Identifier: BSL-1.0
//
// lib.rs: a plugin in Rust, as an example. It is a delete item action that prevents backups from
// being deleted: it fails for each resource with a certain label, and a backup is not deleted if a
// delete item action fails.
//
//   label  the key of the label; example.io/hold by default
//
// It uses the C ABI of tenon directly, the standard library, and no crates. Read it from the bottom
// up: the last lines are the module, the vtable above them lists the methods, and each method is
// above the vtable.
#![allow(unknown_lints, unexpected_cfgs)] // `--cfg panics` builds a faulty plugin for the tests

mod abi;
mod json;

use json::Json;

use std::any::Any;
use std::ffi::c_void;
use std::mem::size_of;
use std::os::raw::c_int;
use std::panic::{self, AssertUnwindSafe};
use std::sync::RwLock;

// -- Failures and panics ------------------------------------------------------

struct Failure {
    status: abi::Status,
    message: String,
}

type Outcome = Result<(), Failure>;

fn fail(status: abi::Status, message: String) -> Outcome {
    Err(Failure { status, message })
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<String>() {
        return text;
    }
    panic
        .downcast_ref::<&str>()
        .copied()
        .unwrap_or("a panic without a message")
}

/// Runs a method. A panic becomes an error of the call.
unsafe fn guarded(call: *mut abi::Call, method: impl FnOnce() -> Outcome) -> abi::Status {
    let call = abi::CallRef::new(call);
    match panic::catch_unwind(AssertUnwindSafe(method)) {
        Ok(Ok(())) => abi::OK,
        Ok(Err(failure)) => call.fail(failure.status, &failure.message),
        Err(panic) => call.fail(
            abi::INTERNAL,
            &format!("the plugin panicked: {}", message_of(&*panic)),
        ),
    }
}

// The standard library registers destructors of thread-local variables with the C library, which
// keeps a module mapped as long as a thread has such a destructor. This function replaces that of
// the C library, for this module only, and registers nothing. The module can therefore be unloaded
// at any time. Memory that thread-local variables own would leak, but this module has none. A
// module that does the same must not use std::thread or print: both may register a destructor in
// another way.
std::arch::global_asm!(".hidden __cxa_thread_atexit_impl");
#[no_mangle]
unsafe extern "C" fn __cxa_thread_atexit_impl(
    _destructor: *mut c_void,
    _object: *mut c_void,
    _module: *mut c_void,
) -> c_int {
    0
}

/// Disables the messages of panics on standard error. The failed calls report them.
unsafe extern "C" fn start(call: *mut abi::Call, _host: *const c_void) -> abi::Status {
    guarded(call, || {
        panic::set_hook(Box::new(|_| {}));
        Ok(())
    })
}

unsafe extern "C" fn stop() {
    drop(panic::take_hook());
}

// -- An instance --------------------------------------------------------------

struct Hold {
    label: RwLock<String>, // methods run on several threads
}

unsafe extern "C" fn create(
    call: *mut abi::Call,
    _request: *const c_void,
    instance: *mut *mut c_void,
) -> abi::Status {
    guarded(call, || {
        let label = RwLock::new(String::from("example.io/hold"));
        *instance = Box::into_raw(Box::new(Hold { label })).cast();
        Ok(())
    })
}

unsafe extern "C" fn destroy(instance: *mut c_void) {
    drop(Box::from_raw(instance.cast::<Hold>()));
}

impl Hold {
    fn label(&self) -> String {
        self.label.read().unwrap().clone()
    }

    fn configure(&self, label: Option<&[u8]>) -> Outcome {
        let label = match label {
            None => return Ok(()),
            Some(label) => String::from_utf8_lossy(label).into_owned(),
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if label.is_empty() || !label.chars().all(is_part) {
            let message = format!(
                "parameter \"label\" is \"{label}\", expected the key of a label such as \
                 example.io/hold"
            );
            return fail(abi::INVALID_ARGUMENT, message);
        }
        *self.label.write().unwrap() = label;
        Ok(())
    }

    fn execute(&self, item: &[u8], backup: &[u8]) -> Outcome {
        if cfg!(panics) {
            panic!("built to fail");
        }
        let resource = match Json::parse(item) {
            Some(resource @ Json::Object(_)) => resource,
            _ => {
                let message = String::from("the item is not a JSON object");
                return fail(abi::INVALID_ARGUMENT, message);
            }
        };
        let metadata = resource.get("metadata").unwrap_or(&Json::Other);
        let label = self.label();
        if metadata
            .get("labels")
            .and_then(|labels| labels.get(&label))
            .is_none()
        {
            return Ok(());
        }
        let space = metadata.text("namespace");
        let message = format!(
            "{} \"{}{}{}\" has the label {}, which keeps the backup \"{}\"; fix: delete the backup \
             without this plugin when it is no longer needed",
            resource.text("kind"),
            space,
            if space.is_empty() { "" } else { "/" },
            metadata.text("name"),
            label,
            String::from_utf8_lossy(backup),
        );
        fail(abi::FAILED_PRECONDITION, message)
    }
}

// -- Methods ------------------------------------------------------------------

unsafe extern "C" fn configure(
    call: *mut abi::Call,
    instance: *mut c_void,
    request: *const abi::ConfigureRequest,
) -> abi::Status {
    guarded(call, || {
        (*instance.cast::<Hold>()).configure((*request).config.get("label"))
    })
}

/// Selects the resources that have the label.
unsafe extern "C" fn applies_to(
    call: *mut abi::Call,
    instance: *mut c_void,
    _request: *const c_void,
    response: *mut *const abi::AppliesToResponse,
) -> abi::Status {
    guarded(call, || {
        let call = abi::CallRef::new(call);
        let selector = abi::Selector {
            included_namespaces: abi::List::EMPTY,
            excluded_namespaces: abi::List::EMPTY,
            included_resources: abi::List::EMPTY,
            excluded_resources: abi::List::EMPTY,
            label_selector: call.copy(&(*instance.cast::<Hold>()).label()),
            bag: abi::Text::ABSENT,
        };
        let struct_size = size_of::<abi::AppliesToResponse>();
        *response = call.allocate(abi::AppliesToResponse {
            struct_size,
            selector,
        });
        Ok(())
    })
}

unsafe extern "C" fn execute(
    call: *mut abi::Call,
    instance: *mut c_void,
    request: *const abi::ExecuteRequest,
) -> abi::Status {
    guarded(call, || {
        let request = &*request;
        (*instance.cast::<Hold>()).execute(request.item.bytes(), request.backup_name.bytes())
    })
}

// -- The module ---------------------------------------------------------------

static BASE: abi::Base = abi::Base {
    struct_size: size_of::<abi::Base>(),
    create,
    destroy,
    state: [std::ptr::null(); 4],
};

static TABLE: abi::Table = abi::Table {
    struct_size: size_of::<abi::Table>(),
    version: 1,
    reserved: 0,
    base: &BASE,
    configure,
    applies_to,
    execute,
};

static REGISTRATIONS: [abi::Registration; 1] = [abi::Registration {
    kind: abi::Text::of("tenon.dev/delete_item_action"),
    version: 1,
    reserved: 0,
    fingerprint: 0xbcda_5f84_e890_945f, // of the kind's spec; also below
    name: abi::Text::of("example.io/hold"),
    table: &TABLE,
}];

const MANIFEST: &str = concat!(
    r#"{"manifest":1,"abi":"1.0","name":"example.io/hold","version":"1.0.0","provides":["#,
    r#"{"kind":"tenon.dev/delete_item_action","version":1,"spec":"bcda5f84e890945f","#,
    r#""name":"example.io/hold"}],"#,
    // It starts no threads, although some linkers keep library code that could start threads.
    r#""details":[{"summary":"Protects backups of resources with a label","threads":"joined"}]}"#,
    "\0"
);

/// The note with the manifest, which hosts read before any code of the module runs.
#[repr(C, align(4))]
struct Note {
    name_size: u32,
    text_size: u32,
    kind: u32,
    name: [u8; 8],
    text: [u8; MANIFEST.len()],
}

const fn manifest_bytes() -> [u8; MANIFEST.len()] {
    let mut bytes = [0; MANIFEST.len()];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = MANIFEST.as_bytes()[i];
        i += 1;
    }
    bytes
}

#[used]
#[link_section = ".note.tenon"]
static NOTE: Note = Note {
    name_size: 6,
    text_size: MANIFEST.len() as u32,
    kind: 1,
    name: *b"tenon\0\0\0",
    text: manifest_bytes(),
};

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static tenon_module_v1: abi::Module = abi::Module {
    magic: 0x3176_6e6f_6e65_74ab,
    struct_size: size_of::<abi::Module>() as u32,
    abi_major: 1,
    abi_minor: 0,
    manifest: &NOTE.text as *const [u8] as *const u8,
    manifest_size: (MANIFEST.len() - 1) as u64,
    registrations: abi::List {
        data: &REGISTRATIONS as *const [abi::Registration; 1] as *const c_void,
        count: 1,
        stride: size_of::<abi::Registration>(),
    },
    start,
    stop,
};
