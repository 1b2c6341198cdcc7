//! Distributions as JSON, and distributions over several runs.
//!
//! In JSON, the histogram of a distribution has its number of `samples`, the exact `min` and `max`, and its non-empty
//! buckets in ascending order: `up_to` lists the greatest value of each bucket, and `counts` its number of samples.
//! Values are whole numbers of `unit`. Histograms of equal units are merged by adding the counts of equal buckets.
//!
//! `pretty` prints results as indented JSON. Each list of a histogram is printed on one line.

use narrows_core::engine::histogram::RELATIVE_ERROR;
use narrows_core::engine::{Distribution, Histogram, SampleUnit};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};

/// The key of distributions in a result.
pub const KEY: &str = "distributions";

/// Returns distributions as a JSON object with their names as keys.
pub fn json(distributions: &[Distribution]) -> Json {
    distributions
        .iter()
        .map(|distribution| (distribution.name.to_string(), distribution_json(distribution)))
        .collect::<Map<_, _>>()
        .into()
}

/// Returns a distribution as JSON, without its name.
pub fn distribution_json(distribution: &Distribution) -> Json {
    let histogram = &distribution.histogram;
    let bucket_values = |value_of: fn(narrows_core::engine::histogram::Bucket) -> u64| {
        histogram.buckets().map(value_of).collect::<Vec<_>>()
    };
    json!({
        "unit": distribution.unit.name(),
        "samples": histogram.samples(),
        "min": histogram.min(),
        "max": histogram.max(),
        "relative_error": RELATIVE_ERROR,
        "up_to": bucket_values(|bucket| bucket.max),
        "counts": bucket_values(|bucket| bucket.count),
    })
}

/// Reads distributions from a JSON object with their names as keys. Null contains no distribution.
///
/// # Errors
///
/// Returns a sentence that names the value that is not a distribution, and states the reason.
pub fn read(json: &Json) -> Result<Vec<Distribution>, String> {
    let distributions = match json {
        Json::Null => return Ok(Vec::new()),
        Json::Object(all) => all,
        _ => return Err("its `distributions` are not an object".to_owned()),
    };
    let read_entry = |(name, json): (&String, &Json)| {
        read_distribution(name, json).map_err(|why| format!("its distribution `{name}` is damaged: {why}"))
    };
    distributions.iter().map(read_entry).collect()
}

/// Reads the distribution `name`.
///
/// # Errors
///
/// Returns a sentence that states the error in the JSON.
pub fn read_distribution(name: &str, json: &Json) -> Result<Distribution, String> {
    let unit = json["unit"]
        .as_str()
        .and_then(|unit| SampleUnit::ALL.into_iter().find(|sample_unit| sample_unit.name() == unit));
    let unit = unit.ok_or("its unit is neither `ps` nor `cycles`")?;
    let integer = |key: &str| json[key].as_u64().ok_or(format!("`{key}` is not a whole number"));
    let integer_list = |key: &str| {
        let list = json[key].as_array().ok_or(format!("`{key}` is not a list"))?;
        let integers =
            list.iter().map(|number| number.as_u64().ok_or(format!("`{key}` has a value that is not a whole number")));
        integers.collect::<Result<Vec<u64>, String>>()
    };
    let (up_to, counts) = (integer_list("up_to")?, integer_list("counts")?);
    if up_to.len() != counts.len() {
        return Err("`up_to` and `counts` have different lengths".to_owned());
    }
    let buckets: Vec<(u64, u64)> = up_to.into_iter().zip(counts).collect();
    let histogram = Histogram::from_buckets(integer("min")?, integer("max")?, &buckets)?;
    match histogram.samples() == integer("samples")? {
        true => Ok(Distribution { name: name.into(), unit, histogram }),
        false => Err("`samples` is not the sum of `counts`".to_owned()),
    }
}

/// Returns the distributions of all samples of several runs, in the order in which their names first appear. If
/// distributions of one name have different units, only those with the unit of the first are merged.
pub fn merge_by_name<'a>(distributions: impl IntoIterator<Item = &'a Distribution>) -> Vec<Distribution> {
    let mut merged: Vec<Distribution> = Vec::new();
    for distribution in distributions {
        match merged.iter_mut().find(|earlier| earlier.name == distribution.name) {
            Some(same_name) if same_name.unit == distribution.unit => {
                same_name.histogram.merge(&distribution.histogram)
            }
            Some(_) => (),
            None => merged.push(distribution.clone()),
        }
    }
    merged
}

