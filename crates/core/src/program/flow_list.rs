//! The flows of a program between pairs of endpoints, by name or by pattern.

use super::flow_patterns::{self, is_pattern};
use super::{FlowEndpoint, parse_flow};
use crate::engine::EndpointId;
use crate::messaging::World;
use crate::text::{ParameterSink, ParameterType, Parameters, Table};
use std::sync::Arc;

/// Pairs of a sender and a receiver.
#[derive(Clone, PartialEq, Debug, Default, Parameters)]
#[param(meaning = Load)]
pub struct FlowList {
    /// Sender and receiver of each flow, by name. Without any, there is one flow from the first node to the second.
    #[param(with(read = read_flows, write = |flows, to| write_flows(flows, to)))]
    pub flows: Vec<(String, String)>,
    /// The flows with their patterns (`*`, `[1..31]`) expanded to pairs of endpoints; `None` until the nodes are known.
    #[param(skip = None)]
    pub expanded: Option<Arc<[ExpandedFlow]>>,
}

/// A pair of endpoints that results from expanding a flow of the description.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpandedFlow {
    /// Index of the flow in the description.
    pub index: usize,
    /// Name of the sender.
    pub from: String,
    /// Name of the receiver.
    pub to: String,
}

impl FlowList {
    /// Returns each flow with its index in the description. Patterns are replaced once the nodes are known.
    pub(super) fn named_flows(&self) -> Vec<(usize, &str, &str)> {
        match &self.expanded {
            Some(flows) => flows.iter().map(|flow| (flow.index, flow.from.as_str(), flow.to.as_str())).collect(),
            None => {
                self.flows.iter().enumerate().map(|(index, (from, to))| (index, from.as_str(), to.as_str())).collect()
            }
        }
    }

    /// Replaces patterns by matching endpoints of the machine, whose names `names` returns. Returns the resulting list,
    /// or `None` if no flow has a pattern.
    pub(super) fn with_endpoints(&self, names: &dyn Fn() -> Vec<String>) -> Option<FlowList> {
        if !self.flows.iter().any(|(from, to)| is_pattern(from) || is_pattern(to)) {
            return None;
        }
        let names = names();
        let expanded = self.flows.iter().enumerate().flat_map(|(index, (from, to))| {
            let pairs = flow_patterns::expand(from, to, &names);
            // A flow that matches no pair stays as it is written, and is reported when names are checked.
            let pairs = if pairs.is_empty() { vec![(from.clone(), to.clone())] } else { pairs };
            pairs.into_iter().map(move |(from, to)| ExpandedFlow { index, from, to })
        });
        Some(FlowList { expanded: Some(expanded.collect()), ..self.clone() })
    }

    /// Returns the names of all endpoints, each with the key that states it.
    pub(super) fn endpoint_names(&self) -> Vec<(String, &str)> {
        let names_of_flow = |(index, from, to)| [from, to].map(|name| (format!("{FLOWS_KEY}.{index}"), name));
        self.named_flows().into_iter().flat_map(names_of_flow).collect()
    }

    /// Returns the pairs of sender and receiver, each with the key that states it.
    pub(super) fn endpoint_pairs(&self) -> Vec<(String, (&str, &str))> {
        let valid_flows = self.named_flows().into_iter().filter(|(_, from, _)| !from.is_empty());
        valid_flows.map(|(index, from, to)| (format!("{FLOWS_KEY}.{index}"), (from, to))).collect()
    }

    /// Returns the sender and the receiver of each flow.
    pub(super) fn planned_endpoints(&self) -> Vec<(FlowEndpoint<'_>, FlowEndpoint<'_>)> {
        match self.flows.is_empty() {
            true => vec![(FlowEndpoint::OfNode(0), FlowEndpoint::OfNode(1))],
            false => {
                let flows = self.named_flows().into_iter();
                flows.map(|(_, from, to)| (FlowEndpoint::Named(from), FlowEndpoint::Named(to))).collect()
            }
        }
    }

    /// Returns the endpoints of each flow in a machine.
    pub(super) fn endpoint_ids(&self, world: &World) -> Vec<(EndpointId, EndpointId)> {
        match self.flows.is_empty() {
            true => vec![(world.nodes[0].endpoint().id(), world.nodes[1].endpoint().id())],
            false => self.named_flows().into_iter().map(|(_, from, to)| (world.id(from), world.id(to))).collect(),
        }
    }
}

const FLOWS_KEY: &str = "flows";

/// Reads flows. An error of one flow does not affect the others.
fn read_flows(t: &mut Table<'_>) -> Vec<(String, String)> {
    let doc = "Flows, each as `\"from -> to\"` of nodes or endpoints; `*` and `[1..31]` stand for many; by default one flow \
               from the first node to the second";
    let texts = t.texts(FLOWS_KEY, doc).or(&[]);
    let read_flow = |text: &String| {
        parse_flow(text).unwrap_or_else(|| {
            t.report_invalid(FLOWS_KEY, format!("`{text}` is not a flow"), "a flow is written as \"from -> to\"");
            Default::default()
        })
    };
    texts.iter().map(read_flow).collect()
}

fn write_flows(flows: &[(String, String)], to: &mut dyn ParameterSink) {
    let texts: Vec<String> = flows.iter().map(|(from, to)| format!("{from} -> {to}")).collect();
    to.value(FLOWS_KEY, texts.to_value());
}
