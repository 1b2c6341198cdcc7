//! A machine description whose text is loaded: a shipped example, a file, the machine of an earlier result, or a text.
//! It is read with overrides, which may select shipped parts by name.
//!
//! The command line and the bindings of other languages find the same description by the same name.

use super::part_overrides::{self, NamedParts};
use super::{Record, record, vary};
use narrows_core::machine::{self, Machine, Registry, shipped};
use narrows_core::text::{Document, LayerCache, Problem, Problems, Read, RenamedKey, file, suggest};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A machine description whose text is loaded.
pub struct LoadedDescription {
    registry: Arc<Registry>,
    name: String,
    text: String,
    folder: Option<PathBuf>,
    /// The hash of each file that the description named when the result was made, by key; null if the description does
    /// not come from a result.
    recorded_file_hashes: Json,
    /// The replaceable parts that the text names, computed on first use.
    named_parts: OnceLock<NamedParts>,
    /// The text and its parts, merged.
    layers: LayerCache,
    renames: Notices,
    notices: Notices,
}

/// Reports notices on a description that was read, each once for all points of an experiment.
#[derive(Default)]
struct Notices {
    report: Option<fn(&str)>,
    /// The subjects of the notices that were reported.
    reported: Mutex<BTreeSet<String>>,
}

impl Notices {
    /// Reports those notices that `notices` returns whose subject is new. Each is given by its subject and its text.
    fn report_new(&self, notices: impl FnOnce() -> Vec<(String, String)>) {
        let Some(report) = self.report else { return };
        for (subject, notice) in notices() {
            if self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(subject) {
                report(&notice);
            }
        }
    }
}

/// Returns a notice for each former name of a key that a description uses.
fn rename_notices<T>(description: &Read<T>) -> Vec<(String, String)> {
    let notice = |key: &RenamedKey| {
        let position = key.place.as_ref().map(|place| format!("{}: ", description.texts().origin(place)));
        format!("{}`{}` was renamed to `{}`", position.unwrap_or_default(), key.old, key.new)
    };
    description.renamed_keys().iter().map(|key| (key.old.clone(), notice(key))).collect()
}

impl LoadedDescription {
    /// Returns a description with the text `text` and the parts of `registry`. Its name in messages is `name`; paths in
    /// it are relative to `folder`.
    pub fn new(
        registry: &Arc<Registry>,
        name: impl Into<String>,
        text: impl Into<String>,
        folder: Option<PathBuf>,
    ) -> LoadedDescription {
        LoadedDescription {
            registry: registry.clone(),
            name: name.into(),
            text: text.into(),
            folder,
            recorded_file_hashes: Json::Null,
            named_parts: OnceLock::new(),
            layers: LayerCache::default(),
            renames: Notices::default(),
            notices: Notices::default(),
        }
    }

    /// Sets a function that is called once for each former name of a key that the description or an override uses. Its
    /// argument is a sentence that states the former and the current name.
    pub fn on_renamed_key(mut self, report: fn(&str)) -> LoadedDescription {
        self.renames.report = Some(report);
        self
    }

    /// Sets a function that is called once for each notice on the description: a host that no node uses, or an
    /// interface that an override replaces by naming a key of another interface.
    pub fn on_notice(mut self, report: fn(&str)) -> LoadedDescription {
        self.notices.report = Some(report);
        self
    }

    /// Returns the shipped example `name`, or `None` if there is no such example or the name is a path with a folder.
    pub fn example(registry: &Arc<Registry>, name: &str) -> Option<LoadedDescription> {
        let text = shipped::example(name).filter(|_| !name.contains(std::path::is_separator))?;
        Some(LoadedDescription::new(registry, format!("examples/{name}.toml"), text, Some(shipped::SHIPPED.into())))
    }

    /// Finds a shipped example, a file with a description, or the machine of a result that `run --format json` wrote.
    pub fn find(registry: &Arc<Registry>, path: &Path) -> Result<LoadedDescription, Problem> {
        let name = path.to_string_lossy();
        if let Some(example) = LoadedDescription::example(registry, &name) {
            return Ok(example);
        }
        match file::read(path) {
            Ok(text) if path.extension().is_some_and(|ending| ending == "json") => {
                result_machine(registry, path, &text)
            }
            Ok(text) => {
                let folder = path.parent().map(Path::to_path_buf);
                Ok(LoadedDescription::new(registry, path.display().to_string(), text, folder))
            }
            Err(problem) if path.exists() => Err(problem),
            Err(problem) => Err(not_found(&name, problem)),
        }
    }

    /// Returns the name of the description in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the registry with the parts that the description may name.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Returns the text of the description.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the folder to which paths in the description are relative.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Reads and checks the description with these overrides.
    pub fn read(&self, overrides: &[String]) -> Result<Read<Machine>, Problems> {
        self.read_varied(overrides, &[])
    }

    /// Reads and checks a point of a sweep: the description with the overrides `base_overrides`, and then those of
    /// the point, `varied`. Overrides may select shipped parts, as `ni=cni32qm` does.
    pub fn read_varied(&self, base_overrides: &[String], varied: &[String]) -> Result<Read<Machine>, Problems> {
        let description = self.read_without_files(base_overrides, varied)?;
        self.renames.report_new(|| rename_notices(&description));
        let machine_notices = || machine::notices(&description).into_iter().map(|notice| (notice.clone(), notice));
        self.notices.report_new(|| machine_notices().collect());
        match self.changed_file(&description, base_overrides, varied) {
            Some(problem) => Err(Problems::from_problem(problem)),
            None => Ok(description),
        }
    }

