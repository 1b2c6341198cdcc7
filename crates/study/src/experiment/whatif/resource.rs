//! The resources of a machine: the parameters that its parts declare to belong together, and their joint changes.

use super::ParameterChange;
use crate::experiment::constants::NumericParameter;
use narrows_core::text::{Meaning, SpeedUp};

/// Parameters that are changed together.
pub(super) struct Resource {
    /// The name of the resource with its part, such as `PCI of hosts.a`. For a parameter that belongs to no resource,
    /// it is the key.
    pub name: String,
    pub members: Vec<NumericParameter>,
}

/// The parameters of a machine, by how they are changed.
#[derive(Default)]
pub(super) struct Parameters {
    pub resources: Vec<Resource>,
    /// Parameters for which neither direction is a speed-up.
    pub trade_offs: Vec<NumericParameter>,
    /// Parameters that are not changed, because they describe another machine or the load on it.
    pub fixed: Vec<NumericParameter>,
}

impl Parameters {
    /// Divides the parameters of a machine by their declared meanings, and keeps their order. Parameters of the
    /// workload are left out.
    pub fn new(numbers: Vec<NumericParameter>) -> Parameters {
        let mut parameters = Parameters::default();
        for number in numbers.into_iter().filter(|number| is_machine_parameter(&number.key)) {
            match number.declaration.meaning {
                Some(meaning) if meaning.speed_up().is_some() => parameters.add(number),
                Some(Meaning::Structure | Meaning::Load | Meaning::Repetitions) => parameters.fixed.push(number),
                _ => parameters.trade_offs.push(number),
            }
        }
        parameters
    }

    fn add(&mut self, number: NumericParameter) {
        let resource = number.declaration.resource.map(|resource| format!("{resource} of {}", part_of(&number.key)));
        let name = resource.unwrap_or_else(|| number.key.clone());
        match self.resources.iter_mut().find(|resource| resource.name == name) {
            Some(resource) => resource.members.push(number),
            None => self.resources.push(Resource { name, members: vec![number] }),
        }
    }
}

/// Returns whether the parameter at `path` belongs to the machine, and not to the workload, the run or a node.
pub(super) fn is_machine_parameter(path: &str) -> bool {
    let mut keys = path.split('.');
    match keys.next() {
        Some("workload" | "run") => false,
        Some("nodes") => keys.nth(1) == Some("ni"),
        _ => true,
    }
}

/// Returns the path of the part that the parameter at `path` belongs to, such as `hosts.a` or `ni.trapeze`.
fn part_of(path: &str) -> String {
    let keys: Vec<&str> = path.split('.').collect();
    let depth = match keys[0] {
        "nodes" => 4,
        _ if keys.len() > 2 => 2,
        _ => 1,
    };
    keys[..depth.min(keys.len())].join(".")
}

impl Resource {
    /// Returns the alternative sets of members to change together: twice the clock frequency, and half the cycles of
    /// every operation, are two forms of the same speed-up.
    pub fn alternatives(&self) -> Vec<Vec<&NumericParameter>> {
        let scales_with_rate =
            |number: &&NumericParameter| number.declaration.meaning.is_some_and(Meaning::scales_with_rate);
        let (scaled, direct): (Vec<&NumericParameter>, Vec<&NumericParameter>) =
            self.members.iter().partition(scales_with_rate);
        match direct.is_empty() || scaled.is_empty() {
            true => vec![self.members.iter().collect()],
            false => vec![direct, scaled],
        }
    }
}

/// Returns the change of a parameter that makes its part `speed` times as fast, or `None` if rounding leaves it
/// unchanged.
pub(super) fn speed_up_change(number: &NumericParameter, speed: f64) -> Option<ParameterChange> {
    let is_smaller = number.declaration.meaning.and_then(Meaning::speed_up) == Some(SpeedUp::Smaller);
    scaled_change(number, if is_smaller { 1.0 / speed } else { speed })
}

/// Returns the change of a parameter by `factor`, or `None` if rounding leaves it unchanged.
pub(super) fn scaled_change(number: &NumericParameter, factor: f64) -> Option<ParameterChange> {
    let (value, factor) = number.scaled_by(factor)?;
    Some(ParameterChange { key: number.key.clone(), old_value: number.value.clone(), value, factor })
}
