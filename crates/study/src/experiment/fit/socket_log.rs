//! Curves in the output of netperf and sockperf. Each run of these programs measures one message size.
//!
//! A log holds the output of several runs, one after the other. netperf prints a table for each run. The table of a
//! request/response test gives the one-way latency, which is half of the time of a transaction. The table of a stream
//! gives the bandwidth; for `UDP_STREAM` it is the received bandwidth. sockperf prints its results in sentences,
//! without the size of the messages, so the log must include its command lines. If sockperf prints the median, the
//! median is read, and otherwise the average. Its `MBps` is 2^20 bytes per second.

use super::unit::Measure;
use std::ops::Range;

/// A line with its byte range in the log.
pub type LogLine<'a> = (Range<usize>, &'a str);

/// A measured value, and the line that states it.
#[derive(Clone, PartialEq, Debug)]
pub struct LogResult {
    /// Byte range of the line.
    pub span: Range<usize>,
    /// Measured quantity.
    pub measure: Measure,
    /// Bytes of a message.
    pub size: u64,
    /// Value, in µs or MB/s.
    pub value: f64,
}

/// A line that cannot be used: its range, the message, and a line of help.
pub type LogError = (Range<usize>, String, &'static str);

/// Returns the results of a log, or `None` if neither netperf nor sockperf printed it.
pub fn results(lines: &[LogLine<'_>]) -> Option<Result<Vec<LogResult>, LogError>> {
    if lines.iter().any(|(_, line)| is_netperf_title(line)) {
        return Some(parse_netperf(lines));
    }
    let is_sockperf = |(_, line): &LogLine<'_>| line.contains("sockperf: Summary:");
    lines.iter().any(is_sockperf).then(|| parse_sockperf(lines))
}

fn is_netperf_title(line: &str) -> bool {
    line.contains(" TEST from ") || line.contains(" TEST to ")
}

/// The columns of a table of netperf.
#[derive(Clone, Copy)]
struct NetperfTable {
    /// Whether the test exchanges requests and responses.
    is_request_response: bool,
    /// Whether a second row states the received throughput.
    is_datagram: bool,
    /// Bytes per second of one unit of throughput; `None` until the line of units.
    unit_bytes_per_s: Option<f64>,
    /// Message size that the first row states, once that row was read.
    sent_size: Option<u64>,
}

impl NetperfTable {
    fn from_title(title: &str) -> NetperfTable {
        let is_request_response = title.contains("REQUEST/RESPONSE");
        let is_datagram = !is_request_response && title.contains("UDP");
        NetperfTable { is_request_response, is_datagram, unit_bytes_per_s: None, sent_size: None }
    }
}

fn parse_netperf(lines: &[LogLine<'_>]) -> Result<Vec<LogResult>, LogError> {
    let mut results: Vec<LogResult> = Vec::new();
    let mut table: Option<NetperfTable> = None;
    for (span, line) in lines {
        if is_netperf_title(line) {
            table = Some(NetperfTable::from_title(line));
            continue;
        }
        let Some(current) = &mut table else { continue };
        if let Some(unit) = line.split_whitespace().find_map(throughput_unit) {
            current.unit_bytes_per_s = Some(unit);
        } else if line.ends_with("per sec") {
            current.unit_bytes_per_s = Some(1.0);
        }
        let numbers: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        let (Some(unit), Some(numbers)) = (current.unit_bytes_per_s, numbers.filter(|numbers| !numbers.is_empty()))
        else {
            continue;
        };
        let error = |message: String, help| (span.clone(), message, help);
        match netperf_row(current, unit, &numbers) {
            Ok(Some((measure, size, value))) => {
                if current.is_datagram && current.sent_size.is_some() {
                    table = None;
                    results.pop();
                } else if current.is_datagram {
                    current.sent_size = Some(size);
                } else {
                    table = None;
                }
                results.push(LogResult { span: span.clone(), measure, size, value });
            }
            Ok(None) => table = None,
            Err((message, help)) => return Err(error(message, help)),
        }
    }
    Ok(results)
}

/// The quantity, the size and the value that a row of netperf states; `None` for a row after the results. An error is a
/// message and a line of help.
type RowResult = Result<Option<(Measure, u64, f64)>, (String, &'static str)>;

/// Reads a row of netperf.
fn netperf_row(table: &NetperfTable, unit: f64, numbers: &[f64]) -> RowResult {
    let message = "a row of netperf has other columns than its default output";
    let help = "run netperf without -o, -k and -O";
    match (table, numbers) {
        (NetperfTable { is_request_response: true, .. }, [_, _, request, response, _, rate, ..]) => {
            match request == response {
                true => Ok(Some((Measure::Latency, *request as u64, 0.5e6 / rate))),
                false => Err((
                    format!("a request of {request} B and a response of {response} B have no one-way latency"),
                    "measure with equal sizes, as in -r 64,64",
                )),
            }
        }
        (NetperfTable { is_datagram: true, sent_size: None, .. }, [_, size, _, _, _, rate, ..]) => {
            Ok(Some((Measure::Bandwidth, *size as u64, rate * unit / 1e6)))
        }
        (NetperfTable { is_datagram: true, sent_size: Some(size), .. }, [_, _, _, rate, ..]) => {
            Ok(Some((Measure::Bandwidth, *size, rate * unit / 1e6)))
        }
        (NetperfTable { is_request_response: false, is_datagram: false, .. }, [_, _, size, _, rate, ..]) => {
            Ok(Some((Measure::Bandwidth, *size as u64, rate * unit / 1e6)))
        }
        (NetperfTable { sent_size: Some(_), .. }, _) => Ok(None),
        _ => Err((message.to_owned(), help)),
    }
}

/// Returns the bytes per second of a unit of throughput as netperf writes it.
fn throughput_unit(word: &str) -> Option<f64> {
    let amount = word.strip_suffix("/sec").or_else(|| word.strip_suffix("/s"))?;
    match amount {
        "10^3bits" => Some(1e3 / 8.0),
        "10^6bits" => Some(1e6 / 8.0),
        "10^9bits" => Some(1e9 / 8.0),
        "KBytes" => Some(1024.0),
        "MBytes" => Some(1024.0 * 1024.0),
        "GBytes" => Some(1024.0 * 1024.0 * 1024.0),
        _ => None,
    }
}

fn parse_sockperf(lines: &[LogLine<'_>]) -> Result<Vec<LogResult>, LogError> {
    let mut results: Vec<LogResult> = Vec::new();
    let (mut size, mut one_way_factor) = (None, 1.0);
    for (span, line) in lines {
        size = stated_size(line).or(size);
        let Some((_, result)) = line.split_once("sockperf: ") else { continue };
        let number = |text: &str| text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
        let unreadable = || (span.clone(), "this result of sockperf has no number".to_owned(), "remove the run");
        let average = result.strip_prefix("Summary: Latency is ").map(|rest| (1.0, rest));
        let average = average.or_else(|| result.strip_prefix("Summary: Round trip is ").map(|rest| (0.5, rest)));
        let rate = result.strip_prefix("Summary: BandWidth is ");
        let median = result.strip_prefix("---> percentile 50.000 =");
        let (measure, value) = match (average, rate, median) {
            (Some((factor, rest)), ..) => {
                one_way_factor = factor;
                (Measure::Latency, factor * number(rest).ok_or_else(unreadable)?)
            }
            (_, Some(rest), _) => {
                let scale = if rest.contains("GBps") { 1048.576 } else { 1.048576 };
                (Measure::Bandwidth, scale * number(rest).ok_or_else(unreadable)?)
            }
            (.., Some(rest)) => {
                if let Some(last) = results.last_mut() {
                    last.value = one_way_factor * number(rest).ok_or_else(unreadable)?;
                    last.span = span.clone();
                }
                continue;
            }
            _ => continue,
        };
        let Some(size) = size.take() else {
            let message = "the log does not state the size of this run's messages".to_owned();
            return Err((span.clone(), message, "include each command line with its --msg-size in the log"));
        };
        results.push(LogResult { span: span.clone(), measure, size, value });
    }
    Ok(results)
}

/// Returns the size of the messages that a command line of sockperf, or its note about the size, states.
fn stated_size(line: &str) -> Option<u64> {
    let digits = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    };
    if let Some((_, rest)) = line.split_once("using msg-size=") {
        return digits(rest);
    }
    let mut words = line.split_whitespace().skip_while(|word| !word.ends_with("sockperf")).skip(1);
    while let Some(word) = words.next() {
        let value =
            word.strip_prefix("--msg-size").or_else(|| word.strip_prefix("-m").filter(|_| !word.starts_with("--")));
        let Some(value) = value else { continue };
        return digits(value.trim_start_matches('=')).or_else(|| words.next().and_then(digits));
    }
    None
}
