//! The models of Narrows: a workbench for the path between a program and the wire.
//!
//! # Public interface
//!
//! | name | for |
//! |---|---|
//! | [`Machine`], [`Registry`], [`Error`] | reading and checking descriptions |
//! | [`prelude`] | writing a host, interface, protocol, fabric or workload |
//! | [`protocol`] | flow control, order and reliability as state machines, without time or I/O of their own |
//! | [`engine`] | simulated time, tasks, signals, resources, ledgers |
//! | [`testing`] | the laws that hold for every part, as a test of one line |
//!
//! Without the feature `machine` this crate is [`engine`], [`protocol`] and [`Error`] alone. All other modules are
//! internal and hidden: the crates of this workspace use them, and their names may change in any release.
//!
//! # Layers
//!
//! The path of one message, and the folders that it passes:
//!
//! 1. `program` decides to send: ping-pong, stream, page fetch; bursts, sorts and solvers on all nodes.
//! 2. `messaging` gives it one endpoint a node, whatever the interface.
//! 3. `ni` is the interface: its driver half composes a control message, and its device half, or firmware on a chip,
//!    moves the payload. Policies decide when a transfer may start.
//! 4. `host` is what both halves use: processor, memory, buses, bridge, interrupts.
//! 5. `fabric` carries packets between interfaces, over links or through routers flit by flit;
//!    [`protocol`] holds the rules of flow control, order and reliability, free of any hardware.
//!
//! The layers below are [`engine`], which knows no hardware; `text`, which turns TOML into typed values and keeps the
//! position of each; and `part`, which holds what all parts declare before time 0. `machine` keeps the registry of
//! parts, checks a description and builds it.

// What `#[derive(Parameters)]` writes names the crate that holds the traits `narrows`.
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

/// Why Narrows could not do what it was asked: the error of every public function.
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

/// The parts that descriptions may name: those that ship, and those of other crates.
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
