//! Admission, ordering, reliability: sans-IO state machines. Events go in, actions come out, time
//! is an argument; nothing here knows a host, an interface or a fabric.

pub mod nifdy;
pub mod return_to_sender;
