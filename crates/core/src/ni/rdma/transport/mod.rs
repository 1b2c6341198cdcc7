//! The transport of a queue pair, as state machines without bytes and time.

pub mod request;
pub mod requester;
pub mod responder;
#[cfg(test)]
mod tests;