/// Returns a result as indented JSON, with a newline at the end. Each list of a histogram is on one line.
pub fn pretty(result: &Map<String, Json>) -> String {
    let object = IndentedObject { map: result, is_histogram: false };
    serde_json::to_string_pretty(&object).expect("a result is plain JSON") + "\n"
}

/// An object of a result, to be indented.
struct IndentedObject<'a> {
    map: &'a Map<String, Json>,
    /// Whether the object is within distributions.
    is_histogram: bool,
}

impl Serialize for IndentedObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.map.len()))?;
        for (key, value) in self.map {
            let is_histogram = self.is_histogram || key == KEY;
            match value {
                Json::Object(inner) => map.serialize_entry(key, &IndentedObject { map: inner, is_histogram })?,
                Json::Array(list) if is_histogram => {
                    let line = serde_json::to_string(list).and_then(RawValue::from_string);
                    map.serialize_entry(key, &line.expect("a list of numbers is JSON"))?;
                }
                Json::Array(list) => map.serialize_entry(key, &list.iter().map(IndentedItem).collect::<Vec<_>>())?,
                other => map.serialize_entry(key, other)?,
            }
        }
        map.end()
    }
}

/// An item of a list.
struct IndentedItem<'a>(&'a Json);

impl Serialize for IndentedItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Object(map) => IndentedObject { map, is_histogram: false }.serialize(serializer),
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_core::engine::{Summary, Time};
    use proptest::prelude::*;

    fn distribution(name: &str, values: &[u64]) -> Distribution {
        let summary: Summary = values.iter().map(|&ps| Time::from_ps(ps)).collect();
        Distribution::new(name, SampleUnit::Picoseconds, &summary)
    }

    #[test]
    fn damaged_distributions_are_refused_with_the_reason() {
        let valid_json = distribution_json(&distribution("a", &[1, 2, 2, 900]));
        let error_with = |key: &str, value: Json| {
            let mut json = json!({ "a": valid_json });
            json["a"][key] = value;
            read(&json).expect_err("the distribution is damaged")
        };
        assert!(error_with("unit", json!("us")).contains("`a` is damaged: its unit is neither"));
        assert!(error_with("samples", json!(5)).contains("not the sum"));
        assert!(error_with("min", json!(-1)).contains("`min` is not a whole number"));
        assert!(error_with("max", json!(5)).contains("extremes"));
        assert!(error_with("counts", json!([1])).contains("different lengths"));
        assert!(error_with("up_to", json!("x")).contains("is not a list"));
        assert!(error_with("up_to", json!([1, 2, 0.5])).contains("not a whole number"));
        assert!(read(&json!([])).is_err() && read(&Json::Null) == Ok(Vec::new()));
    }

    #[test]
    fn histogram_lists_are_printed_on_one_line_and_everything_else_is_indented() {
        let plain = json!({ "a": [1, { "b": [2, []] }], "c": {}, "d": null, "e": "x" });
        let Json::Object(map) = &plain else { panic!("the value must be an object") };
        assert_eq!(pretty(map), format!("{plain:#}\n"));
        let sweep_result = json!({ "points": [{ KEY: json(&[distribution("a", &[1, 2])]) }] });
        let Json::Object(map) = &sweep_result else { panic!("the value must be an object") };
        assert!(pretty(map).contains("\"up_to\": [1,2],\n"), "{}", pretty(map));
        assert_eq!(serde_json::from_str::<Json>(&pretty(map)).expect("the text is JSON"), sweep_result);
    }

    proptest! {
        #[test]
        fn distributions_read_back_from_json(values in prop::collection::vec(any::<u64>(), 1..100)) {
            let all = [distribution("a", &values), distribution("b", &values[..1])];
            let text = json(&all).to_string();
            prop_assert_eq!(read(&serde_json::from_str(&text).expect("the text is JSON")), Ok(all.to_vec()));
        }

        #[test]
        fn merging_gives_the_distribution_of_all_samples(
            values in prop::collection::vec(any::<u64>(), 1..100),
            split_at in 0..100usize,
        ) {
            let (first, second) = values.split_at(split_at.min(values.len() - 1).max(1).min(values.len()));
            let parts: Vec<Distribution> =
                [first, second].iter().filter(|part| !part.is_empty()).map(|part| distribution("a", part)).collect();
            prop_assert_eq!(merge_by_name(&parts), [distribution("a", &values)]);
        }
    }
}
