//! Parameters: hardware resources that are limited in number.

/// Parameters of a home's directory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DirectoryParameters {
    /// Number of hardware pointers for a block; `None` means that it is unlimited. The home's own processor needs no
    /// pointer.
    pub pointers: Option<u32>,
    /// Largest number of other nodes' requests that may wait at this home for busy blocks; further requests are NACKed.
    /// If it equals the number of requests that all other nodes may have outstanding, no request is NACKed; if it is 0,
    /// every request that finds its block busy is NACKed.
    pub waiting: u32,
    /// Whether the owner of a block sends it to the requester directly; otherwise the block goes through its home.
    /// Requests of the home's own processor are not affected.
    pub forwarding: bool,
}

impl DirectoryParameters {
    /// Returns parameters without limits for a machine of `nodes` nodes with up to `requests` outstanding requests
    /// each. Blocks go through their homes.
    pub const fn unlimited(nodes: u32, requests: u32) -> DirectoryParameters {
        let waiting = nodes.saturating_sub(1).saturating_mul(requests);
        DirectoryParameters { pointers: None, waiting, forwarding: false }
    }
}

/// Parameters of a requesting node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RequesterParameters {
    /// Number of contexts of the processor. Each context waits for at most one block, which is asserted.
    pub contexts: u32,
    /// Capacity of the prefetch buffer: the number of blocks that may be requested and not yet accessed.
    pub prefetches: u32,
    /// Largest number of simultaneous write-backs.
    pub write_backs: u32,
}

impl RequesterParameters {
    /// Returns the largest number of outstanding requests of a node.
    pub const fn requests(&self) -> u32 {
        self.contexts.saturating_add(self.prefetches).saturating_add(self.write_backs)
    }
}
