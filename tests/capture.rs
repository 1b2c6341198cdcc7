//! Checks captures against other programs. A written capture is read back, and read by tshark where it is installed;
//! packets that Linux sent are parsed and reassembled, and their checksums verified.

use narrows::engine::{NodeId, Recorder, Time};
use narrows::experiment;
use narrows::machine;
use narrows::protocol::udp_ip::{
    Datagram, PACKET_MAX, PAYLOAD_MAX, Reassembled, Reassembly, ReassemblyParameters, Sum, addresses, parse,
};
use narrows::report::capture::{Capture, CaptureRecord, read};
use narrows::text::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const LIMITS: ReassemblyParameters =
    ReassemblyParameters { datagrams: 8, bytes: 8 * PACKET_MAX, lifetime: Time::from_us(30_000_000) };
const MTU: usize = 1_500;
/// Payload sizes in bytes: below, at and above the largest payload of a packet, odd sizes, a page of E-UDP's MTU, and
/// the longest payload.
const PAYLOADS: [usize; 9] = [0, 1, 1_471, 1_472, 1_473, 2_953, 4_096, 32_768, PAYLOAD_MAX];

fn payload_content(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index ^ (index >> 8).wrapping_mul(29)) as u8).collect()
}

/// Returns the packets of a datagram with this payload.
fn packets(identification: u16, payload: &[u8]) -> Vec<Vec<u8>> {
    let socket = |node| addresses::socket(NodeId(node), 0).expect("the node has an address");
    let datagram = Datagram { from: socket(0), to: socket(1), identification, payload: payload.len(), checksum: None };
    let fragments = datagram.summed(Sum::of_bytes(payload)).fragments(MTU).expect("the MTU is valid");
    fragments.map(|fragment| fragment.packet(payload)).collect()
}

/// Returns a capture of all payloads with the time of each packet; the third interface's packets are in reverse order.
fn capture() -> (Capture, Vec<Time>) {
    let mut capture = Capture::new(["sender", "receiver: ü", "x"]);
    let mut times = Vec::new();
    for (number, length) in PAYLOADS.into_iter().enumerate() {
        let mut packets = packets(number as u16 + 1, &payload_content(length));
        if number % 3 == 2 {
            packets.reverse();
        }
        for packet in packets {
            let time = Time::from_ps(1_234_567 * (1 + times.len() as u64));
            capture.packet(number % 3, time, &packet);
            times.push(time);
        }
    }
    (capture, times)
}

/// Reassembles the datagrams of `packets` and returns their payloads by identification; panics if a checksum is wrong.
fn datagrams(packets: &[CaptureRecord]) -> BTreeMap<u16, Vec<u8>> {
    let mut reassembly = Reassembly::new(LIMITS);
    let mut buffers: BTreeMap<u16, (Vec<u8>, Sum)> = BTreeMap::new();
    let mut complete = BTreeMap::new();
    for packet in packets {
        let bytes = packet.ipv4().expect("IPv4");
        let parsed = parse(bytes).expect("the packet is valid");
        let (buffer, sum) = buffers.entry(parsed.identification).or_default();
        let (payload, range) = (&bytes[parsed.payload.clone()], parsed.payload_range());
        buffer.resize(buffer.len().max(range.end), 0);
        *sum += Sum::of_bytes(payload).at_offset(range.start);
        buffer[range].copy_from_slice(payload);
        if let Reassembled::Complete { key, header, .. } = reassembly.arrive(&parsed, Time::ZERO) {
            let (buffer, sum) = buffers.remove(&key.identification).expect("the datagram has a buffer");
            assert!(
                header.checksum.is_some() && header.is_valid(key.from, key.to, sum),
                "the checksum is present and valid"
            );
            complete.insert(key.identification, buffer);
        }
    }
    assert_eq!((buffers.len(), reassembly.drops().total()), (0, 0), "every datagram is complete");
    complete
}

#[test]
fn written_capture_reads_back() {
    let (capture, times) = capture();
    let read = read(capture.bytes()).expect("a capture");
    let read_times: Vec<Duration> = read.iter().map(|packet| packet.time.expect("a time")).collect();
    let expected: Vec<Duration> = times.iter().map(|time| Duration::from_nanos(time.ps() / 1_000)).collect();
    assert_eq!(read_times, expected);
    assert!(read.iter().all(|packet| packet.length == packet.bytes.len()));
    let names: Vec<&str> = read.iter().take(4).map(|packet| packet.name.expect("a name")).collect();
    assert_eq!(names, ["sender", "receiver: ü", "x", "sender"]);
    let datagrams = datagrams(&read);
    assert!(datagrams.values().map(Vec::len).eq(PAYLOADS), "there is one datagram for each payload");
    assert!(datagrams.values().all(|payload| *payload == payload_content(payload.len())));
    let mut bytes = Vec::new();
    capture.write_to(&mut bytes).expect("a vector can be written");
    assert_eq!(bytes, capture.bytes());
}

