//! Tests of graphs in each format, valid and invalid, and of their properties as fabrics.

use super::super::LinkAttributes;
use super::super::survey::{Deadlock, survey};
use super::super::walk::{Walk, assert_reverse_links, fewest_links};
use super::*;
use crate::engine::{Rate, Time};
use proptest::prelude::*;

fn parameters(text: &str, routing: GraphRouting) -> GraphParameters {
    let graph = parse(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    GraphParameters { file: "graph.txt".into(), routing, graph: Some(Arc::new(graph)) }
}

fn error_messages(text: &str) -> Vec<String> {
    let messages = |errors| format_errors(Path::new("g"), errors).into_iter().map(|(message, _)| message).collect();
    match parse(text) {
        Err(errors) => messages(errors),
        Ok(graph) => messages(graph.check(GraphRouting::UpDown)),
    }
}

/// The Petersen graph as networkx writes its edge list.
const PETERSEN: &str = "0 1 {}\n0 4 {}\n0 5 {}\n1 2 {}\n1 6 {}\n2 3 {}\n2 7 {}\n3 4 {}\n3 8 {}\n4 9 {}\n5 7 {}\n5 8 {}\n6 8 {}\n6 9 {}\n7 9 {}\n";

#[test]
fn formats_describe_the_same_graph() {
    let list = parse("# a comment\n b,a # first\r\n\na c\nc\td {'weight': 1.0}\n").unwrap();
    let names: Vec<&str> = list.vertices.iter().map(|vertex| vertex.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "c", "d"]);
    let link = |line| GraphLink { from: 1, to: 2, is_one_way: false, line, attributes: LinkAttributes::default() };
    assert_eq!(list.links[1], link(4));
    let link_ends = |graph: &Graph| graph.links.iter().map(|link| (link.from, link.to)).collect::<Vec<_>>();
    for key in ["edges", "links"] {
        let json = format!(
            r#"{{"directed": false, "multigraph": false, "graph": {{}}, "nodes": [{{"id": "b"}}, {{"id": "a", "x": [1]}},
            {{"id": "c"}}, {{"id": "d"}}], "{key}": [{{"source": "b", "target": "a"}},
            {{"weight": 2, "source": "a", "target": "c"}}, {{"source": "c", "target": "d"}}]}}"#
        );
        let json = parse(&json).unwrap();
        assert_eq!(link_ends(&json), link_ends(&list));
        assert_eq!(json.links[1].line, 3);
    }
    let xml = parse(
        "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <graph edgedefault=\"undirected\"><node id=\"b\"/><node id=\"a\"/><node id=\"c\"/><node id=\"d\"/>\n\
         <edge source=\"b\" target=\"a\"/>\n<edge source=\"a\" target=\"c\"/>\
         <edge source=\"c\" target=\"d\"/></graph></graphml>",
    );
    let xml = xml.unwrap();
    assert_eq!((link_ends(&xml), xml.links[1]), (link_ends(&list), link(5)));
    let numbers = parse("10 2\n2 1\n").unwrap();
    assert_eq!(numbers.vertices.iter().map(|vertex| vertex.name.as_str()).collect::<Vec<_>>(), ["1", "2", "10"]);
    assert_eq!((numbers.links[0].from, numbers.links[0].to), (2, 1));
}

#[test]
fn both_routings_reach_every_node_and_up_down_is_deadlock_free() {
    let ring = (0..9).map(|vertex| format!("{vertex} {}\n", (vertex + 1) % 9)).collect::<String>();
    let grid = (0..16).flat_map(|vertex| {
        let link_right = (vertex % 4 < 3).then(|| format!("n{vertex}, n{}\n", vertex + 1));
        let link_down = (vertex < 12).then(|| format!("n{vertex}, n{}\n", vertex + 4));
        link_right.into_iter().chain(link_down)
    });
    for text in [PETERSEN, &ring, &grid.collect::<String>(), "a b\n"] {
        for routing in [GraphRouting::UpDown, GraphRouting::ShortestPath] {
            let shape = parameters(text, routing).shape().unwrap();
            assert_reverse_links(&shape.wiring);
            let fewest_link_counts = fewest_links(&shape.wiring);
            Walk::new(&shape, 2).every_pair(|pair| {
                assert_eq!(pair.links, 2 + shape.routing.distance(pair.from, pair.to));
                let fewest_link_counts = fewest_link_counts[pair.from as usize][pair.to as usize];
                assert!(
                    pair.links == fewest_link_counts
                        || (routing == GraphRouting::UpDown && pair.links > fewest_link_counts)
                );
            });
            if routing == GraphRouting::UpDown {
                assert_eq!(survey(&shape, 2).deadlock, Deadlock::Free);
            }
        }
    }
    let shortest_path_shape = parameters(&ring, GraphRouting::ShortestPath).shape().unwrap();
    assert!(matches!(survey(&shortest_path_shape, 2).deadlock, Deadlock::Cycle(_)));
    assert_eq!(survey(&parameters(PETERSEN, GraphRouting::ShortestPath).shape().unwrap(), 1).diameter, 2);
}

