//! Graphs in both formats, right and wrong; what they are as fabrics.

use super::super::survey::{Deadlock, survey};
use super::super::walk::{Walk, fewest_links, leads_back};
use super::*;
use proptest::prelude::*;

fn parameters(text: &str, routing: GraphRouting) -> GraphParameters {
    let graph = parse(text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    GraphParameters { file: "graph.txt".into(), routing, graph: Some(Arc::new(graph)) }
}

fn wrong(text: &str) -> Vec<String> {
    let told = |wrong: Vec<GraphError>| told(Path::new("g"), wrong).into_iter().map(|(message, _)| message).collect();
    match parse(text) {
        Err(wrong) => told(wrong),
        Ok(graph) => told(graph.check(GraphRouting::UpDown)),
    }
}

/// The Petersen graph as networkx writes its edge list.
const PETERSEN: &str = "0 1 {}\n0 4 {}\n0 5 {}\n1 2 {}\n1 6 {}\n2 3 {}\n2 7 {}\n3 4 {}\n3 8 {}\n4 9 {}\n5 7 {}\n5 8 {}\n6 8 {}\n6 9 {}\n7 9 {}\n";

#[test]
fn formats_tell_the_same_graph() {
    let list = parse("# a comment\n b,a # first\r\n\na c\nc\td {'weight': 1.0}\n").unwrap();
    let names: Vec<&str> = list.vertices.iter().map(|vertex| vertex.name.as_str()).collect();
    assert_eq!(names, ["b", "a", "c", "d"]);
    assert_eq!(list.links[1], GraphLink { from: 1, to: 2, is_one_way: false, line: 4 });
    for key in ["edges", "links"] {
        let json = format!(
            r#"{{"directed": false, "multigraph": false, "graph": {{}}, "nodes": [{{"id": "b"}}, {{"id": "a", "x": [1]}},
            {{"id": "c"}}, {{"id": "d"}}], "{key}": [{{"source": "b", "target": "a"}},
            {{"weight": 2, "source": "a", "target": "c"}}, {{"source": "c", "target": "d"}}]}}"#
        );
        let json = parse(&json).unwrap();
        let ends = |graph: &Graph| graph.links.iter().map(|link| (link.from, link.to)).collect::<Vec<_>>();
        assert_eq!(ends(&json), ends(&list));
        assert_eq!(json.links[1].line, 3);
    }
    let numbers = parse("10 2\n2 1\n").unwrap();
    assert_eq!(numbers.vertices.iter().map(|vertex| vertex.name.as_str()).collect::<Vec<_>>(), ["1", "2", "10"]);
    assert_eq!((numbers.links[0].from, numbers.links[0].to), (2, 1));
}

#[test]
fn both_rules_arrive_and_one_cannot_deadlock() {
    let ring = (0..9).map(|at| format!("{at} {}\n", (at + 1) % 9)).collect::<String>();
    let grid = (0..16).flat_map(|at| {
        let right = (at % 4 < 3).then(|| format!("n{at}, n{}\n", at + 1));
        let below = (at < 12).then(|| format!("n{at}, n{}\n", at + 4));
        right.into_iter().chain(below)
    });
    for text in [PETERSEN, &ring, &grid.collect::<String>(), "a b\n"] {
        for routing in [GraphRouting::UpDown, GraphRouting::ShortestPath] {
            let shape = parameters(text, routing).shape().unwrap();
            leads_back(&shape.wiring);
            let fewest = fewest_links(&shape.wiring);
            Walk::new(&shape, 2).every_pair(|pair| {
                assert_eq!(pair.links, 2 + shape.routing.distance(pair.from, pair.to));
                let fewest = fewest[pair.from as usize][pair.to as usize];
                assert!(pair.links == fewest || (routing == GraphRouting::UpDown && pair.links > fewest));
            });
            if routing == GraphRouting::UpDown {
                assert_eq!(survey(&shape, 2).deadlock, Deadlock::Free);
            }
        }
    }
    let shortest = parameters(&ring, GraphRouting::ShortestPath).shape().unwrap();
    assert!(matches!(survey(&shortest, 2).deadlock, Deadlock::Circle(_)));
    assert_eq!(survey(&parameters(PETERSEN, GraphRouting::ShortestPath).shape().unwrap(), 1).diameter, 2);
}

