//! Links to the explorer page, in which a reader changes the machine of a figure and runs it again.
//!
//! The fragment of such a link describes the machine: its description, deflated and in base64url, then its overrides, the
//! metric and the varied keys (`docs/explore.md`). It contains no result.

use super::percent;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;

/// The address of the explorer page, relative to a report, unless the user names another.
pub const DEFAULT_EXPLORER_PAGE: &str = "explorer/index.html";

/// The level of compression: the best.
const COMPRESSION_LEVEL: u8 = 9;

/// A machine that the explorer page opens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExplorerLink {
    /// The description of the machine.
    pub text: String,
    /// The overrides of the description, each as KEY=VALUE.
    pub overrides: Vec<String>,
    /// The metric that is shown.
    pub metric: Option<String>,
    /// The varied keys and their values, as `--vary` takes them.
    pub curve: Option<String>,
}

impl ExplorerLink {
    /// Returns the fragment of the link, without `#`.
    pub fn fragment(&self) -> String {
        let mut items =
            vec![format!("~text={}", URL_SAFE_NO_PAD.encode(compress_to_vec(self.text.as_bytes(), COMPRESSION_LEVEL)))];
        items.extend(self.overrides.iter().map(|setting| {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            format!("{}={}", encoded(key.trim()), encoded(value.trim()))
        }));
        items.extend(self.metric.iter().map(|metric| format!("~metric={}", encoded(metric))));
        items.extend(self.curve.iter().map(|curve| format!("~curve={}", encoded(curve))));
        items.join("&")
    }
}

/// Returns a text as an item of a fragment: a space as `+`, and other special characters percent-encoded.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./,:=* ".contains(&byte);
    percent::encoded(text, is_plain).replace(' ', "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragment_names_overrides_metric_and_curve() {
        let link = ExplorerLink {
            text: "parts = []\n".into(),
            overrides: vec!["ni=ni2w".into(), "a.b = 64 B & more".into()],
            metric: Some("message.latency_one_way".into()),
            curve: Some("x=1 B,2 B;y=3,4".into()),
        };
        let fragment = link.fragment();
        let (text, rest) = fragment.split_once('&').expect("the fragment has several items");
        assert!(text.starts_with("~text=") && text.len() > 10 && !text.contains('%'));
        assert_eq!(rest, "ni=ni2w&a.b=64+B+%26+more&~metric=message.latency_one_way&~curve=x=1+B,2+B%3By=3,4");
    }
}