#[test]
fn kinds_distinguish_hosts_from_switches() {
    for (host, switch) in [("node", "router"), ("host", "switch")] {
        let json = r#"{"nodes": [{"id": 1, "kind": "host"}, {"id": 2, "kind": "host"}, {"id": "s", "kind": "switch"},
            {"id": "t"}, {"id": 3, "kind": "host"}],
            "edges": [{"source": 1, "target": "s"}, {"source": "s", "target": 2}, {"source": "s", "target": "t"},
            {"source": 3, "target": "t"}]}"#;
        let json = json.replace("\"host\"", &format!("\"{host}\"")).replace("\"switch\"", &format!("\"{switch}\""));
        let parameters = parameters(&json, GraphRouting::UpDown);
        let shape = parameters.shape().unwrap();
        assert_eq!((parameters.nodes(), shape.wiring.routers(), shape.wiring.nodes()), (4, 2, 4));
        assert_reverse_links(&shape.wiring);
        let mut hops = Vec::new();
        Walk::new(&shape, 1).every_pair(|pair| hops.push(pair.links));
        assert_eq!(hops, [2, 2, 3, 3, 2, 2, 3, 3, 3, 3, 2, 2, 3, 3, 2, 2]);
        assert_eq!(shape.name, "4-node graph graph.txt");
        assert_eq!(parameters.node_names(), ["1", "2", "t", "3"]);
        assert_eq!([0, 1].map(|router| shape.wiring.router_name(router)), [Some("s"), Some("t")]);
    }
}

/// Returns the names and kinds of the vertices of an edge list.
fn kinds(text: &str) -> Vec<(String, VertexKind)> {
    parse(text).unwrap().vertices.into_iter().map(|vertex| (vertex.name, vertex.kind)).collect()
}

#[test]
fn an_edge_list_names_switches_and_hosts() {
    use VertexKind::{Host, Switch, SwitchWithHost};
    let kinds_of = |text: &str| kinds(text).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>();
    let list = "h0 s0\nh1 s1\ns0 s1\n";
    assert_eq!(kinds_of(list), [SwitchWithHost; 4], "without kinds each vertex is a switch with a host");
    assert_eq!(kinds_of(&format!("# switches: s*\n{list}")), [Host, Switch, Host, Switch]);
    assert_eq!(kinds_of(&format!("{list}#hosts: h[0..1]")), [Host, Switch, Host, Switch]);
    assert_eq!(kinds_of(&format!("# switches: s0, s1\n# hosts: h0 h1\n{list}")), [Host, Switch, Host, Switch]);
    // `a` and `b` have no stated kind and several links each, so each is a switch with a host.
    let leaves = kinds("# switches: s*\na s0\na s1\nb s0\nb s1\n");
    assert_eq!(leaves[0], ("a".to_owned(), SwitchWithHost));
    assert_eq!(leaves.iter().filter(|(_, kind)| *kind == Switch).count(), 2);
}

#[test]
fn patterns_that_match_nothing_are_reported_with_their_lines() {
    let message = |text| error_messages(text);
    assert_eq!(message("a b\n# switches: x*\n"), ["g, line 2: no vertex matches `x*`"]);
    assert_eq!(message("# switches: a x* y\na b\n").len(), 2);
    assert_eq!(message("# hosts:\na b\n"), ["g, line 1: no vertex is named here"]);
    assert_eq!(message("# switches: *\n# hosts: a\na b\n"), ["g, line 2: `a` is called both a switch and a host"]);
    let help = parse("# switches: x*\na b\n").unwrap_err().remove(0).help;
    assert!(help.ends_with("vertices are `a`, `b`"), "{help}");
}

