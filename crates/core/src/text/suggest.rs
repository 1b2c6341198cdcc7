//! Suggests the nearest valid name for an unknown name, by the characters of the names alone.

/// The largest length of a name that is compared; a longer name is hardly mistyped.
const COMPARED_LENGTH_MAX: usize = 64;

/// Returns the name in `allowed` that is nearest to `given`, if it is near enough to be meant.
pub fn nearest<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = normalized(given);
    if given.is_empty() || given.len() > COMPARED_LENGTH_MAX {
        return None;
    }
    allowed
        .into_iter()
        .filter_map(|name| distance(&given, &normalized(name)).map(|d| (d, name)))
        .min_by_key(|(d, _)| *d)
        .map(|(_, name)| name)
}

/// Normalises a name for comparison: upper and lower case are not distinguished, nor are `-`, `_` and the space.
fn normalized(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '_' | ' ') { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Returns the edit distance of two normalised names, or `None` if it is too large for a typing error.
fn distance(given: &str, name: &str) -> Option<usize> {
    if name.rsplit(['/', '.']).next() == Some(given) {
        return Some(0);
    }
    // A folder that both names have in common must not make the names appear similar.
    let (given, name) = match (given.rsplit_once('/'), name.rsplit_once('/')) {
        (Some((folder, given)), Some((other_folder, name))) if folder == other_folder => (given, name),
        _ => (given, name),
    };
    if given.len() >= 3 && (name.starts_with(given) || given.starts_with(name) && name.len() >= 3) {
        return Some(1);
    }
    let edits = strsim::damerau_levenshtein(given, name);
    let longest = given.chars().count().max(name.chars().count());
    (edits < longest && edits <= (longest / 3).max(1)).then_some(edits)
}

/// Returns the label of an unknown name: the name that was probably meant, or `otherwise` if none is near.
pub fn label<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    nearest(given, allowed).map_or_else(|| otherwise.to_owned(), |near| format!("did you mean `{near}`?"))
}

/// Returns a hint with the name that was probably meant, if one is near, and with all allowed names, introduced as
/// `list_heading`.
pub fn suggestion(list_heading: &str, given: &str, allowed: &[&str]) -> String {
    let list = if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") };
    match nearest(given, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {list_heading}: {list}"),
        None => format!("{list_heading}: {list}"),
    }
}

/// Formats names as a phrase: `a`, `b` and `c`.
pub fn phrase<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_get_suggestions() {
        let known = ["read-rate", "ring-entries", "hosts/p6-natoma"];
        assert_eq!(nearest("raed-rate", known), Some("read-rate"));
        assert_eq!(nearest("ring_entries", known), Some("ring-entries"));
        assert_eq!(nearest("ring", known), Some("ring-entries"));
        assert_eq!(nearest("p6-natoma", known), Some("hosts/p6-natoma"));
        assert_eq!(nearest("bandwidth", ["message.latency", "message.bandwidth"]), Some("message.bandwidth"));
    }

    #[test]
    fn distant_names_are_not_suggested() {
        assert_eq!(nearest("torus", ["mesh", "ring"]), None);
        assert_eq!(nearest("fabrics/ethernet", ["fabrics/myrinet", "fabrics/nifdy-torus"]), None);
        assert_eq!(nearest("fabrics/myrinte", ["fabrics/myrinet", "fabrics/nifdy-torus"]), Some("fabrics/myrinet"));
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("", ["b"]), None);
        assert_eq!(nearest(&"x".repeat(10_000), ["b"]), None);
    }

    #[test]
    fn names_read_as_a_phrase() {
        assert_eq!(phrase(["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(phrase(["a"]), "`a`");
    }
}
