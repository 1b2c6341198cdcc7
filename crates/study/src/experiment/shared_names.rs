//! Names that the results of many runs share: each name, and each list of names, exists once in the process.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A name.
pub type SharedName = Arc<str>;

/// A list of names.
pub type SharedNames = Arc<[SharedName]>;

/// The values that exist so far.
type Shared<T> = LazyLock<Mutex<HashSet<Arc<T>>>>;

/// Returns the shared copy of a name.
pub fn shared_name(name: &str) -> SharedName {
    static NAMES: Shared<str> = LazyLock::new(Mutex::default);
    shared(&NAMES, name)
}

/// Returns the shared copy of a list of names.
pub fn shared_names<'n>(names: impl Iterator<Item = &'n str>) -> SharedNames {
    static LISTS: Shared<[SharedName]> = LazyLock::new(Mutex::default);
    shared(&LISTS, &*names.map(shared_name).collect::<Vec<_>>())
}

fn shared<T: Hash + Eq + ?Sized>(all: &Mutex<HashSet<Arc<T>>>, value: &T) -> Arc<T>
where
    Arc<T>: Borrow<T> + for<'v> From<&'v T>,
{
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    all.get(value).cloned().unwrap_or_else(|| {
        let value = Arc::<T>::from(value);
        all.insert(value.clone());
        value
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_one() {
        let lists = [&["a", "b"][..], &["a", "b"], &["b", "a"]].map(|names| shared_names(names.iter().copied()));
        assert!(Arc::ptr_eq(&lists[0], &lists[1]) && !Arc::ptr_eq(&lists[0], &lists[2]));
        assert!(Arc::ptr_eq(&lists[0][0], &lists[2][1]) && lists[2].iter().map(|name| &**name).eq(["b", "a"]));
    }
}
