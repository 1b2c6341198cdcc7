//! A port on a coherent interconnect: how an interface caches blocks, or is the home of some.
//!
//! The memory bus is such a port for what sits on it. The far side of a link to a bus is another: it adds the crossings
//! of the link to each transaction, and to each answer of an agent behind it. An interface names this trait alone, so
//! that its design does not depend on where it sits.
//!
//! The copies of a block change hands at one instant, at which the future of a transaction completes: whatever its
//! agent does then, without waiting, is before any later transaction of the block. A port whose answers take time after
//! that instant must hold back what its agent would snoop meanwhile, or take all of its time before.

use super::block::{Address, Block};
use super::memory_bus::agent::{Agent, AgentId};
use crate::engine::LocalFuture;
use std::ops::Range;
use std::rc::Rc;

/// Access to a coherent interconnect.
pub trait CoherentPort {
    /// Attaches an agent, which snoops from now on and is the home of the addresses of `home`, which lie in no other
    /// home.
    fn attach(&self, agent: Rc<dyn Agent>, home: Option<Range<Address>>) -> AgentId;

    /// Fetches a block that `agent` will only read.
    ///
    /// `held` is asked when the transaction would begin: if it returns the block, because another task of the agent has
    /// fetched it meanwhile, there is no transaction.
    fn read_shared<'a>(
        &'a self,
        agent: AgentId,
        block: Address,
        held: &'a dyn Fn() -> Option<Block>,
    ) -> LocalFuture<'a, Block>;

    /// Fetches a block that `agent` will write; no other copy is left.
    fn read_own<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a, Block>;

    /// Invalidates all other copies: `agent` has the block, or will overwrite all of it.
    fn upgrade<'a>(&'a self, agent: AgentId, block: Address) -> LocalFuture<'a>;

    /// Returns a block that `agent` owns to its home.
    fn write_back<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a>;

    /// Writes a whole block to its home; no copy is left.
    fn write_through<'a>(&'a self, agent: AgentId, block: Address, data: Block) -> LocalFuture<'a>;
}