/// Returns a capture of packets that Linux sent; `tests/data/captures/README.md` describes how it was made.
fn linux_capture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/captures").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn datagrams_that_linux_sent_are_reassembled() {
    let files = ["linux.pcapng", "linux-ns.pcap", "linux-us.pcap"].map(linux_capture);
    let [pcapng, ns, us] = files.each_ref().map(|file| read(file).expect("a capture"));
    for packets in [&pcapng, &ns, &us] {
        let datagrams = datagrams(packets);
        let mut lengths: Vec<usize> = datagrams.values().map(Vec::len).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [0, 1, 18, 1_472, 1_473, 5_000]);
        let sent_payload = |length: usize| (0..length).map(|index| (index * 7 + length) as u8).collect::<Vec<u8>>();
        assert!(datagrams.values().all(|payload| *payload == sent_payload(payload.len())));
    }
    let times = |packets: &[CaptureRecord]| packets.iter().map(|packet| packet.time).collect::<Vec<_>>();
    assert_eq!(times(&pcapng), times(&ns));
    let to_us = |time: Duration| Duration::from_micros(time.as_micros() as u64);
    assert_eq!(ns.iter().map(|packet| packet.time.map(to_us)).collect::<Vec<_>>(), times(&us));
}

#[test]
fn fragments_equal_those_of_linux() {
    let file = linux_capture("linux-ns.pcap");
    for mut linux_packets in read(&file).expect("a capture").chunk_by(|a, b| identification(a) == identification(b)) {
        let first_packet = parse(linux_packets[0].ipv4().expect("IPv4")).expect("a packet");
        let udp = first_packet.udp.expect("the first fragment has a UDP header");
        let (from, to) = ((first_packet.from, udp.from), (first_packet.to, udp.to));
        let payload: Vec<u8> = (0..udp.payload).map(|index| (index * 7 + udp.payload) as u8).collect();
        let [from, to] = [from, to].map(|(address, port)| std::net::SocketAddrV4::new(address, port));
        let datagram =
            Datagram { from, to, identification: first_packet.identification, payload: udp.payload, checksum: None };
        for fragment in datagram.summed(Sum::of_bytes(&payload)).fragments(MTU).expect("the MTU is valid") {
            let (first, rest) = linux_packets.split_first().expect("Linux sent as many fragments");
            assert_eq!(fragment.packet(&payload), first.ipv4().expect("IPv4"), "the fragments are equal byte for byte");
            linux_packets = rest;
        }
        assert!(linux_packets.is_empty());
    }
}

fn identification(packet: &CaptureRecord) -> Option<u16> {
    Some(parse(packet.ipv4()?).ok()?.identification)
}

