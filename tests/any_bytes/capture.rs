//! Feeds arbitrary bytes as a capture: each packet must be within the bytes, or the error must have a message and an
//! offset within them.

use narrows::protocol::udp_ip::parse;
use narrows::report::capture::read;

/// Reads the capture, and parses each of its packets.
pub fn check_any_bytes(bytes: &[u8]) {
    match read(bytes) {
        Ok(packets) => {
            let file = bytes.as_ptr_range();
            let is_in_file = |field: &[u8]| {
                field.is_empty() || (file.contains(&field.as_ptr()) && field.as_ptr_range().end <= file.end)
            };
            assert!(packets.iter().all(|packet| is_in_file(packet.bytes)));
            // Each packet has a header in the file, so the length of the file bounds their number.
            assert!(packets.len() <= bytes.len() / 16);
            for packet in packets.iter().filter_map(|packet| packet.ipv4()) {
                let _ = parse(packet);
            }
        }
        Err(error) => assert!(error.offset <= bytes.len() && !error.message.is_empty(), "{error}"),
    }
}
