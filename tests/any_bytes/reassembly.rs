//! Feeds arbitrary bytes as a script of fragments, four bytes for each fragment. A complete datagram must have had each
//! of its bytes stored once, and no more bytes may be stored than the limit allows.

use narrows::engine::Time;
use narrows::protocol::udp_ip::{
    DatagramKey, IPV4_HEADER, Parsed, Reassembled, Reassembly, ReassemblyParameters, UDP_HEADER, UdpHead,
};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

const LIMITS: ReassemblyParameters = ReassemblyParameters { datagrams: 3, bytes: 400, lifetime: Time::from_ns(40) };

/// The stored bytes of each incomplete datagram, as a reader keeps them in its own buffers.
type StoredBytes = BTreeMap<DatagramKey, Vec<u8>>;

/// Delivers the fragments of the script, and checks the result of each.
pub fn check_any_bytes(bytes: &[u8]) {
    let (mut reassembly, mut stored_bytes, mut now) = (Reassembly::new(LIMITS), StoredBytes::new(), Time::ZERO);
    for step in bytes.as_chunks::<4>().0 {
        now += Time::from_ns(u64::from(step[3] % 32));
        for key in reassembly.expire(now) {
            assert!(stored_bytes.remove(&key).is_some(), "an expired datagram was incomplete");
        }
        add_fragment(&fragment(step), &mut reassembly, &mut stored_bytes, now);
        let bytes: usize = stored_bytes.values().map(Vec::len).sum();
        assert_eq!(bytes, reassembly.bytes());
        assert!(bytes <= LIMITS.bytes && (stored_bytes.len()..=LIMITS.datagrams).contains(&reassembly.datagrams()));
        assert_eq!(reassembly.next_timer().is_some(), reassembly.datagrams() > 0);
        assert!(
            reassembly.next_timer().is_none_or(|expires_at| expires_at > now && expires_at <= now + LIMITS.lifetime)
        );
    }
    let expired_keys = reassembly.expire(now + LIMITS.lifetime);
    assert!(expired_keys.len() == stored_bytes.len() && expired_keys.iter().all(|key| stored_bytes.contains_key(key)));
    assert_eq!((reassembly.datagrams(), reassembly.bytes()), (0, 0));
}

/// Returns the fragment that four bytes of a script describe. It belongs to one of four datagrams. Only a datagram's
/// last fragment may have a length that is not a multiple of 8 bytes.
fn fragment(&[flags, position, length, time_and_odd_bytes]: &[u8; 4]) -> Parsed {
    let more_fragments = flags & 1 == 1;
    let offset = 8 * usize::from(position % 16);
    let odd_bytes = if more_fragments { 0 } else { usize::from(time_and_odd_bytes / 32) };
    let fragment_bytes = 8 * usize::from(1 + length % 6) + odd_bytes;
    let is_first = offset == 0;
    let payload = if more_fragments { usize::from(length / 6) * 2 + 1 } else { fragment_bytes - UDP_HEADER };
    let udp = is_first.then_some(UdpHead { from: 1, to: 2, payload, checksum: None });
    let start = IPV4_HEADER + if is_first { UDP_HEADER } else { 0 };
    let [from, to] = [1, 2].map(|host| Ipv4Addr::new(10, 0, 0, host));
    let identification = u16::from(flags >> 1 & 3);
    Parsed {
        from,
        to,
        identification,
        offset,
        more_fragments,
        header_len: IPV4_HEADER,
        payload: start..IPV4_HEADER + fragment_bytes,
        udp,
    }
}

fn add_fragment(packet: &Parsed, reassembly: &mut Reassembly, stored_bytes: &mut StoredBytes, now: Time) {
    let key = packet.key();
    match reassembly.arrive(packet, now) {
        Reassembled::Kept => {
            stored_bytes.entry(key).or_default().extend(packet.datagram_range().map(|byte| byte as u8))
        }
        Reassembled::Dropped { abandons_datagram, .. } => {
            if abandons_datagram {
                stored_bytes.remove(&key);
            }
        }
        Reassembled::Complete { key: completed_key, length, header } => {
            assert_eq!(completed_key, key);
            assert_eq!(header.payload, length);
            let previous_bytes =
                if packet.is_whole() { Vec::new() } else { stored_bytes.remove(&key).unwrap_or_default() };
            let mut bytes: Vec<u8> =
                previous_bytes.into_iter().chain(packet.datagram_range().map(|byte| byte as u8)).collect();
            bytes.sort_unstable();
            // A datagram of a script has at most 256 bytes, so each of its bytes has a different value.
            assert!(bytes.into_iter().map(usize::from).eq(0..UDP_HEADER + length), "each byte arrives once");
        }
    }
}
