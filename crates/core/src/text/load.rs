//! Loads and merges the layers of a description: shipped parts, the file, `--set` options.
//!
//! Later layers override earlier ones: parts in the order in which they are named, then the file, then the options.
//! The reader adds defaults and interprets the keys.

use super::layers::{LayerCache, Layers, PartSettings};
use super::origin::{Layer, TextId, TextSpan, Texts};
use super::problem::{Problem, Problems};
use super::set::{self, PARTS, Setting};
use super::tree::{Rank, Tree, TreeBuilder, TreeNode, TreeValue};
use super::unknown_part::unknown_part;
use std::path::Path;
use toml::de::DeTable;

/// The shipped parts.
#[derive(Clone, Copy)]
pub struct PartLibrary<'a> {
    /// Returns the text of a part by its name; it may be called from several threads.
    pub find: &'a (dyn Fn(&str) -> Option<&'static str> + Sync),
    /// The names of all parts.
    pub names: &'static [&'static str],
    /// The names of the shipped examples, which are not parts, for messages.
    pub examples: &'static [&'static str],
    /// The top-level tables whose entries may also name parts. An entry overrides its parts.
    pub tables: &'a [&'a str],
}

impl PartLibrary<'_> {
    /// A library without parts.
    pub const EMPTY: PartLibrary<'static> = PartLibrary { find: &|_| None, names: &[], examples: &[], tables: &[] };
}

/// The main text of a description.
#[derive(Clone, Copy, Debug)]
pub enum Document<'a> {
    /// A file to be read.
    File(&'a Path),
    /// A text in memory: its name for messages, the text, and the folder to which paths in it are relative.
    Text(&'a str, &'a str, Option<&'a Path>),
    /// No main text: all values come from `parts` and other settings.
    None,
}

/// The inputs of a description.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The user's file.
    pub document: Document<'a>,
    /// The `--set` options, in order.
    pub sets: &'a [String],
    /// The values that a sweep varies: settings that override `sets`.
    pub varied: &'a [String],
    /// The shipped parts.
    pub library: PartLibrary<'a>,
}

/// A description with all layers merged, not yet read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The texts from which the description was loaded.
    pub texts: Texts,
    /// The whole description as one table.
    pub root: TreeNode,
    /// The names of the shipped parts, for hints.
    pub parts: &'static [&'static str],
}

/// Reads and merges all layers.
///
/// # Errors
///
/// Returns every problem of the texts: invalid TOML, unknown parts, invalid settings.
pub fn load(source: &Source<'_>) -> Result<Loaded, Problems> {
    let mut loader = Loader::new(source.library);
    let (layers, settings) = loader.load_layers(source);
    loader.finish(layers, settings)
}

/// Reads and merges all layers like [`load`]. The layers below the settings are taken from `cache`, if a reading with
/// the same parts has put them there. The document must be a text.
///
/// # Errors
///
/// Returns every problem of the texts: invalid TOML, unknown parts, invalid settings.
pub fn load_cached(source: &Source<'_>, cache: &LayerCache) -> Result<Loaded, Problems> {
    debug_assert!(!matches!(source.document, Document::File(_)), "a file may change between two readings");
    let (mut loader, part_settings) = (Loader::new(source.library), PartSettings::new(source.sets, source.varied));
    if let Some(cached_layers) = cache.find(&part_settings) {
        let settings = loader.replace_settings(&cached_layers, source);
        return loader.finish((cached_layers.tree.clone(), cached_layers.place.clone()), settings);
    }
    let ((tree, place), settings) = loader.load_layers(source);
    if loader.problems.is_empty() {
        cache.insert(part_settings, Layers { texts: loader.texts.clone(), tree: tree.clone(), place: place.clone() });
    }
    loader.finish((tree, place), settings)
}

