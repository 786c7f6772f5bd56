// SPDX-License-Identifier: BSL-1.0
use crate::abi;
use crate::call::{set_host, Call, Level};
use crate::error::{Code, Error, Result};
use crate::value::{text, Value};
use std::any::Any;
use std::ffi::c_void;
use std::mem::size_of;
use std::panic::{self, AssertUnwindSafe};

/// The functions that the plugins of all kinds have in common. Implement it in `implement!`, which
/// lists the methods: those that are missing are not called.
///
/// Several threads may call the methods of a kind on one instance at once, depending on the kind.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// The names of the methods. `implement!` sets it.
    const METHODS: &'static [&'static str];

    /// Creates an instance of the plugin with this name. Must be cheap: open files later.
    fn create(call: &Call<'_>, name: &str) -> Result<Self>;

    /// Returns the state for the instance that replaces this one, in this version.
    fn save_state(&self, _call: &Call<'_>, _version: i32) -> Result<Vec<u8>> {
        Err(Error::unimplemented("save_state"))
    }
    /// Takes the saved state. Called after `configure`.
    fn restore_state(&self, _call: &Call<'_>, _version: i32, _state: &[u8]) -> Result<()> {
        Err(Error::unimplemented("restore_state"))
    }
    /// Releases the resources that the instance needs that replaces this one.
    fn suspend(&self, _call: &Call<'_>) -> Result<()> {
        Err(Error::unimplemented("suspend"))
    }
    /// Acquires them again because the restart failed.
    fn resume(&self, _call: &Call<'_>) -> Result<()> {
        Err(Error::unimplemented("resume"))
    }

    #[doc(hidden)]
    const BASE: abi::Base = abi::Base {
        struct_size: size_of::<abi::Base>(),
        create: create::<Self>,
        destroy: destroy::<Self>,
        save_state: if abi::contains(Self::METHODS, "save_state") {
            Some(save_state::<Self>)
        } else {
            None
        },
        restore_state: if abi::contains(Self::METHODS, "restore_state") {
            Some(restore_state::<Self>)
        } else {
            None
        },
        suspend: if abi::contains(Self::METHODS, "suspend") {
            Some(suspend::<Self>)
        } else {
            None
        },
        resume: if abi::contains(Self::METHODS, "resume") {
            Some(resume::<Self>)
        } else {
            None
        },
    };
}

// -- Panics -------------------------------------------------------------------

fn message_of(panic: Box<dyn Any + Send>) -> String {
    let message = match panic.downcast_ref::<String>() {
        Some(text) => text.as_str(),
        None => panic
            .downcast_ref::<&str>()
            .copied()
            .unwrap_or("without a message"),
    };
    let message = format!("the plugin panicked: {message}");
    // The value of the panic may panic itself when it is dropped.
    if let Err(another) = panic::catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(another);
    }
    message
}

/// Runs a method. Its error or panic becomes the error of the call.
///
/// # Safety
/// The call must be valid.
#[doc(hidden)]
pub unsafe fn guarded(call: *mut abi::Call, method: impl FnOnce(&Call<'_>) -> Result<()>) -> i32 {
    let call = Call::new(call);
    match panic::catch_unwind(AssertUnwindSafe(|| method(&call))) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => call.fail(&error),
        Err(panic) => call.fail(&Error::new(Code::Internal, message_of(panic))),
    }
}

/// Runs a function without a call. A panic is only logged, which the hook does.
pub(crate) fn quietly(function: impl FnOnce()) {
    if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(function)) {
        message_of(panic);
    }
}

// -- The base vtable ----------------------------------------------------------

unsafe extern "C" fn create<P: Plugin>(
    call: *mut abi::Call,
    request: *const abi::CreateRequest,
    instance: *mut *mut c_void,
) -> i32 {
    guarded(call, |call| {
        let plugin = P::create(call, text((*request).name, "the name")?)?;
        *instance = Box::into_raw(Box::new(plugin)).cast();
        Ok(())
    })
}

unsafe extern "C" fn destroy<P: Plugin>(instance: *mut c_void) {
    quietly(|| drop(Box::from_raw(instance.cast::<P>())));
}

unsafe extern "C" fn save_state<P: Plugin>(
    call: *mut abi::Call,
    instance: *mut c_void,
    request: *const abi::StateRequest,
    response: *mut *const abi::StateResponse,
) -> i32 {
    guarded(call, |call| {
        let state = (*instance.cast::<P>()).save_state(call, (*request).version)?;
        *response = call.keep(abi::StateResponse {
            struct_size: size_of::<abi::StateResponse>(),
            state: state.write(call),
        });
        Ok(())
    })
}

unsafe extern "C" fn restore_state<P: Plugin>(
    call: *mut abi::Call,
    instance: *mut c_void,
    request: *const abi::StateRequest,
) -> i32 {
    guarded(call, |call| {
        let request = &*request;
        (*instance.cast::<P>()).restore_state(call, request.version, request.state.bytes())
    })
}

unsafe extern "C" fn suspend<P: Plugin>(call: *mut abi::Call, instance: *mut c_void) -> i32 {
    guarded(call, |call| (*instance.cast::<P>()).suspend(call))
}