#[test]
fn kinds_part_nodes_from_routers() {
    let json = r#"{"nodes": [{"id": 1, "kind": "node"}, {"id": 2, "kind": "node"}, {"id": "s", "kind": "router"},
        {"id": "t"}, {"id": 3, "kind": "node"}],
        "edges": [{"source": 1, "target": "s"}, {"source": "s", "target": 2}, {"source": "s", "target": "t"},
        {"source": 3, "target": "t"}]}"#;
    let parameters = parameters(json, GraphRouting::UpDown);
    let shape = parameters.shape().unwrap();
    assert_eq!((parameters.nodes(), shape.wiring.routers(), shape.wiring.nodes()), (4, 2, 4));
    leads_back(&shape.wiring);
    let mut hops = Vec::new();
    Walk::new(&shape, 1).every_pair(|pair| hops.push(pair.links));
    assert_eq!(hops, [2, 2, 3, 3, 2, 2, 3, 3, 3, 3, 2, 2, 3, 3, 2, 2]);
    assert_eq!(shape.name, "4-node graph graph.txt");
}

#[test]
fn one_way_links_are_followed_one_way() {
    let circle = parameters("a -> b\nb -> c\nc->a\n", GraphRouting::ShortestPath).shape().unwrap();
    assert_eq!((circle.routing.distance(0, 1), circle.routing.distance(1, 0)), (1, 2));
    Walk::new(&circle, 1).every_pair(|_| {});
    assert!(matches!(survey(&circle, 1).deadlock, Deadlock::Circle(_)));
    let both = parameters("a -> b\nb -> a\n", GraphRouting::UpDown);
    assert!(both.shape().is_ok());
}

#[test]
fn wrong_lists_are_told_with_their_lines() {
    assert_eq!(wrong(""), ["g: there is no link in it"]);
    assert_eq!(wrong("a b\na a\n"), ["g, line 2: `a` is linked to itself"]);
    assert_eq!(wrong("a b\n\nb a\n"), ["g, line 3: `b` and `a` are linked in line 1 already"]);
    assert_eq!(wrong("a b\nc d\n"), ["g, line 2: `a` and `c` are not joined"]);
    assert_eq!(wrong("a b c\nd\n"), ["g, line 1: `a b c` is not a link", "g, line 2: `d` is not a link"]);
    assert_eq!(wrong("a b {x\n"), ["g, line 1: `a b {x` is not a link"]);
    let back = "g, line 2: up-down routing needs links both ways, and `b -> c` has none back";
    assert_eq!(wrong("a b\nb -> c\n")[0], back);
    let star: String = (0..70).map(|at| format!("hub leaf{at}\n")).collect();
    assert_eq!(wrong(&star), ["g, line 1: `hub` has 71 ports"]);
    let many: String = (0..30).map(|_| "a\n").collect();
    assert_eq!(wrong(&many).len(), TOLD_MAX + 1);
    let one_way = parse("a -> b\nc -> b\n").unwrap().check(GraphRouting::ShortestPath);
    assert_eq!(one_way[0].message, "no path leads from `a` to `c`");
}

