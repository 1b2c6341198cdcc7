//! Parameters: hardware resources that are limited in number.

/// Parameters of a home's directory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DirectoryParameters {
    /// Pointers of a block in hardware; none where there is no limit. The home's own processor needs
    /// none.
    pub pointers: Option<u32>,
    /// Requests of others that may wait at this home for blocks that are busy; what comes beyond is
    /// turned away. With as many as all other nodes may ask for at once nothing is; with 0, whatever
    /// finds its block busy.
    pub waiting: u32,
}

impl DirectoryParameters {
    /// Returns parameters without limits for a machine of `nodes` nodes with up to `requests` outstanding requests
    /// each.
    pub const fn unlimited(nodes: u32, requests: u32) -> DirectoryParameters {
        DirectoryParameters { pointers: None, waiting: nodes.saturating_sub(1).saturating_mul(requests) }
    }
}

/// Parameters of a requesting node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RequesterParameters {
    /// Contexts of the processor, each of which waits for one block at most; asserted.
    pub contexts: u32,
    /// Places of the prefetch buffer: blocks asked for and not yet touched.
    pub prefetches: u32,
    /// Blocks that may be on their way home at once.
    pub write_backs: u32,
}

impl RequesterParameters {
    /// Requests that a node may have under way at once.
    pub const fn requests(&self) -> u32 {
        self.contexts.saturating_add(self.prefetches).saturating_add(self.write_backs)
    }
}