/// Loads several files as one description, in which no two files have the same top-level key. Each file is given by its
/// name for messages, its text, and the folder to which paths in it are relative.
pub fn load_files(files: &[(&Path, &str, Option<&Path>)]) -> Result<Loaded, Problems> {
    let mut loader = Loader::new(PartLibrary::EMPTY);
    for (path, text, folder) in files {
        let parsed = loader.parse(Layer::File(path.to_path_buf()), text, *folder);
        loader.parts.push(((Vec::new(), path.display().to_string()), parsed));
    }
    let tree = loader.merge(None);
    let place = (!files.is_empty()).then_some(TextSpan { text: 0, span: 0..0 });
    loader.finish((tree, place), Vec::new())
}

/// A text that was parsed as TOML. The rank of its layer is not known yet.
struct ParsedText {
    text: TextId,
    tree: Tree,
}

/// The names of parts, each with the source location of the name.
type PartNames = Vec<(String, Option<TextSpan>)>;

struct Loader<'a> {
    library: PartLibrary<'a>,
    texts: Texts,
    problems: Vec<Problem>,
    /// The parts in rising precedence, each with the table in which it is placed, its name, and its text.
    parts: Vec<((Vec<String>, String), ParsedText)>,
}

impl<'a> Loader<'a> {
    fn new(library: PartLibrary<'a>) -> Loader<'a> {
        Loader { library, texts: Texts::default(), problems: Vec::new(), parts: Vec::new() }
    }

    /// Returns the merged layers below the settings, with the source location of the file, and the settings.
    fn load_layers(&mut self, source: &Source<'_>) -> ((Tree, Option<TextSpan>), Vec<Setting>) {
        let file = self.parse_document(source.document);
        let mut settings = self.parse_settings(source.sets, Layer::Set);
        settings.extend(self.parse_settings(source.varied, Layer::Vary));
        let (mut file, place, part_names) = self.extract_part_names(file, &settings);
        let entry_parts = self.extract_entry_parts(&mut file, &settings);
        for (table_path, part_names) in [(Vec::new(), part_names)].into_iter().chain(entry_parts) {
            for (name, place) in part_names {
                self.add_part((&name, place), &table_path, &mut Vec::new());
            }
        }
        ((self.merge(file), place), settings)
    }

    /// Returns the settings of `source`, whose texts replace those of an earlier reading with as many settings.
    fn replace_settings(&mut self, cached: &Layers, source: &Source<'_>) -> Vec<Setting> {
        self.texts = cached.texts.clone();
        let first_setting_text = usize::from(!matches!(source.document, Document::None));
        let set = source.sets.iter().map(|option| (option, Layer::Set as fn(String) -> Layer));
        let varied = source.varied.iter().map(|option| (option, Layer::Vary as fn(String) -> Layer));
        let mut settings = Vec::new();
        for (text, (option, layer)) in (first_setting_text..).zip(set.chain(varied)) {
            self.texts.replace(text, layer(option.clone()), option);
            settings.extend(self.parse_setting(option, text));
        }
        settings
    }

    /// Applies the settings to the layers below them.
    fn finish(mut self, layers: (Tree, Option<TextSpan>), settings: Vec<Setting>) -> Result<Loaded, Problems> {
        let (mut tree, place) = layers;
        let (_, settings): (Vec<_>, Vec<_>) = settings.into_iter().partition(|setting| self.names_parts(setting));
        for setting in settings {
            if let Err(problem) = setting.apply(&mut tree) {
                self.problems.push(problem);
            }
        }
        if !self.problems.is_empty() {
            return Err(Problems::new(self.problems, &self.texts));
        }
        let root = TreeNode { place, ..TreeNode::synthetic(TreeValue::Table(tree)) };
        Ok(Loaded { texts: self.texts, root, parts: self.library.names })
    }

    fn parse_document(&mut self, document: Document<'_>) -> Option<ParsedText> {
        match document {
            Document::None => None,
            Document::Text(name, text, folder) => Some(self.parse(Layer::File(name.into()), text, folder)),
            Document::File(path) => match super::file::read(path) {
                Ok(text) => Some(self.parse(Layer::File(path.to_path_buf()), &text, path.parent())),
                Err(problem) => {
                    self.problems.push(problem);
                    None
                }
            },
        }
    }

    fn parse(&mut self, layer: Layer, content: &str, folder: Option<&Path>) -> ParsedText {
        let text = self.texts.add(layer, content, folder);
        let builder = TreeBuilder { text, rank: 0, offset: 0 };
        let (table, errors) = DeTable::parse_recoverable(content);
        for error in &errors {
            let place = error.span().map_or(0..0, |span| span);
            let problem = Problem::new("invalid TOML").with_location(Some(builder.place(place)), error.message());
            self.problems.push(problem.help(toml_help(error.message())));
        }
        let tree = if errors.is_empty() { builder.tree(table.get_ref()) } else { Tree::default() };
        ParsedText { text, tree }
    }

    fn parse_settings(&mut self, sets: &[String], layer: impl Fn(String) -> Layer) -> Vec<Setting> {
        let mut settings = Vec::new();
        for option in sets {
            let text = self.texts.add(layer(option.clone()), option, None);
            settings.extend(self.parse_setting(option, text));
        }
        settings
    }

    fn parse_setting(&mut self, option: &str, text: TextId) -> Option<Setting> {
        set::parse(option, text, Rank::MAX).map_err(|problem| self.problems.push(problem)).ok()
    }

    /// Returns the file without its key `parts`, and the named parts with the locations of their names.
    fn extract_part_names(
        &mut self,
        file: Option<ParsedText>,
        settings: &[Setting],
    ) -> (Option<ParsedText>, Option<TextSpan>, PartNames) {
        let (mut file, mut part_names) = (file, Vec::new());
        if let Some(parsed) = &mut file {
            part_names = self.take_part_names(&mut parsed.tree);
        }
        if let Some(setting) = settings.iter().rfind(|setting| setting.sets_key(PARTS)) {
            part_names = self.part_names(&setting.value);
        }
        let place = file.as_ref().map(|parsed| TextSpan { text: parsed.text, span: 0..0 });
        (file, place, part_names)
    }

    /// Returns the parts that entries of tables name, with the paths of the entries.
    fn extract_entry_parts(
        &mut self,
        file: &mut Option<ParsedText>,
        settings: &[Setting],
    ) -> Vec<(Vec<String>, PartNames)> {
        let mut entry_parts: Vec<(Vec<String>, PartNames)> = Vec::new();
        let PartLibrary { tables, .. } = self.library;
        for table in tables {
            let entries = file.as_mut().and_then(|parsed| parsed.tree.get_mut(table)).and_then(TreeNode::table_mut);
            for (name, entry) in entries.into_iter().flat_map(Tree::in_order_mut) {
                if let Some(entry) = entry.table_mut().filter(|entry| entry.get(PARTS).is_some()) {
                    entry_parts.push((vec![table.to_string(), name.to_owned()], self.take_part_names(entry)));
                }
            }
        }
        for setting in settings.iter().filter(|setting| setting.sets_entry_key(tables, PARTS)) {
            let table_path = setting.parents();
            entry_parts.retain(|(other_path, _)| *other_path != table_path);
            entry_parts.push((table_path, self.part_names(&setting.value)));
        }
        entry_parts
    }

    /// Returns whether a setting names parts of the description or of an entry.
    fn names_parts(&self, setting: &Setting) -> bool {
        setting.sets_key(PARTS) || setting.sets_entry_key(self.library.tables, PARTS)
    }

    fn take_part_names(&mut self, tree: &mut Tree) -> PartNames {
        let parts = tree.remove(PARTS);
        parts.map(|node| self.part_names(&node)).unwrap_or_default()
    }

    fn part_names(&mut self, node: &TreeNode) -> PartNames {
        let items = match &node.value {
            TreeValue::List(items) => items.iter().collect(),
            _ => vec![node],
        };
        let mut names = Vec::new();
        for item in items {
            match item.text() {
                Some(name) => names.push((name.to_string(), item.place.clone())),
                None => self.problems.push(not_a_part_name_problem(item)),
            }
        }
        names
    }

    /// Adds a part to the table `table_path`, with a higher precedence than the parts of which it consists.
    fn add_part(
        &mut self,
        (name, place): (&str, Option<TextSpan>),
        table_path: &[String],
        including_parts: &mut Vec<String>,
    ) {
        if including_parts.iter().any(|part| part == name) {
            return self.problems.push(inclusion_cycle_problem(name, place, including_parts));
        }
        if self.parts.iter().any(|((other_path, other_name), _)| other_name == name && other_path == table_path) {
            return;
        }
        let Some(text) = (self.library.find)(name) else {
            let PartLibrary { names, examples, .. } = self.library;
            return self.problems.push(unknown_part(name, place, names, examples));
        };
        let mut parsed = self.parse(Layer::Part(name.to_string()), text, None);
        including_parts.push(name.to_string());
        for (part, place) in self.take_part_names(&mut parsed.tree) {
            self.add_part((&part, place), table_path, including_parts);
        }
        including_parts.pop();
        for key in table_path.iter().rev() {
            let mut enclosing_tree = Tree::default();
            enclosing_tree.insert(key.clone(), TreeNode::synthetic(TreeValue::Table(parsed.tree)));
            parsed.tree = enclosing_tree;
        }
        self.parts.push(((table_path.to_vec(), name.to_string()), parsed));
    }

    /// Merges the parts in rising precedence, and the file last.
    fn merge(&mut self, file: Option<ParsedText>) -> Tree {
        let mut merged = Tree::default();
        let layers = std::mem::take(&mut self.parts).into_iter().map(|(_, parsed)| parsed).chain(file);
        for (rank, mut parsed) in layers.enumerate() {
            parsed.tree.set_rank(rank);
            merged.merge_layer(parsed.tree);
        }
        merged
    }
}

fn not_a_part_name_problem(item: &TreeNode) -> Problem {
    Problem::new(format!("`{PARTS}` names shipped parts by strings"))
        .with_location(item.place.clone(), format!("this is {}", item.value.type_with_article()))
        .help("write a list of names, such as parts = [\"hosts/p6-natoma\"]")
}

fn inclusion_cycle_problem(name: &str, place: Option<TextSpan>, including_parts: &[String]) -> Problem {
    let start = including_parts.iter().position(|part| part == name).unwrap_or(0);
    let chain: Vec<&str> = including_parts[start..].iter().map(String::as_str).chain([name]).collect();
    Problem::new(format!("the shipped part \"{name}\" includes itself"))
        .with_location(place, "this closes the cycle")
        .help(chain.join(" → "))
}

/// Returns help for the most common errors in TOML syntax.
fn toml_help(message: &str) -> &'static str {
    if message.contains("must be quoted") {
        "write quantities and words in quotes: \"40 ns\""
    } else if message.contains("duplicate key") {
        "define a key once in a file: leave one out"
    } else {
        ""
    }
}

impl Tree {
    /// Assigns every key of a single layer to the layer `rank`.
    fn set_rank(&mut self, rank: Rank) {
        self.nodes_mut().for_each(|node| node.set_rank(rank));
    }
}

impl TreeNode {
    fn set_rank(&mut self, rank: Rank) {
        self.definitions.iter_mut().for_each(|definition| definition.rank = rank);
        match &mut self.value {
            TreeValue::Table(tree) => tree.set_rank(rank),
            TreeValue::List(items) => items.iter_mut().for_each(|item| item.set_rank(rank)),
            _ => {}
        }
    }
}
