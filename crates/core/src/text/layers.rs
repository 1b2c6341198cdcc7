//! A cache of the layers of a description below its settings: its file and its shipped parts, merged into one tree.
//! Readings that differ only in their settings, such as the points of a sweep, share the tree.
//!
//! Settings may select the parts, so the merged layers are cached for each combination of settings that may name parts.
//! The number of cached combinations is limited. The settings themselves are not in these layers.

use super::origin::{TextSpan, Texts};
use super::set::PARTS;
use super::tree::Tree;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest number of cached combinations.
const CACHED_COMBINATIONS_MAX: usize = 64;

/// The merged layers of one document below its settings.
///
/// A cache serves a single document, whose text does not change.
#[derive(Default)]
pub struct LayerCache(Mutex<Vec<(PartSettings, Arc<Layers>)>>);

/// The merged layers below the settings.
pub(super) struct Layers {
    /// All texts. Those of the settings are included, and each reading replaces them.
    pub texts: Texts,
    /// The keys of the parts, overridden by those of the file.
    pub tree: Tree,
    /// The source location of the file.
    pub place: Option<TextSpan>,
}

/// The facts about the settings on which the layers below them depend: how many settings there are, from which the
/// numbers of the texts follow, and the settings that may name parts.
#[derive(PartialEq, Eq)]
pub(super) struct PartSettings {
    set_count: usize,
    varied_count: usize,
    part_settings: Vec<(usize, String)>,
}

impl PartSettings {
    pub(super) fn new(sets: &[String], varied: &[String]) -> PartSettings {
        let options = sets.iter().chain(varied).enumerate();
        let part_settings =
            options.filter(|(_, option)| option.contains(PARTS)).map(|(index, option)| (index, option.clone()));
        PartSettings { set_count: sets.len(), varied_count: varied.len(), part_settings: part_settings.collect() }
    }
}

impl LayerCache {
    pub(super) fn find(&self, settings: &PartSettings) -> Option<Arc<Layers>> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().find(|(cached, _)| cached == settings).map(|(_, layers)| layers.clone())
    }

    pub(super) fn insert(&self, settings: PartSettings, layers: Layers) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() < CACHED_COMBINATIONS_MAX && entries.iter().all(|(cached, _)| *cached != settings) {
            entries.push((settings, Arc::new(layers)));
        }
    }
}