#[test]
fn wrong_json_is_told_with_its_lines() {
    let json = |nodes: &str, edges: &str| wrong(&format!("{{\"nodes\": [\n{nodes}],\n\"edges\": [\n{edges}]}}"));
    let two = "{\"id\": 1},\n{\"id\": 2}";
    assert_eq!(json(two, "{\"source\": 1, \"target\": 2},"), ["g, line 5: trailing comma"]);
    assert_eq!(json(two, "{\"source\": 1}"), ["g, line 5: missing field `target`"]);
    assert_eq!(json(two, "{\"source\": 1, \"target\": \"2\"}"), ["g, line 5: there is no vertex `2`"]);
    assert_eq!(json(two, "{\"source\": 1, \"target\": 1}"), ["g, line 5: `1` is linked to itself"]);
    let again = "{\"source\": 1, \"target\": 2},\n{\"source\": 1, \"target\": 2}";
    assert_eq!(json(two, again), ["g, line 6: `1` and `2` are linked in line 5 already"]);
    assert_eq!(json("{\"id\": 1},\n{\"id\": 1}", ""), ["g, line 3: there are two vertices `1`"]);
    assert_eq!(json("{\"id\": [0, 1]}", ""), ["g, line 2: an id is neither a string nor an integer"]);
    assert_eq!(json("{\"id\": 1, \"kind\": 5}", ""), ["g, line 2: the `kind` of a vertex is neither"]);
    assert_eq!(json("{\n\"no\": 1}", "")[0], "g, line 3: missing field `id`");
    assert_eq!(wrong("{\"nodes\": []}"), ["g: it has no `edges`"]);
    assert_eq!(
        wrong("{\"nodes\": [], \"edges\": [],\n \"links\": [5]}"),
        ["g, line 2: it has both `edges` and `links`"]
    );
    assert_eq!(wrong("{\"nodes\": 5}"), ["g, line 1: invalid type: integer `5`, expected a sequence"]);
    let kinds = "{\"id\": 1, \"kind\": \"node\"}, {\"id\": 2, \"kind\": \"node\"}, {\"id\": 3, \"kind\": \"node\"}";
    let told = json(kinds, "{\"source\": 1, \"target\": 2}");
    assert_eq!(told, ["g, line 4: `1 -> 2` joins two nodes", "g, line 2: `3` is a node and has 0 links"]);
}

/// Whatever is read is built, and the rule asked.
fn survives(text: &str) {
    let Ok(graph) = parse(text) else { return };
    for routing in [GraphRouting::UpDown, GraphRouting::ShortestPath] {
        let parameters = GraphParameters { file: "g".into(), routing, graph: Some(Arc::new(graph.clone())) };
        if let Ok(shape) = parameters.shape() {
            Walk::new(&shape, 1).every_pair(|_| {});
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_brings_it_down(text in any::<String>()) {
        survives(&text);
        survives(&format!("{{{text}"));
    }

    #[test]
    fn no_line_brings_it_down(text in "([a-d1-3]{0,2}[ ,]?(->| |,|#|\\{|\\}|\n)){0,20}") {
        survives(&text);
    }

    #[test]
    fn no_json_brings_it_down(
        nodes in prop::collection::vec((0..5_u8, prop::sample::select(vec!["", ", \"kind\": \"node\"", ", \"kind\": \"router\"", ", \"kind\": 1"])), 0..6),
        edges in prop::collection::vec((0..5_u8, 0..5_u8), 0..8),
        directed in any::<bool>(),
    ) {
        let nodes: Vec<String> = nodes.iter().map(|(id, kind)| format!("{{\"id\": {id}{kind}}}")).collect();
        let edges: Vec<String> = edges.iter().map(|(a, b)| format!("{{\"source\": {a}, \"target\": {b}}}")).collect();
        survives(&format!("{{\"directed\": {directed}, \"nodes\": [{}], \"edges\": [{}]}}", nodes.join(","), edges.join(",")));
    }

    #[test]
    fn any_joined_graph_is_routed(links in prop::collection::btree_set((0..12_u8, 0..12_u8), 0..30)) {
        // A chain joins all; the others come on top.
        let chain = (1..12_u8).map(|at| (at - 1, at));
        let more = links.into_iter().filter(|(a, b)| a + 1 < *b);
        let text: String = chain.chain(more).map(|(a, b)| format!("{a} {b}\n")).collect();
        survives(&text);
        let shape = parameters(&text, GraphRouting::UpDown).shape().unwrap();
        prop_assert_eq!(survey(&shape, 1).deadlock, Deadlock::Free);
    }
}

#[test]
fn equal_ways_are_known() {
    let one_way = |text, routing| parameters(text, routing).has_one_way();
    assert!(one_way(PETERSEN, GraphRouting::ShortestPath), "no circle has fewer than five links");
    assert!(one_way("a b\nb c\n", GraphRouting::UpDown));
    assert!(!one_way("0 1\n1 2\n2 3\n3 0\n", GraphRouting::ShortestPath), "a square has two");
}
