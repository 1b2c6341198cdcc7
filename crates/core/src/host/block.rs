//! Addresses of main memory, and a cache block with its bytes.

/// A physical address of a node.
pub type Address = u64;

/// Address at which allocation begins. Address 0 stays unused, so that the use of an address that was never set is
/// noticed.
pub const FIRST_FREE: Address = 4096;

/// Bytes of a cache block (Mukherjee and Hill 1998, Table 3).
pub const BLOCK_BYTES: usize = 64;

/// Returns the address of the block that contains `address`.
#[inline]
pub const fn block_of(address: Address) -> Address {
    address & !(BLOCK_BYTES as u64 - 1)
}

/// Returns the offset of `address` in its block.
#[inline]
pub const fn offset_in_block(address: Address) -> usize {
    address as usize & (BLOCK_BYTES - 1)
}

/// The bytes of one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block(pub [u8; BLOCK_BYTES]);

impl Block {
    /// A block of zeros.
    pub const ZERO: Block = Block([0; BLOCK_BYTES]);

    /// Returns the little-endian number of `bytes` bytes at `offset`.
    #[inline]
    pub fn read(&self, offset: usize, bytes: usize) -> u64 {
        read_bytes(&self.0[offset..offset + bytes])
    }

    /// Writes the low `bytes` bytes of `value` at `offset`.
    #[inline]
    pub fn write(&mut self, offset: usize, bytes: usize, value: u64) {
        let (target, word) = (&mut self.0[offset..offset + bytes], value.to_le_bytes());
        // Copies of a fixed length need no call.
        match bytes {
            8 => target.copy_from_slice(&word),
            4 => target.copy_from_slice(&word[..4]),
            _ => target.copy_from_slice(&word[..bytes]),
        }
    }

    /// Returns a block that begins with `bytes` and continues with zeros.
    pub fn from_bytes(bytes: &[u8]) -> Block {
        let mut block = Block::ZERO;
        block.0[..bytes.len()].copy_from_slice(bytes);
        block
    }
}

/// Returns the little-endian number in up to eight bytes.
#[inline]
pub fn read_bytes(bytes: &[u8]) -> u64 {
    if let Ok(word) = bytes.try_into() {
        return u64::from_le_bytes(word);
    }
    if let Ok(word) = bytes.try_into() {
        return u32::from_le_bytes(word).into();
    }
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}