/// A file that is removed when the test ends.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> TempFile {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("the target folder can be written to");
        TempFile(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // If a file is left over from an earlier test, it does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the fields of each packet as tshark reads them, or `None` if tshark is not installed.
fn tshark_fields(file: &Path, fields: &[&str]) -> Option<Vec<Vec<String>>> {
    let is_installed =
        Command::new("tshark").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !is_installed {
        eprintln!("tshark is not installed: written captures are not checked with it");
        return None;
    }
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(file).args(["-T", "fields", "-E", "separator=|"]);
    for preference in ["ip.check_checksum:TRUE", "udp.check_checksum:TRUE", "ip.defragment:TRUE"] {
        command.args(["-o", preference]);
    }
    // Payloads are plain data, even if they resemble another protocol.
    command.args(["-d", &format!("udp.port=={},data", addresses::PORT_BASE)]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().expect("tshark runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    Some(text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}

const VALID: &str = "1";

#[test]
fn tshark_reads_a_written_capture() {
    let (capture, times) = capture();
    let file = TempFile::new("written.pcapng", capture.bytes());
    let fields = [
        "frame.time_epoch",
        "frame.interface_name",
        "ip.id",
        "ip.checksum.status",
        "udp.checksum.status",
        "udp.payload",
        "_ws.expert.message",
        "_ws.malformed",
    ];
    let Some(lines) = tshark_fields(&file.0, &fields) else { return };
    assert_eq!(lines.len(), times.len());
    let mut payloads = BTreeMap::new();
    for (line, time) in lines.iter().zip(&times) {
        let [epoch, interface, id, ip, udp, payload, expert, malformed] = &line[..] else { panic!("{line:?}") };
        let ns = time.ps() / 1_000;
        assert_eq!(*epoch, format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000));
        let identifier = u16::from_str_radix(id.trim_start_matches("0x"), 16).expect("a number");
        assert_eq!(*interface, ["sender", "receiver: ü", "x"][(identifier as usize - 1) % 3]);
        assert_eq!((ip.as_str(), expert.as_str(), malformed.as_str()), (VALID, "", ""), "{line:.200?}");
        if !udp.is_empty() {
            assert_eq!(udp, VALID);
            payloads.insert(identifier, payload.clone());
        }
    }
    let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (number, length) in (1..).zip(PAYLOADS) {
        assert!(payloads[&number] == hex(payload_content(length)), "tshark reassembles the datagram of {length} bytes");
    }
}

#[test]
fn tshark_reports_a_wrong_checksum() {
    let payload = payload_content(3_000);
    let mut damaged = packets(1, &payload);
    damaged[1][200] ^= 1;
    let mut capture = Capture::new(["sender"]);
    damaged.iter().for_each(|packet| capture.packet(0, Time::ZERO, packet));
    let file = TempFile::new("wrong.pcapng", capture.bytes());
    let Some(lines) = tshark_fields(&file.0, &["ip.checksum.status", "udp.checksum.status"]) else { return };
    assert_eq!(lines.last(), Some(&vec![VALID.to_owned(), "0".to_owned()]), "{lines:?}");
}

/// Returns the packets of a run, as `--pcap` writes them, and the number of messages it delivered.
fn run_capture(ni: &str, overrides: &[&str]) -> (Capture, f64) {
    let text = format!(
        "parts = [\"hosts/pentium-iii-815ep\", \"ni/{ni}\", \"fabrics/myrinet\"]\n[workload.ping-pong]\nwarm-up = 0\npayload = \"5000 B\"\nmessages = 3\n"
    );
    let overrides: Vec<String> = overrides.iter().map(|setting| (*setting).to_owned()).collect();
    let read = machine::read(Document::Text("run.toml", &text, None), &overrides).expect("the description is valid");
    let result = experiment::run(&read.value, Recorder::off().with_packets());
    let mut capture = Capture::new(read.value.nodes.iter().map(|node| &node.name));
    result.packets.iter().for_each(|packet| capture.packet(packet.node.index(), packet.time, &packet.bytes));
    (capture, result.metric("messages.delivered").expect("the metric is measured"))
}

#[test]
fn packets_of_a_run_are_whole_with_right_checksums() {
    let coarse = "ni.mcp.pipelining=coarse";
    for (ni, overrides) in [("udp-ip", &["ni.mcp.mtu=1500 B"][..]), ("udp-ip", &[]), ("e-udp", &[coarse])] {
        let (capture, delivered) = run_capture(ni, overrides);
        let packets = read(capture.bytes()).expect("a capture");
        // Each node numbers its own datagrams.
        let source_of = |packet: &CaptureRecord| parse(packet.ipv4().expect("IPv4")).expect("a packet").from;
        let (requests, replies): (Vec<_>, Vec<_>) =
            packets.clone().into_iter().partition(|packet| source_of(packet) == source_of(&packets[0]));
        let datagram_counts = [requests, replies].map(|packets| datagrams(&packets).len() as f64);
        assert_eq!(datagram_counts, [delivered / 2.0; 2], "{ni}, {overrides:?}");
        let file = TempFile::new("run.pcapng", capture.bytes());
        let Some(lines) = tshark_fields(&file.0, &["ip.checksum.status", "udp.checksum.status", "_ws.malformed"])
        else {
            return;
        };
        assert_eq!(lines.len(), packets.len());
        let mut whole_packets = 0.0;
        for line in &lines {
            let [ip, udp, malformed] = &line[..] else { panic!("{line:?}") };
            assert_eq!((ip.as_str(), malformed.as_str()), (VALID, ""), "{line:?}");
            assert!(udp.is_empty() || udp == VALID, "{line:?}");
            whole_packets += f64::from(u8::from(udp == VALID));
        }
        assert_eq!(whole_packets, delivered, "{ni}, {overrides:?}");
    }
}