#[test]
fn links_have_rates_and_latencies() {
    let attributes =
        LinkAttributes { rate: Some(Rate::from_bits_per_s(100_000_000_000)), latency: Some(Time::from_ns(500)) };
    let first_link_attributes =
        |text: &str| parse(text).unwrap_or_else(|errors| panic!("{errors:?}")).links[0].attributes;
    assert_eq!(first_link_attributes("a b {'rate': '100 Gbit/s', 'latency': '500 ns'}"), attributes);
    assert_eq!(
        first_link_attributes(
            "a b {\"latency\": \"500 ns\", 'pos': (1, [2, '}']), 'rate': \"100 Gbit/s\", 'x': '#'} # c"
        ),
        attributes
    );
    let json = r#"{"nodes": [{"id": 1}, {"id": 2}],
        "edges": [{"source": 1, "target": 2, "rate": "100 Gbit/s", "weight": 3, "latency": "500 ns"}]}"#;
    assert_eq!(first_link_attributes(json), attributes);
    let xml = "<graphml><key id=\"r\" for=\"edge\" attr.name=\"rate\" attr.type=\"string\"/>\
        <key id=\"l\" for=\"edge\" attr.name=\"latency\" attr.type=\"string\"><default>500 ns</default></key>\
        <graph edgedefault=\"undirected\"><node id=\"1\"/><node id=\"2\"/>\
        <edge source=\"1\" target=\"2\"><data key=\"r\">100 Gbit/s</data></edge></graph></graphml>";
    assert_eq!(first_link_attributes(xml), attributes);
    let shape = parameters(json, GraphRouting::UpDown).shape().unwrap();
    assert_eq!([0, 1].map(|router| shape.wiring.output_attributes(router, 0)), [attributes; 2]);
    assert_eq!(shape.wiring.output_attributes(0, 1), LinkAttributes::default(), "the node's link has no attributes");
    let messages = error_messages("a b {'rate': 100}\nb c {'latency': '5 parsecs'}\nc d {'rate}\n");
    assert_eq!(messages[0], "g, line 1: `rate` is \"100\": a rate needs a unit");
    assert!(messages[1].starts_with("g, line 2: `latency` is \"5 parsecs\""), "{messages:?}");
    assert_eq!(messages[2], "g, line 3: `{'rate}` is not a dictionary");
}

#[test]
fn distance_classes_are_shortest_and_cannot_deadlock() {
    let ring = (0..9).map(|vertex| format!("{vertex} {}\n", (vertex + 1) % 9)).collect::<String>();
    for text in [PETERSEN, &ring] {
        let shape = parameters(text, GraphRouting::DistanceClasses).shape().unwrap();
        let least_channels = shape.routing.virtual_channels_min();
        let fewest_link_counts = fewest_links(&shape.wiring);
        for channels in [least_channels, 2 * least_channels + 1] {
            Walk::new(&shape, channels)
                .every_pair(|pair| assert_eq!(pair.links, fewest_link_counts[pair.from as usize][pair.to as usize]));
            assert_eq!(survey(&shape, channels).deadlock, Deadlock::Free);
        }
        assert_eq!(u32::from(least_channels), survey(&shape, least_channels).diameter);
    }
}

#[test]
fn one_way_links_are_followed_one_way() {
    let cycle = parameters("a -> b\nb -> c\nc->a\n", GraphRouting::ShortestPath).shape().unwrap();
    assert_eq!((cycle.routing.distance(0, 1), cycle.routing.distance(1, 0)), (1, 2));
    Walk::new(&cycle, 1).every_pair(|_| {});
    assert!(matches!(survey(&cycle, 1).deadlock, Deadlock::Cycle(_)));
    let opposite_links = parameters("a -> b\nb -> a\n", GraphRouting::UpDown);
    assert!(opposite_links.shape().is_ok());
}

#[test]
fn invalid_lists_are_reported_with_their_lines() {
    assert_eq!(error_messages(""), ["g: there is no link in it"]);
    assert_eq!(error_messages("a b\na a\n"), ["g, line 2: `a` is linked to itself"]);
    assert_eq!(error_messages("a b\n\nb a\n"), ["g, line 3: `b` and `a` are linked in line 1 already"]);
    assert_eq!(error_messages("a b\nc d\n"), ["g, line 2: no path connects `a` and `c`"]);
    assert_eq!(error_messages("a b c\nd\n"), ["g, line 1: `a b c` is not a link", "g, line 2: `d` is not a link"]);
    assert_eq!(error_messages("a b {x\n"), ["g, line 1: `a b {x` is not a link"]);
    let missing_reverse_link =
        "g, line 2: up-down routing needs links in both directions, and `b -> c` has no reverse link";
    assert_eq!(error_messages("a b\nb -> c\n")[0], missing_reverse_link);
    let star: String = (0..70).map(|leaf| format!("hub leaf{leaf}\n")).collect();
    assert_eq!(error_messages(&star), ["g, line 1: `hub` has 71 ports"]);
    let invalid_lines: String = (0..30).map(|_| "a\n").collect();
    assert_eq!(error_messages(&invalid_lines).len(), REPORTED_MAX + 1);
    let one_way = parse("a -> b\nc -> b\n").unwrap().check(GraphRouting::ShortestPath);
    assert_eq!(one_way[0].message, "no path leads from `a` to `c`");
}

