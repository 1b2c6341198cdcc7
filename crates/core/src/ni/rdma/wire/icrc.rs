//! The invariant CRC (InfiniBand Architecture Specification, volume 1, section 7.8.1; Annex A17, section A17.3.3): a
//! CRC-32 of a packet in which all fields that routers may change count as ones.

/// Length of an invariant CRC.
pub const ICRC_BYTES: usize = 4;

/// Returns the invariant CRC of a packet, which begins with its IPv4 header of 20 bytes and has no CRC yet.
pub fn invariant_crc(packet: &[u8]) -> [u8; ICRC_BYTES] {
    /// Bytes that may change: service class, time to live and checksum of IPv4, checksum of UDP, congestion marks.
    const VARIANT_OFFSETS: [usize; 7] = [1, 8, 10, 11, 26, 27, 32];
    let mut head = [0xff; 8 + 40];
    head[8..].copy_from_slice(&packet[..40]);
    VARIANT_OFFSETS.into_iter().for_each(|offset| head[8 + offset] = 0xff);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head);
    hasher.update(&packet[40..]);
    hasher.finalize().to_le_bytes()
}
