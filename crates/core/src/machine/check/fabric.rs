//! Checks of the fabric: its own values, the nodes that it joins, and a workload that drives its routers.

use crate::fabric::routed::RoutedFabric;
use crate::machine::Machine;
use crate::part::ParameterError;
use crate::text::{Problem, Read};

/// Adds all problems of the fabric.
pub(super) fn check(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let fabric = &read.value.fabric;
    let problem_of = |error: ParameterError| read.problem_at(&fabric.key(&error.key), &error.message, &error.help);
    let errors = fabric.check();
    if !errors.is_empty() {
        return problems.extend(errors.into_iter().map(problem_of));
    }
    let names: Vec<String> = read.value.nodes.iter().map(|node| node.name.clone()).collect();
    problems.extend(fabric.check_nodes(&names).into_iter().map(problem_of));
    if let Some(routers) = fabric.routers() {
        check_workload(read, routers, problems);
    }
    if problems.is_empty() {
        problems.extend(fabric.check_routes().into_iter().map(problem_of));
    }
}

/// Checks that the routers fit the shape, and that the workload fits the routers.
fn check_workload(read: &Read<Machine>, routers: &RoutedFabric, problems: &mut Vec<Problem>) {
    let (workload, router) = (&read.value.workload, &routers.parameters.router);
    let Ok(shape) = routers.topology.build() else { return };
    for (key, message) in router.check(&shape, workload.needs().packet_flits) {
        problems.push(router_problem(read, key, &message));
    }
    let injection_max = routers.injection_max(&shape);
    let errors = workload.check_routers(shape.wiring.nodes(), injection_max).into_iter();
    problems.extend(errors.map(|error| read.problem_at(&workload.key(&error.key), &error.message, &error.help)));
    if routers.parameters.cross.is_some() && routers.has_edges() && workload.needs().fabric_only {
        let message = format!("[{}] drives the fabric alone, and cross-traffic needs hosts", workload.table());
        let help = "remove the table, or choose a workload that runs on hosts";
        problems.push(read.problem_at(&read.value.fabric.key("cross-traffic"), &message, help));
    }
}

/// Returns the problem with a router's parameter that does not fit the shape, or the packets of a workload that drives
/// the routers without nodes.
fn router_problem(read: &Read<Machine>, key: &str, message: &str) -> Problem {
    let router_key = |key: &str| read.value.fabric.key(&format!("router.{key}"));
    if key != "buffer-flits" {
        return read.problem_at(&router_key(key), message, "");
    }
    let packets = format!("{}.packet-flits", read.value.workload.table());
    let [buffer, switching] = [router_key(key), router_key("switching")];
    let help = format!(
        "make {buffer} larger or {packets} smaller, or choose {switching} = \"wormhole\", with which a buffer need not hold a whole \
         packet"
    );
    read.problem_at(read.highest_layer(&[&buffer, &packets, &switching]), message, &help)
}
