//! Tests that no text and no option causes a panic.

use super::try_read;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_panics(text in "\\PC*|([a-z.\\[\\]{}='\"# \n,0-9]|policy|pci|parts|base|mesh|fabric|nodes){0,40}") {
        let _ = try_read(&text, &[]).map_err(|problems| problems.render(true));
    }

    #[test]
    fn no_option_panics(sets in prop::collection::vec(
        "\\PC*|(pci|policy|fabric|nodes|parts)(\\.(mesh|ring|cut-through|0|1|burst|setup|host)){0,3}=([0-9]{1,3}|base|cut-through|\\{\\}|\\[\\]|[^\n]{0,8})", 0..4)
    ) {
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let _ = try_read("parts='fast'\n[[nodes]]\nhost='a'\n", &sets).map_err(|problems| problems.to_string());
    }

    #[test]
    fn no_mutation_of_a_valid_file_panics(at in 0usize..200, removed_bytes in 0usize..9, inserted in "\\PC{0,3}|[\\[\\]='\"\n.]{0,3}") {
        let mut text = "parts = ['base']\n[pci]\nload = 0.5 # µ\nshape = [1, 2]\n[policy.cut-through]\nbuffers = 4\n[fabric]\nring = { nodes = 3 }\n[hosts.a]\n[[nodes]]\nhost = 'a'\n".to_string();
        let start = text.floor_char_boundary(at);
        let end = text.floor_char_boundary((start + removed_bytes).min(text.len()));
        text.replace_range(start..end, &inserted);
        let _ = try_read(&text, &["nodes.0.host=b"]).map_err(|problems| problems.render(false));
    }
}
