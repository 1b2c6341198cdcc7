//! Text in lines of a limited width.

/// Wraps `content` at spaces in lines of at most `line_width` characters. The first line begins with `first_prefix`,
/// the others with `prefix`. A word that is longer than a line has a line of its own.
pub fn wrapped(first_prefix: &str, prefix: &str, content: &str, line_width: usize) -> String {
    let mut text = first_prefix.to_owned();
    let mut width = first_prefix.chars().count();
    for (i, word) in content.split_whitespace().enumerate() {
        let word_width = word.chars().count();
        if i > 0 && width + 1 + word_width > line_width {
            text.extend(["\n", prefix, word]);
            width = prefix.chars().count() + word_width;
        } else {
            let separator = if i == 0 { "" } else { " " };
            text.extend([separator, word]);
            width += separator.len() + word_width;
        }
    }
    text + "\n"
}
