//! Drawing of packet-flow graphs.

use super::{PacketFlow, Transfer};
use crate::report::chart::Axis;
use crate::report::number::{exact_us, mb_per_s, percent, rate};
use crate::report::svg::{GRID, HUES, INK, MUTED, ON_COLOUR, Svg, hex, text_width, tint};
use narrows_core::engine::Time;
use std::collections::HashMap;

const WIDTH: f64 = 1160.0;
/// The least width of the column with the names of bands.
const NAMES_WIDTH_MIN: f64 = 84.0;
const RIGHT_MARGIN: f64 = 104.0;
const TOP_MARGIN: f64 = 74.0;
const BAND_HEIGHT: f64 = 66.0;
const BAND_GAP: f64 = 30.0;
const LABEL_TEXT_SIZE: f64 = 11.0;
const NAME_TEXT_SIZE: f64 = 13.5;
/// The number of shades. It is even, so that light and dark shades alternate between consecutive packets.
const SHADES: usize = 6;

struct GraphDrawing<'a> {
    flow: &'a PacketFlow,
    packets: Vec<u64>,
    /// The first start and last end of each packet in each band.
    residence_times: HashMap<(usize, u64), (Time, Time)>,
    /// The left edge of the time axis.
    plot_left: f64,
    svg: Svg,
}

/// Returns the graph as an SVG document.
pub fn draw(flow: &PacketFlow) -> String {
    let height = bottom(flow) + 78.0;
    let (packets, residence_times) = (flow.packets(), residence_times(flow));
    let mut drawing = GraphDrawing {
        flow,
        packets,
        residence_times,
        plot_left: time_axis_left(flow),
        svg: Svg::new(WIDTH, height, &flow.title),
    };
    drawing.svg.text((14.0, 24.0), 16.0, "start", &format!("font-weight=\"bold\" fill=\"{INK}\""), &flow.title);
    drawing.draw_time_axis();
    for band in 0..flow.bands.len() {
        drawing.draw_band(band);
    }
    drawing.draw_last_byte_lines();
    drawing.draw_packet_names();
    drawing.draw_legend(height - 14.0);
    drawing.svg.finish()
}

/// Returns the left edge of the time axis, after the longest name of a band in bold.
fn time_axis_left(flow: &PacketFlow) -> f64 {
    let name_width_max = flow.bands.iter().map(|name| text_width(name, NAME_TEXT_SIZE)).fold(0.0, f64::max);
    NAMES_WIDTH_MIN.max(name_width_max * 1.1 + 26.0)
}

fn band_top(band: usize) -> f64 {
    TOP_MARGIN + band as f64 * (BAND_HEIGHT + BAND_GAP)
}

fn bottom(flow: &PacketFlow) -> f64 {
    band_top(flow.bands.len().max(1)) - BAND_GAP + 12.0
}

fn residence_times(flow: &PacketFlow) -> HashMap<(usize, u64), (Time, Time)> {
    let mut residence_times = HashMap::new();
    for transfer in &flow.transfers {
        let (first, last) =
            residence_times.entry((transfer.band, transfer.packet)).or_insert((transfer.start, transfer.end));
        (*first, *last) = (transfer.start.min(*first), transfer.end.max(*last));
    }
    residence_times
}

fn overlaps_window(flow: &PacketFlow, transfer: &Transfer) -> bool {
    transfer.end >= flow.window.0 && transfer.start <= flow.window.1
}