unsafe extern "C" fn resume<P: Plugin>(call: *mut abi::Call, instance: *mut c_void) -> i32 {
    guarded(call, |call| (*instance.cast::<P>()).resume(call))
}

// -- The module ---------------------------------------------------------------

/// Starts the module. Panics are logged instead of written to standard error.
///
/// # Safety
/// The host must be valid until `stop`.
#[doc(hidden)]
pub unsafe fn start(
    call: *mut abi::Call,
    host: *const abi::Host,
    author: fn(&Call<'_>) -> Result<()>,
) -> i32 {
    set_host(host);
    panic::set_hook(Box::new(|panic| {
        crate::call::log(Level::Error, &panic.to_string().replace('\n', " "))
    }));
    let status = guarded(call, author);
    if status != 0 {
        end();
    }
    status
}

#[doc(hidden)]
pub fn stop(author: fn()) {
    quietly(author);
    end();
}

fn end() {
    drop(panic::take_hook());
    set_host(std::ptr::null());
}

/// Implements `Plugin` or the trait of a kind, and lists the methods in it, so that the host knows
/// which of them the plugin has:
///
/// ```ignore
/// tenon::implement! {
///     impl SourceV2 for Numbers {
///         fn read_batch(&self, call: &Call<'_>, max: i32, max_bytes: Option<i64>)
///             -> Result<Vec<RecordV2>> { ... }
///     }
/// }
/// ```
#[macro_export]
macro_rules! implement {
    (impl $($part:ident)::+ for $plugin:ty {
        $( $(#[$attribute:meta])*
           fn $method:ident $parameters:tt $(-> $result:ty)? $body:block )*
    }) => {
        impl $($part)::+ for $plugin {
            const METHODS: &'static [&'static str] = &[$(stringify!($method)),*];
            $( $(#[$attribute])*
               fn $method $parameters $(-> $result)? $body )*
        }
    };
}

/// Declares the plugins of the module, once, in the root of a crate of the type `cdylib`:
///
/// ```ignore
/// tenon::module! {
///     name: "me.example/numbers",
///     version: "1.0.0",
///     plugins: ["me.example/numbers" => Numbers as SourceV2],
///     details: r#"{"summary": "Numbers", "threads": "joined"}"#,
/// }
/// ```
///
/// `details` is a JSON object with further members of the manifest, see abi/manifest.md. Only
/// `"threads": "joined"` there lets the code be unloaded: it states that no thread of the module
/// runs after its last instance was dropped and `stop` has returned. `start` and `stop` are
/// optional functions: `fn(&Call<'_>) -> Result<()>`, before the first instance, and `fn()`, after
/// the last.
#[macro_export]
macro_rules! module {
    (name: $name:literal, version: $version:literal,
     plugins: [$($plugin:literal => $type:ty as $kind:path),+ $(,)?]
     $(, details: $details:literal)? $(, start: $start:path)? $(, stop: $stop:path)? $(,)?) => {
        const _: () = {
            const TENON_MANIFEST: &[&str] = &[
                concat!(r#"{"manifest":1,"abi":"1.0","name":""#, $name, r#"","version":""#,
                    $version, r#"","provides":["#),
                $("{", <$type as $kind>::MANIFEST, concat!(r#","name":""#, $plugin, r#""},"#),)+
                r#"null],"details":["#,
                $($details, ",",)?
                "null]}\0",
            ];
            const TENON_SIZE: usize = $crate::abi::total(TENON_MANIFEST);

            #[used]
            #[link_section = ".note.tenon"]
            static TENON_NOTE: $crate::abi::Note<TENON_SIZE> = $crate::abi::Note {
                name_size: 6,
                text_size: TENON_SIZE as u32,
                kind: 1,
                name: *b"tenon\0\0\0",
                text: $crate::abi::concatenated(TENON_MANIFEST),
            };

            const TENON_COUNT: usize = [$($plugin),+].len();
            static TENON_REGISTRATIONS: [$crate::abi::Registration; TENON_COUNT] = [
                $($crate::abi::Registration {
                    kind: $crate::abi::Text::of(<$type as $kind>::KIND),
                    version: <$type as $kind>::VERSION,
                    reserved: 0,
                    fingerprint: <$type as $kind>::FINGERPRINT,
                    name: $crate::abi::Text::of($plugin),
                    table: &<$type as $kind>::TABLE as *const _ as *const ::std::ffi::c_void,
                }),+
            ];

            unsafe extern "C" fn tenon_start(
                call: *mut $crate::abi::Call,
                host: *const $crate::abi::Host,
            ) -> i32 {
                let author: fn(&$crate::Call<'_>) -> $crate::Result<()> =
                    $crate::first!($($start,)? |_| Ok(()),);
                $crate::start(call, host, author)
            }

            unsafe extern "C" fn tenon_stop() {
                $crate::stop($crate::first!($($stop,)? || (),))
            }

            #[export_name = "tenon_module_v1"]
            pub static TENON_MODULE: $crate::abi::Module = $crate::abi::Module {
                magic: $crate::abi::MAGIC,
                struct_size: ::std::mem::size_of::<$crate::abi::Module>() as u32,
                abi_major: 1,
                abi_minor: 0,
                manifest: &TENON_NOTE.text as *const [u8] as *const u8,
                manifest_size: TENON_SIZE as u64 - 1,
                registrations: $crate::abi::List {
                    data: &TENON_REGISTRATIONS as *const _ as *const ::std::ffi::c_void,
                    count: TENON_COUNT,
                    stride: ::std::mem::size_of::<$crate::abi::Registration>(),
                },
                start: tenon_start,
                stop: tenon_stop,
            };
        };
    };
}

/// Returns the first of its arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! first {
    ($first:expr, $($rest:expr,)*) => {
        $first
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_call::{Counted, Drops, TestCall};
    use std::ptr::null_mut;
    use std::sync::Mutex;

    /// Runs a method. Returns its status, and what was reported.
    fn run(method: impl FnOnce(&Call<'_>) -> Result<()>) -> (i32, Option<(i32, String)>) {
        let test = TestCall::new();
        let status = unsafe { guarded(test.raw(), method) };
        (status, test.failure())
    }

    fn internal(message: &str) -> (i32, Option<(i32, String)>) {
        (13, Some((13, format!("the plugin panicked: {message}"))))
    }

    struct PanicsInDrop;

    impl Drop for PanicsInDrop {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }

    #[test]
    fn errors_and_panics_fail_the_call() {
        assert_eq!(run(|_| Ok(())), (0, None));
        let error = Error::new(Code::NotFound, "no row").retryable();
        let status = 5 | 0x100;
        let failure = Some((status, String::from("no row")));
        assert_eq!(run(|_| Err(error)), (status, failure));
        assert_eq!(run(|_| panic!("a text")), internal("a text"));
        assert_eq!(run(|_| panic!("a {}", 1)), internal("a 1"));
        let number = || panic::panic_any(7);
        assert_eq!(run(|_| number()), internal("without a message"));
    }

    #[test]
    fn the_value_of_a_panic_may_panic() {
        let value = || panic::panic_any(PanicsInDrop);
        assert_eq!(run(|_| value()), internal("without a message"));
        quietly(|| panic::panic_any(PanicsInDrop));
    }

    /// Saves its name.
    struct Named {
        name: String,
        _drops: Counted,
        _panics: Option<PanicsInDrop>,
    }

    static DROPS: Mutex<Option<Drops>> = Mutex::new(None);

    crate::implement! {
        impl Plugin for Named {
            fn create(_call: &Call<'_>, name: &str) -> Result<Self> {
                assert!(name != "panics", "in create");
                Ok(Named {
                    name: name.to_string(),
                    _drops: DROPS.lock().unwrap().get_or_insert_with(Drops::default).counted(),
                    _panics: (name == "panics in drop").then(|| PanicsInDrop),
                })
            }
            fn save_state(&self, _call: &Call<'_>, version: i32) -> Result<Vec<u8>> {
                Ok(format!("{} {version}", self.name).into_bytes())
            }
        }
    }

    /// Creates an instance. Returns the status and the instance.
    fn create_named(test: &TestCall, name: abi::Text) -> (i32, *mut c_void) {
        let request = abi::CreateRequest {
            struct_size: size_of::<abi::CreateRequest>(),
            host: std::ptr::null(),
            name,
        };
        let mut instance = null_mut();
        let status = unsafe { (Named::BASE.create)(test.raw(), &request, &mut instance) };
        (status, instance)
    }

    #[test]
    fn instances_live_until_they_are_destroyed() {
        let test = TestCall::new();
        for (number, name) in ["plain", "panics in drop"].into_iter().enumerate() {
            let (status, instance) = create_named(&test, abi::Text::of(name));
            assert_eq!(status, 0);
            let request = abi::StateRequest {
                struct_size: size_of::<abi::StateRequest>(),
                version: 2,
                reserved: 0,
                state: abi::Text::ABSENT,
            };
            let mut response = std::ptr::null();
            unsafe {
                let save = Named::BASE.save_state.unwrap();
                assert_eq!(save(test.raw(), instance, &request, &mut response), 0);
                let state = (*response).state.bytes();
                assert_eq!(state, format!("{name} 2").as_bytes());
                (Named::BASE.destroy)(instance);
            }
            let drops = DROPS.lock().unwrap();
            assert_eq!(drops.as_ref().unwrap().count(), number + 1);
        }
        for (name, status) in [("panics".as_bytes(), 13), (b"\xff", 3)] {
            let (found, instance) = create_named(&test, abi::Text::of_bytes(name));
            assert_eq!(found, status);
            assert!(instance.is_null());
        }
    }

    #[test]
    fn only_listed_functions_are_in_the_table() {
        assert_eq!(<Named as Plugin>::METHODS, ["create", "save_state"]);
        assert!(Named::BASE.save_state.is_some());
        assert!(Named::BASE.restore_state.is_none());
        assert!(Named::BASE.suspend.is_none());
        assert!(Named::BASE.resume.is_none());
    }
}
