//! Text in lines of a limited width.

/// Wraps `content` at spaces in lines of at most `columns` characters, with the first line after `first` and the others
/// after `rest`. A word that is longer than a line has a line of its own.
pub fn wrapped(first: &str, rest: &str, content: &str, columns: usize) -> String {
    let mut text = first.to_owned();
    let mut width = first.chars().count();
    for (i, word) in content.split_whitespace().enumerate() {
        let word_width = word.chars().count();
        if i > 0 && width + 1 + word_width > columns {
            text.extend(["\n", rest, word]);
            width = rest.chars().count() + word_width;
        } else {
            let gap = if i == 0 { "" } else { " " };
            text.extend([gap, word]);
            width += gap.len() + word_width;
        }
    }
    text + "\n"
}
