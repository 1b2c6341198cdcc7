//! The models of Narrows, a simulator of the path between a program and the wire.
//!
//! # Public interface
//!
//! | name | for |
//! |---|---|
//! | [`Machine`], [`Registry`], [`Error`] | reading and checking descriptions |
//! | [`prelude`] | writing a host, interface, protocol, fabric or workload |
//! | [`protocol`] | flow control, order and reliability as state machines, without time or I/O of their own |
//! | [`engine`] | simulated time, tasks, signals, resources, ledgers |
//! | [`testing`] | invariants that every part must satisfy, checked by a test of one line |
//!
//! Without the feature `machine` this crate is [`engine`], [`protocol`] and [`Error`] alone. All other modules are
//! internal and hidden: the crates of this workspace use them, and their names may change in any release.
//!
//! # Layers
//!
//! The path of one message, and the folders that it passes:
//!
//! 1. `program` decides to send: ping-pong, stream, page fetch; bursts, sorts and solvers on all nodes.
//! 2. `messaging` gives each program an endpoint, with the same functions for every interface.
//! 3. `ni` is the interface: its driver composes a control message, and its device, or firmware on a chip, moves the
//!    payload. Policies decide when a transfer may start.
//! 4. `host` models the hardware that driver and device share: processor, memory, buses, bridge, interrupts.
//! 5. `fabric` carries packets between interfaces, over links or through routers flit by flit;
//!    [`protocol`] implements flow control, order and reliability, independently of any hardware.
//!
//! Below these layers are [`engine`], which is independent of hardware; `text`, which reads TOML into typed values with
//! their source locations; and `part`, which defines the declarations that all parts make before time 0. `machine`
//! contains the registry of parts, and checks and builds descriptions.

// The code that `#[derive(Parameters)]` generates refers to this crate as `narrows`.
extern crate self as narrows;

pub mod engine;
mod error;
#[cfg(feature = "machine")]
#[doc(hidden)]
pub mod fabric;
#[cfg(feature = "machine")]
#[doc(hidden)]
pub mod host;
#[cfg(feature = "machine")]
#[doc(hidden)]
pub mod machine;
#[cfg(feature = "machine")]
#[doc(hidden)]
pub mod messaging;
#[cfg(feature = "machine")]
#[doc(hidden)]
pub mod ni;
#[doc(hidden)]
pub mod part;
#[cfg(feature = "machine")]
pub mod prelude;
#[cfg(feature = "machine")]
#[doc(hidden)]
pub mod program;
pub mod protocol;
#[cfg(feature = "machine")]
pub mod testing;
#[doc(hidden)]
pub mod text;

/// The error of every public function: the reason why it failed.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::{Error, Machine};
///
/// let error = Machine::parse("workload.ping-pong.payload = \"8K\"").unwrap_err();
/// assert!(matches!(error, Error::Description(_)));
/// assert!(error.to_string().contains("did you mean \"8 KiB\"?"), "{error}");
/// ```
pub use error::Error;

/// A machine that was read from a description and checked: nodes, interfaces, a fabric and a workload.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::Machine;
///
/// let machine = Machine::parse(
///     r#"
///     parts = ["hosts/memory-bus-1998", "ni/ni2w", "fabrics/ideal-1998"]
///     [nodes.n]
///     host = "memory-bus-1998"
///     count = 4
///     [workload.cyclic-shift]
///     "#,
/// )?;
/// assert_eq!(machine.nodes.len(), 4);
/// # Ok::<(), narrows::Error>(())
/// ```
#[cfg(feature = "machine")]
pub use machine::Machine;

/// The parts that descriptions may name: the built-in ones, and the parts of other crates.
///
/// ```
/// # extern crate narrows_core as narrows;
/// use narrows::Registry;
///
/// let registry = Registry::shipped();
/// let fabrics: Vec<&str> = registry.fabrics().iter().map(|entry| entry.info.key).collect();
/// assert!(fabrics.contains(&"myrinet") && fabrics.contains(&"torus"));
/// ```
#[cfg(feature = "machine")]
pub use machine::Registry;
