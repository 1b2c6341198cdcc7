//! Tests that charts are well-formed and deterministic, and contain their data.

use super::*;

fn sample_line_chart() -> LineChart {
    let points = |k: f64| [64.0, 512.0, 4096.0, 8192.0].map(|x: f64| (x, k * x.sqrt())).to_vec();
    let mut series =
        vec![Series::line("a <b> & c", points(1.0)), Series::line("dashed", points(2.0)).style(Style::Dashed)];
    series.push(Series::line("steps", points(0.5)).style(Style::Step));
    series.push(Series::published("published", points(1.01), 0));
    series.push(Series::published("published", points(2.02), 1));
    LineChart {
        title: "Bandwidth & size".into(),
        x: Axis::new("payload [B]").log2().bytes(),
        y: Axis::new("MB/s"),
        series,
        notes: Vec::new(),
    }
}

fn texts(svg: &str) -> Vec<String> {
    let parsed = roxmltree::Document::parse(svg).unwrap();
    let text = parsed.descendants().filter(|node| node.has_tag_name("text"));
    text.map(|node| node.text().unwrap_or("").trim().to_owned()).collect()
}

#[test]
fn line_chart_contains_its_titles_names_and_ticks() {
    let texts = texts(&sample_line_chart().svg());
    for expected in ["Bandwidth & size", "payload [B]", "MB/s", "a <b> & c", "64", "8 KiB"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
    assert_eq!(texts.iter().filter(|text| *text == "published").count(), 1);
}

#[test]
fn text_of_a_vertical_note_stays_within_the_plot() {
    let note = |position: f64| Note { position, is_vertical: true, text: "saturated".to_owned() };
    let series = vec![Series::line("a", vec![(0.0, 1.0), (100.0, 2.0)])];
    let svg = LineChart { series, notes: vec![note(20.0), note(99.0)], ..LineChart::default() }.svg();
    let parsed = roxmltree::Document::parse(&svg).expect("the chart is XML");
    let notes = parsed.descendants().filter(|node| node.text().is_some_and(|text| text.trim() == "saturated"));
    let anchors: Vec<_> = notes.filter_map(|node| node.attribute("text-anchor")).collect();
    assert_eq!(anchors, ["start", "end"]);
}

#[test]
fn curve_of_many_points_has_few_marks_and_tooltips() {
    let points: Vec<(f64, f64)> = (0..1_000).map(|x| (f64::from(x), f64::from(x))).collect();
    let chart =
        |style| LineChart { series: vec![Series::line("a", points.clone()).style(style)], ..LineChart::default() };
    let tooltips = |style| chart(style).svg().matches("<title>a").count();
    assert_eq!((tooltips(Style::Line), tooltips(Style::Curve)), (1_000, 29));
}

#[test]
fn drawing_is_deterministic() {
    assert_eq!(sample_line_chart().svg(), sample_line_chart().svg());
}

#[test]
fn line_that_overlaps_another_is_dashed() {
    let dashes = |chart: &LineChart| chart.svg().matches("<polyline").count();
    let plain = LineChart {
        series: [1.0, 2.0].map(|k| Series::line("a", vec![(1.0, k), (2.0, k), (3.0, 2.0 * k)])).to_vec(),
        ..LineChart::default()
    };
    let mut overlapping = plain.clone();
    overlapping.series[1].points = vec![(1.0, 1.0), (2.0, 1.001), (3.0, 4.0)];
    assert!(dashes(&overlapping) > dashes(&plain) + 10);
    // In a chart with dashed lines, overlapping lines are not dashed.
    overlapping.series[0].style = Style::Dashed;
    let dash_count = dashes(&overlapping);
    // As before, a value is not whole, so that the ticks are the same.
    overlapping.series[1].points = vec![(1.0, 2.0), (2.0, 2.001), (3.0, 4.0)];
    assert_eq!(dashes(&overlapping), dash_count);
}

#[test]
fn bars_that_were_not_measured_are_dashes() {
    let chart = BarChart::grouped("t", "y", &["read"], &[("a", vec![1.0]), ("b", vec![f64::NAN])]);
    assert!(texts(&chart.svg()).contains(&"–".to_owned()));
}

#[test]
fn incomplete_and_empty_data_are_drawn() {
    let gap = vec![(1.0, 1.0), (2.0, f64::NAN), (3.0, 0.0), (4.0, 2.0)];
    let mut chart = LineChart { series: vec![Series::line("gap", gap)], ..LineChart::default() };
    for y in [Axis::new("y"), Axis::new("y").log10()] {
        chart.y = y;
        let svg = chart.svg();
        assert!(roxmltree::Document::parse(&svg).is_ok() && !svg.contains("NaN"));
    }
    texts(&LineChart::default().svg());
    texts(&BarChart::default().svg());
}

#[test]
fn bars_show_values_names_and_published_heights() {
    let mut chart = BarChart::grouped("t", "µs", &["read", "write"], &[("a", vec![1.0, 2.0]), ("b", vec![3.0, 4.0])]);
    chart.groups[0].bars[0].published = Some(1.1);
    let texts = texts(&chart.svg());
    for expected in ["read", "write", "a", "b", "published", "4"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
}

#[test]
fn stacked_bar_is_labelled_with_its_sum() {
    let svg = BarChart::stacked("t", "µs", &["service", "waiting"], [("bus".to_owned(), vec![1.5, 2.5])]).svg();
    assert!(texts(&svg).contains(&"4".to_owned()));
}

#[test]
fn negative_parts_are_stacked_below_zero() {
    let svg = |parts: Vec<f64>| BarChart::stacked("t", "share", &["a", "b", "c"], [("m".to_owned(), parts)]).svg();
    // The top and the height of each part, without the boxes of the legend.
    let boxes = |svg: &str| -> Vec<(f64, f64)> {
        let document = roxmltree::Document::parse(svg).expect("the chart is XML");
        let y_and_height = |node: roxmltree::Node<'_, '_>| {
            let number =
                |key| node.attribute(key).and_then(|text| text.parse::<f64>().ok()).expect("the attribute is a number");
            (number("y"), number("height"))
        };
        let rectangles = document.descendants().filter(|node| node.has_tag_name("rect"));
        rectangles.filter(|node| node.children().any(|child| child.has_tag_name("title"))).map(y_and_height).collect()
    };
    let drawn_boxes = boxes(&svg(vec![0.5, -0.1, 0.4]));
    let [first, below, second] = drawn_boxes[..] else { panic!("{drawn_boxes:?}") };
    let bottom = |(top, height): (f64, f64)| top + height;
    assert!((bottom(second) - first.0).abs() < 2.0, "the third part is stacked on the first: {drawn_boxes:?}");
    assert!((bottom(first) - below.0).abs() < 2.0, "the second part is below 0: {drawn_boxes:?}");
    assert!((first.1 - 5.0 * below.1).abs() < 5.0, "the heights are proportional: {drawn_boxes:?}");
    assert!(texts(&svg(vec![0.5, -0.1, 0.4])).contains(&"0.8".to_owned()), "the label is the sum of all parts");
}

/// Returns a heat map of two panels, the second shorter, with values that rise and fall.
fn sample_heat_map() -> HeatMap {
    let panel = |name: &str, end: f64, slope: f64| {
        let value = |row: usize, column: usize| {
            let phase = (column + 3 * row) % 40;
            slope * (phase as f64 / 2.0) * (row % 5) as f64 / 4.0 * column as f64 / 60.0
        };
        let rows = (0..32).map(|row| (0..120).map(|column| value(row, column)).collect()).collect();
        Panel { name: name.into(), rows, end }
    };
    HeatMap {
        title: "Congestion".into(),
        x: Axis::new("time [10³ cycles]"),
        y: "receiver".into(),
        shades: "pending packets".into(),
        shade_max: 20.0,
        panels: vec![panel("without <it>", 210.0, 1.0), panel("with it", 130.0, 0.2)],
    }
}

#[test]
fn heat_map_contains_its_axes_panels_and_scale() {
    let texts = texts(&sample_heat_map().svg());
    for expected in ["Congestion", "time [10³ cycles]", "receiver", "pending packets", "without <it>", "with it"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
    for expected in ["0", "100", "28", "20 or more"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
}

#[test]
fn cells_are_white_at_zero_and_black_from_the_maximum_on() {
    let cells = |values: &[f64]| {
        let panel = Panel { name: "a".into(), rows: vec![values.to_vec()], end: 8.0 };
        HeatMap { panels: vec![panel], ..sample_heat_map() }.svg()
    };
    let boxes = |svg: &str, colour: &str| svg.matches(&format!("fill=\"{colour}\"")).count();
    // The scale at the side has one box of each shade.
    let (zero_cells, shaded_cells) = (cells(&[0.0, 0.0, f64::NAN]), cells(&[0.0, 20.0, 35.0, 0.0, 20.0, 10.0]));
    assert_eq!(boxes(&zero_cells, "#000000"), 1);
    assert_eq!(boxes(&shaded_cells, "#000000"), 3, "neighbours of one shade are one rectangle");
    assert_eq!(boxes(&shaded_cells, "#7F7F7F"), 2);
    assert!(!zero_cells.contains("NaN") && HeatMap::default().svg().contains("</svg>"));
}
