//! The files of the page.

/// Files of the page: the name, the media type and the text of each.
pub const FILES: &[(&str, &str, &str)] = &include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The element that states which engine answers the questions of the page: the module, or the server of the page.
const ENGINE_MARKS: [&str; 2] =
    [r#"<meta name="narrows-engine" content="wasm">"#, r#"<meta name="narrows-engine" content="server">"#];

/// Returns the media type and the text of a file as a server sends it, or `None` if the page has no such file.
pub fn server_file(name: &str) -> Option<(&'static str, String)> {
    let (_, media_type, text) = FILES.iter().find(|(file_name, ..)| *file_name == name)?;
    let text = if name == "index.html" { text.replace(ENGINE_MARKS[0], ENGINE_MARKS[1]) } else { (*text).to_owned() };
    Some((media_type, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn served_page_is_marked_and_has_no_inline_script() {
        let (media_type, text) = server_file("index.html").expect("the page is embedded");
        assert!(media_type.starts_with("text/html") && text.contains(ENGINE_MARKS[1]));
        for script in text.split("<script").skip(1) {
            let (attributes, rest) = script.split_once('>').expect("the element is complete");
            assert!(attributes.contains("src=") && rest.trim_start().starts_with("</script>"), "{script}");
        }
        assert_eq!(server_file("../Cargo.toml"), None);
    }
}