    /// Returns a problem if the description comes from a result, and a file that it names differs from that of the
    /// result, unless an override names the file.
    fn changed_file(
        &self,
        description: &Read<Machine>,
        base_overrides: &[String],
        varied: &[String],
    ) -> Option<Problem> {
        let recorded_hashes = self.recorded_file_hashes.as_object()?;
        let key_names = |option: &str| vary::key_names(&self.registry.with_canonical_keys(option)).ok();
        let current_hashes = record::file_hashes(description);
        let is_set = |key: &str| {
            let key = key_names(&format!("{key}=0"));
            base_overrides.iter().chain(varied).any(|option| key_names(option) == key)
        };
        let (key, _) =
            recorded_hashes.iter().find(|(key, hash)| current_hashes.get(key) != Some(hash) && !is_set(key))?;
        let (_, file) = description.files().iter().find(|(file_key, _)| file_key == key)?;
        let problem =
            Problem::new(format!("`{}` is not the file that `{}` was computed from", file.display(), self.name));
        let problem = problem.help("the hash of its contents is not the one in the result");
        Some(problem.help(format!(
            "restore the file that the result was computed from, or use the present file: --set {key}={}",
            file.display()
        )))
    }

    /// Returns how to get a copy of the description that can be edited, if it is a shipped example.
    fn copy_hint(&self) -> String {
        let example = self.name.strip_prefix("examples/").and_then(|file| file.strip_suffix(".toml"));
        match example.filter(|_| self.folder.as_deref() == Some(shipped::SHIPPED.as_ref())) {
            Some(example) => {
                format!(
                    "`narrows show {example} --format toml > my.toml` writes the shipped example into a file to edit"
                )
            }
            None => String::new(),
        }
    }

    fn read_without_files(&self, base_overrides: &[String], varied: &[String]) -> Result<Read<Machine>, Problems> {
        let document = Document::Text(&self.name, &self.text, self.folder.as_deref());
        let part_selections: Vec<String> = base_overrides
            .iter()
            .chain(varied)
            .filter(|option| part_overrides::selects_part(option))
            .cloned()
            .collect();
        if part_selections.is_empty() {
            return self.registry.read_varied(document, base_overrides, varied, &self.layers);
        }
        if let Some(problem) = part_overrides::problems(part_selections.iter().map(String::as_str)).into_iter().next() {
            return Err(Problems::from_problem(problem));
        }
        let (base_overrides, varied) =
            self.named_parts.get_or_init(|| NamedParts::parse(&self.text)).rewrite_overrides(base_overrides, varied);
        let description = self.registry.read_varied(document, &base_overrides, &varied, &self.layers)?;
        match part_overrides::unused_override_problem(&description, &part_selections) {
            Some(problem) => Err(Problems::from_problem(problem.help(self.copy_hint()))),
            None => Ok(description),
        }
    }
}

/// Returns the machine of a result as a description. If the machine names no files of the user, its paths refer to
/// shipped files. Otherwise they are relative to the first of these folders that contains the files: the folder of the
/// result, the folder in which the result was made, or the working directory.
fn result_machine(registry: &Arc<Registry>, path: &Path, text: &str) -> Result<LoadedDescription, Problem> {
    let record = Record::parse(text).map_err(|why| {
        let problem =
            Problem::new(format!("`{}` is neither a description nor a result of a run: {why}", path.display()));
        problem.help("give a description, or what `narrows run FILE --format json` wrote")
    })?;
    let file_hashes = record.get("files");
    let text = registry.description(record.get("machine"));
    let in_folder = |folder: Option<PathBuf>| {
        let loaded = LoadedDescription::new(registry, path.display().to_string(), text.clone(), folder);
        LoadedDescription { recorded_file_hashes: file_hashes.clone(), ..loaded }
    };
    if file_hashes.is_null() {
        return Ok(in_folder(Some(shipped::SHIPPED.into())));
    }
    let result_folder = path.parent().map(Path::to_path_buf);
    let folders = [result_folder.clone(), record.folder(), Some(PathBuf::new())];
    let contains_files = |folder: &Option<PathBuf>| in_folder(folder.clone()).read(&[]).is_ok();
    let files_folder = folders.into_iter().filter(Option::is_some).find(contains_files);
    Ok(in_folder(files_folder.unwrap_or(result_folder)))
}

/// Returns the problem of a name that is neither a file nor an example.
fn not_found(name: &str, problem: Problem) -> Problem {
    let examples = shipped::examples();
    let problem = match suggest::nearest(name.trim_end_matches(".toml"), examples.iter().copied()) {
        Some(near) if problem.help.is_empty() => problem.help(format!("did you mean the shipped example `{near}`?")),
        _ => problem,
    };
    problem.help(format!("give a file or one of the shipped examples: {}", suggest::phrase(examples)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_part_replaces_an_earlier_one_of_its_family() {
        let loaded = LoadedDescription::example(Registry::shared(), "memory-bus").expect("the example exists");
        let [first, last] = ["ni=udma", "ni=ni2w"].map(|option| vec![option.to_owned()]);
        let description = loaded.read_varied(&first, &last).expect("the description is valid");
        assert!(description.resolved()["ni"].as_object().expect("`ni` is a table").contains_key("ni2w"));
        let declared = LoadedDescription::new(Registry::shared(), "x", format!("{}\n[ni.udma]\n", loaded.text()), None);
        assert!(declared.read(&last).is_err(), "the description declares another interface");
    }
}
