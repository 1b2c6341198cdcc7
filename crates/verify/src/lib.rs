//! Model checking of the firmware that Narrows simulates.
//!
//! The crate is internal, and `narrows verify` is its command. Tests build experiments and studies without optimisation.
//! The exploration of all states, which would be several times slower without it, is therefore in a crate of its own.

#[doc(hidden)]
pub mod verify;
