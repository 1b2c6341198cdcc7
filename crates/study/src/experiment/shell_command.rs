//! The command lines that repeat an experiment.

/// Returns the command line of `narrows COMMAND` on a description. `options` are pairs of an option and its values; the
/// option is repeated before each value.
pub fn command_line(command: &str, description: &str, options: &[(&str, &[String])]) -> String {
    let with_values = |(option, values): &(&str, &[String])| {
        values.iter().map(|value| format!(" {option} {}", quoted(value))).collect::<String>()
    };
    format!("narrows {command} {}{}", quoted(description), options.iter().map(with_values).collect::<String>())
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_other_characters_are_quoted() {
        let overrides = ["ni=ni2w".to_owned(), "a=it's 1 KiB".to_owned()];
        let line = command_line("run", "my machine.toml", &[("--set", &overrides), ("--vary", &[])]);
        assert_eq!(line, r"narrows run 'my machine.toml' --set ni=ni2w --set 'a=it'\''s 1 KiB'");
    }
}
