// SPDX-License-Identifier: BSL-1.0
use std::fmt;
use std::io;

/// The result of a method.
pub type Result<T> = std::result::Result<T, Error>;

/// The canonical status codes of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

/// The failure of a method: a status and a message.
///
/// ```ignore
/// return Err(Error::new(Code::Unavailable, "the server does not answer").retryable());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    status: i32,
    message: String,
}

const RETRYABLE: i32 = 0x100;
const FATAL: i32 = 0x200;

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error::from_status(code as i32, message)
    }

    /// Returns an error with a status of the ABI: a code, and flags.
    pub fn from_status(status: i32, message: impl Into<String>) -> Error {
        Error {
            status,
            message: message.into(),
        }
    }

    /// The failure of a method that the plugin does not implement.
    pub fn unimplemented(method: &str) -> Error {
        Error::new(
            Code::Unimplemented,
            format!("the plugin has no method {method}"),
        )
    }

    /// Returns the error with the flag that the same call may succeed later.
    pub fn retryable(mut self) -> Error {
        self.status |= RETRYABLE;
        self
    }

    /// Returns the error with the flag that makes the host restart the module.
    pub fn fatal(mut self) -> Error {
        self.status |= FATAL;
        self
    }

    /// Returns the code with its flags, as in the ABI.
    pub fn status(&self) -> i32 {
        self.status
    }

    pub fn is(&self, code: Code) -> bool {
        self.status & 0xff == code as i32
    }

    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        let code = match error.kind() {
            io::ErrorKind::NotFound => Code::NotFound,
            io::ErrorKind::PermissionDenied => Code::PermissionDenied,
            io::ErrorKind::AlreadyExists => Code::AlreadyExists,
            io::ErrorKind::OutOfMemory => Code::ResourceExhausted,
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::TimedOut
            | io::ErrorKind::WouldBlock => {
                return Error::new(Code::Unavailable, error.to_string()).retryable()
            }
            _ => Code::Unknown,
        };
        Error::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Error};
    use std::io;

    #[test]
    fn flags_keep_the_code() {
        let error = Error::new(Code::Unavailable, "later").retryable().fatal();
        assert_eq!(error.status(), 14 | 0x100 | 0x200);
        assert!(error.is(Code::Unavailable));
        assert_eq!(error.to_string(), "later");
    }

    #[test]
    fn errors_of_the_system_have_codes() {
        for (kind, status) in [
            (io::ErrorKind::NotFound, 5),
            (io::ErrorKind::PermissionDenied, 7),
            (io::ErrorKind::TimedOut, 14 | 0x100),
            (io::ErrorKind::Other, 2),
        ] {
            assert_eq!(Error::from(io::Error::from(kind)).status(), status);
        }
    }
}
