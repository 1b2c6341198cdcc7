//! The state of the process: the parts that descriptions may name, and the command that starts the process again.

use narrows_core::machine::Registry;
use narrows_core::text::Problem;
use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

/// The parts that descriptions may name. They are set once, before the arguments are parsed, since the callbacks of
/// shell completion take no further argument.
static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();

/// Returns the parts that descriptions may name.
pub fn registry() -> &'static Arc<Registry> {
    REGISTRY.get().unwrap_or_else(|| Registry::shared())
}

/// The program and first arguments with which this process is started again; unset if they are the executable alone.
static OWN_COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();

/// Returns the program and first arguments with which this process is started again.
pub fn own_command() -> Result<Vec<OsString>, Problem> {
    match OWN_COMMAND.get() {
        Some(command) => Ok(command.clone()),
        None => match std::env::current_exe() {
            Ok(executable) => Ok(vec![executable.into()]),
            Err(error) => Err(Problem::new(format!("the program cannot be started again: {error}"))),
        },
    }
}

/// Sets the parts that descriptions may name.
///
/// # Panics
///
/// Panics if it is called twice, because a process has one command line.
pub fn set_registry(registry: Arc<Registry>) {
    assert!(REGISTRY.set(registry).is_ok(), "a process has one command line");
}

/// Sets the program and first arguments with which this process is started again.
///
/// # Panics
///
/// Panics if it is called twice, because a process has one command line.
pub fn set_own_command(command: Vec<OsString>) {
    OWN_COMMAND.set(command).expect("a process has one command line");
}
