//! Percent-encoding of texts in addresses.

/// Returns a text in which each byte for which `is_plain` is false is percent-encoded.
pub fn encoded(text: &str, is_plain: impl Fn(u8) -> bool) -> String {
    let encode_byte = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode_byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_are_encoded_one_by_one() {
        assert_eq!(encoded("a µ&", |byte| byte.is_ascii_alphanumeric()), "a%20%C2%B5%26");
    }
}