impl GraphDrawing<'_> {
    /// Returns the horizontal pixel of the time `time`, clamped to the window.
    fn x(&self, time: Time) -> f64 {
        let (first, last) = self.flow.window;
        let fraction = time.clamp(first, last).since(first).ps() as f64 / last.since(first).ps().max(1) as f64;
        self.plot_left + fraction * (WIDTH - self.plot_left - RIGHT_MARGIN)
    }

    fn shade(&self, packet: u64) -> (String, String) {
        let rank = self.packets.binary_search(&packet).unwrap_or(0) % SHADES;
        let white_fraction = if rank.is_multiple_of(2) { 0.25 } else { 0.58 };
        (hex(tint(rank, white_fraction)), hex(HUES[rank]))
    }

    fn draw_time_axis(&mut self) {
        let (first, last) = self.flow.window;
        let ticks = Axis::default().range(first.as_us(), last.as_us()).ticks(std::iter::empty(), false, 10);
        let y = bottom(self.flow);
        for (position, label) in ticks.ticks {
            let x = self.x(Time::from_ps((position * 1e6).round() as u64));
            self.svg.line(&[(x, TOP_MARGIN - 4.0), (x, y)], &format!("stroke=\"{GRID}\""));
            self.svg.line(&[(x, y), (x, y + 5.0)], &format!("stroke=\"{INK}\""));
            self.svg.text((x, y + 19.0), 12.5, "middle", &format!("fill=\"{INK}\""), &label);
        }
        self.svg.line(&[(self.plot_left, y), (WIDTH - RIGHT_MARGIN, y)], &format!("stroke=\"{INK}\""));
        let middle = (self.plot_left + WIDTH - RIGHT_MARGIN) / 2.0;
        self.svg.text((middle, y + 40.0), 13.5, "middle", &format!("fill=\"{INK}\""), "time [µs]");
    }

    fn draw_band(&mut self, band: usize) {
        let middle = band_top(band) + BAND_HEIGHT / 2.0;
        let name_style = format!("font-weight=\"bold\" fill=\"{INK}\"");
        self.svg.text(
            (self.plot_left - 12.0, middle + 5.0),
            NAME_TEXT_SIZE,
            "end",
            &name_style,
            &self.flow.bands[band],
        );
        let background = format!("fill=\"{GRID}\" opacity=\"0.45\"");
        self.svg.rect(
            (self.plot_left, band_top(band)),
            (WIDTH - self.plot_left - RIGHT_MARGIN, BAND_HEIGHT),
            &background,
            None,
        );
        let flow = self.flow;
        for transfer in flow.transfers.iter().filter(|t| t.band == band && overlaps_window(flow, t)) {
            self.draw_stripe(transfer);
        }
        let x = WIDTH - RIGHT_MARGIN + 12.0;
        let band_rate = self.flow.rate(band);
        let label = band_rate.map_or("–".to_owned(), |band_rate| rate(band_rate.mb_per_s));
        let busy =
            band_rate.map_or(String::new(), |rate| format!("busy {}", percent((rate.busy * 100.0).round() / 100.0)));
        self.svg.text((x, middle), 13.5, "start", &name_style, &label);
        self.svg.text((x, middle + 17.0), 12.0, "start", &format!("fill=\"{MUTED}\""), &busy);
    }

    fn draw_stripe(&mut self, transfer: &Transfer) {
        let (fill, edge) = self.shade(transfer.packet);
        let (start_x, end_x) = (self.x(transfer.start), self.x(transfer.end));
        let (width, top) = ((end_x - start_x).max(0.6), band_top(transfer.band));
        let style = format!("fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"0.7\"");
        self.svg.rect((start_x, top), (width, BAND_HEIGHT), &style, Some(&self.tooltip(transfer)));
        self.draw_size_label(transfer.bytes, (start_x + width / 2.0, top + BAND_HEIGHT / 2.0), width);
    }

    fn draw_size_label(&mut self, bytes: u64, middle: (f64, f64), width: f64) {
        let label = bytes.to_string();
        let style = format!("fill=\"{ON_COLOUR}\" pointer-events=\"none\"");
        let (x, y) = middle;
        if text_width(&label, LABEL_TEXT_SIZE) + 6.0 <= width {
            self.svg.text((x, y + 4.0), LABEL_TEXT_SIZE, "middle", &style, &label);
        } else if width >= LABEL_TEXT_SIZE + 1.5 {
            let rotated = format!("{style} transform=\"rotate(-90 {x:.2} {y:.2}) translate(0 4)\"");
            self.svg.text((x, y), LABEL_TEXT_SIZE, "middle", &rotated, &label);
        }
    }

    fn tooltip(&self, transfer: &Transfer) -> String {
        let (start, end) = (transfer.start.ps(), transfer.end.ps());
        let bandwidth = mb_per_s(transfer.bytes, end - start).map_or("–".to_owned(), rate);
        format!(
            "packet {} · {}\n{} B in {} µs: {bandwidth}\nfrom {} to {} µs",
            transfer.packet,
            self.flow.bands[transfer.band],
            transfer.bytes,
            exact_us(end - start),
            exact_us(start),
            exact_us(end)
        )
    }

    /// Draws a line from band to band at the last byte of each packet.
    fn draw_last_byte_lines(&mut self) {
        for packet in self.packets.clone() {
            let ends: Vec<Option<Time>> =
                (0..self.flow.bands.len()).map(|band| self.last_end_in_window(band, packet)).collect();
            let (_, edge) = self.shade(packet);
            for (band, pair) in ends.windows(2).enumerate() {
                if let [Some(from), Some(to)] = *pair {
                    let line = [(self.x(from), band_top(band) + BAND_HEIGHT), (self.x(to), band_top(band + 1))];
                    self.svg.line(&line, &format!("stroke=\"{edge}\" stroke-width=\"1.6\""));
                }
            }
        }
    }

    /// Returns the end of the last transfer of `packet` by `band`, if it is in the window.
    fn last_end_in_window(&self, band: usize, packet: u64) -> Option<Time> {
        let (_, end) = *self.residence_times.get(&(band, packet))?;
        (end >= self.flow.window.0 && end <= self.flow.window.1).then_some(end)
    }

    /// Draws the number of each packet above its first stripe in the first band, if it fits.
    fn draw_packet_names(&mut self) {
        let mut name_x_min = 0.0;
        for packet in self.packets.clone() {
            let Some(&(start, end)) = self.residence_times.get(&(0, packet)) else { continue };
            if end < self.flow.window.0 || start > self.flow.window.1 {
                continue;
            }
            let x = self.x(start);
            let name = format!("packet {packet}");
            let name_width = text_width(&name, 12.0);
            if x >= name_x_min && x + name_width <= WIDTH {
                self.svg.text((x, TOP_MARGIN - 8.0), 12.0, "start", &format!("fill=\"{MUTED}\""), &name);
                name_x_min = x + name_width + 8.0;
            }
        }
    }

    fn draw_legend(&mut self, y: f64) {
        let key = "A stripe is one transfer: its width is its duration, the number its bytes, its shade its packet. \
                   Lines follow each packet's last byte. At right: bytes moved over time, idle time included.";
        self.svg.text((14.0, y), 12.0, "start", &format!("fill=\"{MUTED}\""), key);
    }
}
