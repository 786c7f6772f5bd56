// SPDX-License-Identifier: BSL-1.0
//
//! The SDK for plugins in Rust. A plugin implements [`Plugin`] and the traits of its kinds, such as
//! [`SourceV2`], in [`implement!`], and declares them with [`module!`]. See sdk/rust.md.
//!
//! Every panic in a function of a plugin becomes the error of that call.

// Generated code uses this name also in this crate.
extern crate self as tenon;

#[doc(hidden)]
pub mod abi;
#[doc(hidden)]
pub mod value;

mod call;
mod config;
mod error;
mod kinds;
mod plugin;
mod stream;
#[cfg(test)]
mod test_call;

pub use call::{log, module_file, Call, Cancelled, Level, Nanoseconds};
pub use config::Config;
pub use error::{Code, Error, Result};
pub use kinds::tenon::*;
pub use plugin::Plugin;
pub use stream::{ReadStream, Reader, WriteStream, Writer};

#[doc(hidden)]
pub use plugin::{guarded, start, stop};
#[doc(hidden)]
pub use stream::{optional_reader, optional_writer, Borrowed};
