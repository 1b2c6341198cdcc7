//! Links to the explorer page, in which a reader changes the machine of a figure and runs it again.
//!
//! The fragment of such a link describes the machine: its description, deflated and in base64url, then its overrides, the
//! metric and the varied keys (`docs/explore.md`). It contains no result.

use miniz_oxide::deflate::compress_to_vec;

/// The address of the explorer page, relative to a report, unless the user names another.
pub const EXPLORER: &str = "explorer/index.html";

/// The level of compression: the best.
const LEVEL: u8 = 9;
/// The digits of base64url.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A machine that the explorer page opens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExplorerLink {
    /// The description of the machine.
    pub text: String,
    /// The overrides of the description, each as KEY=VALUE.
    pub sets: Vec<String>,
    /// The metric that is shown.
    pub metric: Option<String>,
    /// The varied keys and their values, as `--vary` takes them.
    pub curve: Option<String>,
}

impl ExplorerLink {
    /// Returns the fragment of the link, without `#`.
    pub fn fragment(&self) -> String {
        let mut items = vec![format!("~text={}", base64url(&compress_to_vec(self.text.as_bytes(), LEVEL)))];
        items.extend(self.sets.iter().map(|set| {
            let (key, value) = set.split_once('=').unwrap_or((set, ""));
            format!("{}={}", encoded(key.trim()), encoded(value.trim()))
        }));
        items.extend(self.metric.iter().map(|metric| format!("~metric={}", encoded(metric))));
        items.extend(self.curve.iter().map(|curve| format!("~curve={}", encoded(curve))));
        items.join("&")
    }
}

/// Returns a text as an item of a fragment: a space as `+`, and other special characters percent-encoded.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() || b"-_./,:=*".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Returns bytes in base64url, without padding.
fn base64url(bytes: &[u8]) -> String {
    let digits = |group: &[u8]| {
        let number =
            group.iter().fold(0usize, |number, byte| number << 8 | usize::from(*byte)) << (8 * (3 - group.len()));
        let digit = move |index: usize| char::from(DIGITS[number >> (18 - 6 * index) & 63]);
        (0..=group.len()).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_has_no_padding() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64url(text.as_bytes()));
        assert_eq!(texts, ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"]);
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn fragment_names_overrides_metric_and_curve() {
        let link = ExplorerLink {
            text: "parts = []\n".into(),
            sets: vec!["ni=ni2w".into(), "a.b = 64 B & more".into()],
            metric: Some("message.latency_one_way".into()),
            curve: Some("x=1 B,2 B;y=3,4".into()),
        };
        let fragment = link.fragment();
        let (text, rest) = fragment.split_once('&').expect("items");
        assert!(text.starts_with("~text=") && text.len() > 10 && !text.contains('%'));
        assert_eq!(rest, "ni=ni2w&a.b=64+B+%26+more&~metric=message.latency_one_way&~curve=x=1+B,2+B%3By=3,4");
    }
}
