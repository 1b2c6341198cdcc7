//! Feeds arbitrary bytes as the graph of a network in each format: it must be routed, or its errors reported with their
//! lines.

use narrows::fabric::topology::graph::{GraphParameters, GraphRouting, parse};
use std::sync::Arc;

/// Reads the bytes, builds each routing over the graph and checks the result.
pub fn check_any_bytes(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.split('\n').count();
    match parse(&text) {
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)), "{error:?} of {lines} lines");
                assert!(!error.message.is_empty(), "{error:?}");
            }
        }
        Ok(graph) => {
            let graph = Arc::new(graph);
            for routing in [GraphRouting::UpDown, GraphRouting::ShortestPath, GraphRouting::DistanceClasses] {
                let parameters = GraphParameters { file: "any".into(), routing, graph: Some(graph.clone()) };
                match parameters.shape() {
                    Ok(shape) => assert_eq!(shape.wiring.nodes(), parameters.nodes()),
                    Err(errors) => assert!(!errors.is_empty()),
                }
            }
        }
    }
}
