//! One error type. Its class says what the caller can do, its trail says where it happened.

use std::fmt;

/// Shorthand for results of this workspace.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller can do about an error. Decides exit code, Python exception and retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorClass {
    /// An argument is wrong: a shape, a dtype, a parameter. Change the call.
    Invalid,
    /// The request makes sense, but this build does not do it.
    Unsupported,
    /// A file, array or name does not exist.
    NotFound,
    /// The target exists already and must not be replaced without being asked.
    Exists,
    /// Stored data or metadata is damaged.
    Corrupt,
    /// Reading or writing failed. `retry` is true where trying again may help.
    Io {
        /// True for faults that may pass: time-outs, resets, throttling.
        retry: bool,
    },
    /// The memory limit is too small for the smallest piece of work.
    OverBudget {
        /// Bytes the smallest piece needs.
        need: u64,
        /// Bytes there are.
        have: u64,
    },
    /// The user stopped the run.
    Cancelled,
    /// A broken invariant: a defect of Voxmill.
    Internal,
}

impl ErrorClass {
    /// A stable word for machines; the list only ever grows.
    pub fn kind(self) -> &'static str {
        match self {
            ErrorClass::Invalid => "invalid",
            ErrorClass::Unsupported => "unsupported",
            ErrorClass::NotFound => "not-found",
            ErrorClass::Exists => "exists",
            ErrorClass::Corrupt => "corrupt",
            ErrorClass::Io { .. } => "io",
            ErrorClass::OverBudget { .. } => "over-budget",
            ErrorClass::Cancelled => "cancelled",
            ErrorClass::Internal => "internal",
        }
    }

    /// The exit code of the command line for this class.
    pub fn exit_code(self) -> u8 {
        match self {
            ErrorClass::Invalid => 2,
            ErrorClass::Unsupported => 3,
            ErrorClass::NotFound => 4,
            ErrorClass::Exists => 5,
            ErrorClass::Corrupt => 6,
            ErrorClass::Io { .. } => 7,
            ErrorClass::OverBudget { .. } => 8,
            ErrorClass::Cancelled => 130,
            ErrorClass::Internal => 70,
        }
    }
}

/// An error: class, message and the trail of places it passed, innermost first.
#[derive(Debug, Clone)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Debug, Clone)]
struct Inner {
    class: ErrorClass,
    message: String,
    trail: Vec<String>,
}

impl Error {
    /// An error of `class`. The message is lower case, has no full stop, and carries names and numbers.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Error { inner: Box::new(Inner { class, message: message.into(), trail: Vec::new() }) }
    }

    /// An argument is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Error::new(ErrorClass::Invalid, message)
    }

    /// This build does not do that.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Error::new(ErrorClass::Unsupported, message)
    }

    /// A name leads nowhere.
    pub fn not_found(message: impl Into<String>) -> Self {
        Error::new(ErrorClass::NotFound, message)
    }

    /// Stored bytes are damaged.
    pub fn corrupt(message: impl Into<String>) -> Self {
        Error::new(ErrorClass::Corrupt, message)
    }

    /// A broken invariant of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Error::new(ErrorClass::Internal, message)
    }

    /// The user stopped the run.
    pub fn cancelled() -> Self {
        Error::new(ErrorClass::Cancelled, "cancelled")
    }

    /// A failed system call, classed by its kind; `what` names the file and the attempt.
    pub fn io(what: impl fmt::Display, source: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        let class = match source.kind() {
            K::NotFound => ErrorClass::NotFound,
            K::AlreadyExists => ErrorClass::Exists,
            K::TimedOut | K::Interrupted | K::ConnectionReset | K::ConnectionAborted | K::WouldBlock => {
                ErrorClass::Io { retry: true }
            }
            _ => ErrorClass::Io { retry: false },
        };
        let hint = match source.kind() {
            K::StorageFull => "; free some space or choose another folder",
            K::PermissionDenied => "; check the permissions of the file and its folder",
            _ => "",
        };
        Error::new(class, format!("{what}: {source}{hint}"))
    }

    /// Adds one line to the trail: the op, array, chunk or file that was being worked on.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.inner.trail.push(place.into());
        self
    }

    /// Adds to the message what to try.
    #[must_use]
    pub fn hint(mut self, what_to_try: &str) -> Self {
        self.inner.message += "; ";
        self.inner.message += what_to_try;
        self
    }

    /// What the caller can do.
    pub fn class(&self) -> ErrorClass {
        self.inner.class
    }

    /// The message without the trail.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The places the error passed, innermost first.
    pub fn trail(&self) -> &[String] {
        &self.inner.trail
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        for place in &self.inner.trail {
            write!(f, "\n  in {place}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trail_reads_from_the_inside_out() {
        let error = Error::invalid("axis 3 is out of range for an array of rank 2").at("sum").at("step 'total'");
        assert_eq!(error.to_string(), "axis 3 is out of range for an array of rank 2\n  in sum\n  in step 'total'");
        assert_eq!(error.class().exit_code(), 2);
    }
}