#[test]
fn invalid_json_is_reported_with_its_lines() {
    let json =
        |nodes: &str, edges: &str| error_messages(&format!("{{\"nodes\": [\n{nodes}],\n\"edges\": [\n{edges}]}}"));
    let two_nodes = "{\"id\": 1},\n{\"id\": 2}";
    assert_eq!(json(two_nodes, "{\"source\": 1, \"target\": 2},"), ["g, line 5: trailing comma"]);
    assert_eq!(json(two_nodes, "{\"source\": 1}"), ["g, line 5: missing field `target`"]);
    assert_eq!(json(two_nodes, "{\"source\": 1, \"target\": \"2\"}"), ["g, line 5: there is no vertex `2`"]);
    assert_eq!(json(two_nodes, "{\"source\": 1, \"target\": 1}"), ["g, line 5: `1` is linked to itself"]);
    let repeated_edges = "{\"source\": 1, \"target\": 2},\n{\"source\": 1, \"target\": 2}";
    assert_eq!(json(two_nodes, repeated_edges), ["g, line 6: `1` and `2` are linked in line 5 already"]);
    assert_eq!(json("{\"id\": 1},\n{\"id\": 1}", ""), ["g, line 3: there are two vertices `1`"]);
    assert_eq!(json("{\"id\": [0, 1]}", ""), ["g, line 2: an id is neither a string nor an integer"]);
    assert_eq!(json("{\"id\": 1, \"kind\": 5}", ""), ["g, line 2: `kind` is \"5\""]);
    assert_eq!(json("{\n\"no\": 1}", "")[0], "g, line 3: missing field `id`");
    assert_eq!(error_messages("{\"nodes\": []}"), ["g: it has no `edges`"]);
    assert_eq!(
        error_messages("{\"nodes\": [], \"edges\": [],\n \"links\": [5]}"),
        ["g, line 2: it has both `edges` and `links`"]
    );
    assert_eq!(error_messages("{\"nodes\": 5}"), ["g, line 1: invalid type: integer `5`, expected a sequence"]);
    let kinds = "{\"id\": 1, \"kind\": \"node\"}, {\"id\": 2, \"kind\": \"node\"}, {\"id\": 3, \"kind\": \"node\"}";
    let messages = json(kinds, "{\"source\": 1, \"target\": 2}");
    assert_eq!(messages, ["g, line 4: `1 -> 2` joins two hosts", "g, line 2: host `3` has no link"]);
    let equal_names = json("{\"id\": 1},\n{\"id\": \"1\"}", "{\"source\": 1, \"target\": \"1\"}");
    assert_eq!(equal_names, ["g, line 3: there are two hosts `1`"]);
}

#[test]
fn invalid_graphml_is_reported_with_its_lines() {
    let xml = |body: &str| error_messages(&format!("<graphml>\n<graph>\n{body}\n</graph>\n</graphml>\n"));
    let two_nodes = "<node id=\"a\"/><node id=\"b\"/>\n";
    assert_eq!(xml(&format!("{two_nodes}<edge source=\"a\" target=\"c\"/>")), ["g, line 4: there is no vertex `c`"]);
    assert_eq!(xml(&format!("{two_nodes}<edge source=\"a\"/>")), ["g, line 4: a link has no `target`"]);
    assert_eq!(xml(&format!("{two_nodes}<node id=\"a\"/>")), ["g, line 4: there are two vertices `a`"]);
    assert_eq!(xml("<node/>"), ["g, line 3: a vertex has no `id`"]);
    assert_eq!(xml(&format!("{two_nodes}<hyperedge/>"))[0], "g, line 4: a hyperedge joins more than two vertices");
    assert_eq!(xml("<node id=\"a\"><graph/></node>"), ["g, line 3: a vertex holds a graph of its own"]);
    assert_eq!(
        error_messages("<graphml>\n</graph>")[0],
        "g, line 2: expected `</graphml>`, found `</graph>`: the element `graphml` is not closed"
    );
    assert_eq!(error_messages("<svg/>"), ["g, line 1: it is `svg`, and not GraphML"]);
    assert_eq!(error_messages("\n<graphml/>"), ["g, line 2: it has no `graph`"]);
    assert_eq!(error_messages("<graphml><graph/>\n<graph/></graphml>"), ["g, line 2: there is a second `graph`"]);
    let kind = "<graphml><key id=\"k\" for=\"node\" attr.name=\"kind\"/>\n\
                <graph><node id=\"a\"><data key=\"k\">swich</data></node>";
    assert_eq!(error_messages(&format!("{kind}</graph></graphml>")), ["g, line 2: `kind` is \"swich\""]);
    let unlinked_host = kind.replace("swich", "host")
        + "<node id=\"b\"/><node id=\"c\"/>\n<edge source=\"b\" target=\"c\"/></graph></graphml>";
    assert_eq!(error_messages(&unlinked_host), ["g, line 2: host `a` has no link"]);
}

