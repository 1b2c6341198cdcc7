//! A port on a coherent interconnect, by which an interface caches blocks or is the home of blocks.
//!
//! The memory bus is such a port for the agents on it. Another such port is the far side of a link to a bus: it adds
//! the crossings of the link to each transaction, and to each response of an agent behind the link. An interface uses
//! only this trait, so its design does not depend on where it is attached.
//!
//! A transaction changes the states of all copies of its block at one instant. For a read, this is the instant at which
//! its future completes. All that the agent does at this instant is ordered before any later transaction of the block.
//! A port behind a link therefore completes both crossings of the link before this instant. An upgrade and a write call
//! a callback of their caller at that instant, and their futures may complete later, when the agent receives the
//! answer.

use super::block::{Address, Block};
use super::memory_bus::agent::{Agent, AgentId};
use crate::engine::{LocalFuture, Time};
use std::ops::Range;
use std::rc::Rc;

/// Access to a coherent interconnect.
pub trait CoherentPort {
    /// Attaches an agent, which snoops from now on and is the home of the addresses `home`. No other agent may be the
    /// home of any of them.
    fn attach(&self, agent: Rc<dyn Agent>, home: Option<Range<Address>>) -> AgentId;

    /// Fetches a block that `agent` will only read.
    ///
    /// When the transaction is about to begin, `cached_copy` is called. If it returns the block, because another task
    /// of the agent has fetched it in the meantime, there is no transaction.
    fn read_shared<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        cached_copy: &'a dyn Fn() -> Option<Block>,
    ) -> LocalFuture<'a, Block>;

    /// Fetches a block that `agent` will write, and invalidates all other copies.
    fn read_exclusive<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a, Block>;

    /// Invalidates all other copies of blocks, in order. `agent` has the blocks, or will overwrite all of them.
    /// `on_ownership` is called with the index of a block when there are no other copies of it. From then on, other
    /// agents see what the agent writes to its copy.
    fn upgrade<'a>(&'a self, agent: AgentId, blocks: &'a [Address], on_ownership: &'a dyn Fn(usize))
    -> LocalFuture<'a>;

    /// Returns a block that `agent` owns to its home.
    fn write_back<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a>;

    /// Writes a whole block to its home, and invalidates all copies. `on_visible` is called when other agents see the
    /// block.
    fn write_through<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        data: Block,
        on_visible: &'a dyn Fn(),
    ) -> LocalFuture<'a>;

    /// Returns the time from a transaction of another agent until an agent at this port acts on its snoop.
    fn snoop_delay(&self) -> Time {
        Time::ZERO
    }
}
