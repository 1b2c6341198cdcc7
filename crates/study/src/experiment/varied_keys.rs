//! Derives the varied keys of a sweep, in the form of `--vary`, from its points.

use narrows_core::text::quantity::parse_number;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of values of a varied key that the explorer page accepts.
const VALUES_MAX: usize = 60;

/// The keys in which points differ, with their values at each point.
#[derive(PartialEq, Eq, Debug)]
pub struct VariedKeys<'a> {
    /// The keys; the values of the first are numbers, all different.
    pub keys: Vec<&'a str>,
    /// The values of all keys at each point, in increasing order of the first key.
    pub rows: Vec<Vec<&'a str>>,
}

impl<'a> VariedKeys<'a> {
    /// Groups the points by the keys in which they differ from `first`, and returns the keys of the largest group in
    /// which the values of a key are numbers.
    pub fn find(first: &BTreeMap<&'a str, &'a str>, others: &[&BTreeMap<&'a str, &'a str>]) -> Option<VariedKeys<'a>> {
        let mut groups: BTreeMap<Vec<&str>, Vec<&BTreeMap<&str, &str>>> = BTreeMap::new();
        for other in others.iter().filter(|other| other.len() == first.len()) {
            let differing: Vec<&str> =
                first.iter().filter(|(key, value)| other.get(*key) != Some(*value)).map(|(key, _)| *key).collect();
            if !differing.is_empty() && differing.iter().all(|key| other.contains_key(key)) {
                groups.entry(differing).or_default().push(other);
            }
        }
        let varied = groups.into_iter().filter_map(|(keys, mut points)| {
            points.push(first);
            VariedKeys::from_points(keys, &points)
        });
        // If two groups have equally many values, the group with the first keys is returned.
        varied.fold(None, |best: Option<VariedKeys>, varied| match best {
            Some(best) if best.rows.len() >= varied.rows.len() => Some(best),
            _ => Some(varied),
        })
    }

    fn from_points(mut keys: Vec<&'a str>, points: &[&BTreeMap<&'a str, &'a str>]) -> Option<VariedKeys<'a>> {
        let values = |key: &str| points.iter().map(|point| point[key]).collect::<Vec<&str>>();
        let is_axis = |key: &str| {
            let numbers: Vec<Option<f64>> = values(key).into_iter().map(parse_number).collect();
            let mut sorted: Vec<f64> = numbers.iter().copied().flatten().collect();
            sorted.sort_by(f64::total_cmp);
            sorted.len() == numbers.len() && sorted.windows(2).all(|pair| pair[0] < pair[1])
        };
        // A key with equal values at several points does not vary together with the others.
        let is_distinct = |key: &str| values(key).into_iter().collect::<BTreeSet<&str>>().len() == points.len();
        if !keys.iter().all(|key| is_distinct(key)) {
            return None;
        }
        let axis = keys.iter().position(|key| key.starts_with("workload.") && is_axis(key));
        let axis = axis.or_else(|| keys.iter().position(|key| is_axis(key)))?;
        keys.swap(0, axis);
        let mut rows: Vec<Vec<&str>> =
            points.iter().map(|point| keys.iter().map(|key| point[*key]).collect()).collect();
        rows.sort_by(|a, b| parse_number(a[0]).unwrap_or_default().total_cmp(&parse_number(b[0]).unwrap_or_default()));
        let is_plain = rows.iter().flatten().all(|value| !value.contains([',', ';', '[', '{', '"', '\'']));
        (is_plain && rows.len() <= VALUES_MAX).then_some(VariedKeys { keys, rows })
    }

    /// Returns the keys and values as `--vary` takes them.
    pub fn text(&self) -> String {
        let key_and_values = |(index, key): (usize, &&str)| {
            let values: Vec<&str> = self.rows.iter().map(|row| row[index]).collect();
            format!("{key}={}", values.join(","))
        };
        self.keys.iter().enumerate().map(key_and_values).collect::<Vec<_>>().join(";")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(points: &[&[&str]]) -> Option<String> {
        let points: Vec<Vec<String>> =
            points.iter().map(|overrides| overrides.iter().map(|text| (*text).to_owned()).collect()).collect();
        let points: Vec<BTreeMap<&str, &str>> =
            points.iter().map(|overrides| overrides.iter().filter_map(|text| text.split_once('=')).collect()).collect();
        VariedKeys::find(&points[0], &points.iter().collect::<Vec<_>>()).map(|varied| varied.text())
    }

    #[test]
    fn curve_varies_the_keys_in_which_most_points_differ_from_the_first() {
        let points: [&[&str]; 5] = [
            &["ni=a", "size=64 B"],
            &["ni=b", "size=64 B"],
            &["ni=a", "size=1 KiB"],
            &["ni=a", "size=8 B"],
            &["ni=b", "size=8 B"],
        ];
        assert_eq!(varied(&points).as_deref(), Some("size=8 B,64 B,1 KiB"));
    }

    #[test]
    fn keys_that_change_together_vary_together() {
        let points: [&[&str]; 2] =
            [&["ni.max=4 KiB", "workload.x.payload=4 KiB"], &["ni.max=8 KiB", "workload.x.payload=8 KiB"]];
        assert_eq!(varied(&points).as_deref(), Some("workload.x.payload=4 KiB,8 KiB;ni.max=4 KiB,8 KiB"));
    }

    #[test]
    fn key_with_equal_values_does_not_vary_together_with_others() {
        let points: [&[&str]; 4] =
            [&["op=write", "size=2 B"], &["op=read", "size=4 B"], &["op=read", "size=8 B"], &["op=write", "size=4 B"]];
        assert_eq!(varied(&points).as_deref(), Some("size=2 B,4 B"));
    }

    #[test]
    fn names_and_single_points_give_no_curve() {
        assert_eq!(varied(&[&["ni=a"], &["ni=b"]]), None);
        assert_eq!(varied(&[&["size=8 B"]]), None);
    }
}