#[test]
fn deeply_nested_elements_do_not_overflow_the_stack() {
    let deep = format!("<graphml>{}{}</graphml>", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert_eq!(error_messages(&deep), ["g, line 1: it has no `graph`"]);
    assert!(!error_messages(&"<a>".repeat(100_000)).is_empty());
}

/// Reads a graph and, if it is valid, builds its shape and calls its routing rule. None of these may panic.
fn check_no_panic(text: &str) {
    let Ok(graph) = parse(text) else { return };
    for routing in [GraphRouting::UpDown, GraphRouting::ShortestPath, GraphRouting::DistanceClasses] {
        let parameters = GraphParameters { file: "g".into(), routing, graph: Some(Arc::new(graph.clone())) };
        if let Ok(shape) = parameters.shape() {
            Walk::new(&shape, shape.routing.virtual_channels_min()).every_pair(|_| {});
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        check_no_panic(&text);
        check_no_panic(&format!("{{{text}"));
        check_no_panic(&format!("<{text}"));
    }

    #[test]
    fn no_edge_list_makes_the_reader_panic(
        text in "(# (switches|hosts): [a-d*]{0,2}\n|[a-d1-3]{0,2}[ ,]?(->| |,|#|\\{'rate': '?|\\}|\n)){0,20}",
    ) {
        check_no_panic(&text);
    }

    #[test]
    fn no_json_makes_the_reader_panic(
        nodes in prop::collection::vec((0..5_u8, prop::sample::select(vec!["", ", \"kind\": \"node\"", ", \"kind\": \"router\"", ", \"kind\": 1"])), 0..6),
        edges in prop::collection::vec((0..5_u8, 0..5_u8), 0..8),
        directed in any::<bool>(),
    ) {
        let nodes: Vec<String> = nodes.iter().map(|(id, kind)| format!("{{\"id\": {id}{kind}}}")).collect();
        let edges: Vec<String> = edges.iter().map(|(a, b)| format!("{{\"source\": {a}, \"target\": {b}}}")).collect();
        check_no_panic(&format!("{{\"directed\": {directed}, \"nodes\": [{}], \"edges\": [{}]}}", nodes.join(","), edges.join(",")));
    }

    #[test]
    fn no_graphml_makes_the_reader_panic(
        elements in prop::collection::vec(
            ("(node|edge|data|graph|key)", "( (id|source|target|key|attr.name|for)=\"[a-c]\"){0,3}", "[a-c<&]{0,2}"),
            0..12,
        ),
    ) {
        type Element = (String, String, String);
        let element = |(name, attributes, text): &Element| format!("<{name}{attributes}>{text}</{name}>");
        let elements: String = elements.iter().map(element).collect();
        check_no_panic(&format!("<graphml><graph>{elements}</graph></graphml>"));
        check_no_panic(&format!("<graphml>{elements}</graphml>"));
    }

    #[test]
    fn up_down_routes_never_deadlock(links in prop::collection::btree_set((0..12_u8, 0..12_u8), 0..30)) {
        // A chain connects all vertices; the drawn links are added to it.
        let chain = (1..12_u8).map(|at| (at - 1, at));
        let further_links = links.into_iter().filter(|(a, b)| a + 1 < *b);
        let text: String = chain.chain(further_links).map(|(a, b)| format!("{a} {b}\n")).collect();
        check_no_panic(&text);
        let shape = parameters(&text, GraphRouting::UpDown).shape().unwrap();
        prop_assert_eq!(survey(&shape, 1).deadlock, Deadlock::Free);
    }
}

#[test]
fn graphs_with_several_routes_are_recognised() {
    let has_single_paths = |text, routing| parameters(text, routing).has_single_paths();
    assert!(has_single_paths(PETERSEN, GraphRouting::ShortestPath), "no cycle has fewer than five links");
    assert!(has_single_paths("a b\nb c\n", GraphRouting::UpDown));
    assert!(!has_single_paths("0 1\n1 2\n2 3\n3 0\n", GraphRouting::ShortestPath), "a square has two routes");
}
