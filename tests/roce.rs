//! Checks the RoCEv2 packets of the RDMA interface with tshark, where it is installed: every field that it dissects has
//! the value that was encoded, for random packets of all kinds and for the packets of a run.

use narrows::engine::{NodeId, Recorder, Time};
use narrows::experiment;
use narrows::machine;
use narrows::ni::rdma::wire::aeth::{AckHeader, Syndrome};
use narrows::ni::rdma::wire::bth::{BaseHeader, OperationCode, Psn};
use narrows::ni::rdma::wire::reth::{AtomicHeader, RdmaHeader};
use narrows::ni::rdma::wire::{ExtendedHeader, RocePacket};
use narrows::report::capture::Capture;
use narrows::text::Document;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Fields of a packet, in the order in which tshark prints them.
const FIELDS: [&str; 15] = [
    "ip.src",
    "ip.dst",
    "infiniband.bth.opcode",
    "infiniband.bth.destqp",
    "infiniband.bth.psn",
    "infiniband.bth.a",
    "infiniband.bth.padcnt",
    "infiniband.reth.va",
    "infiniband.reth.r_key",
    "infiniband.reth.dmalen",
    "infiniband.atomiceth.swapdt",
    "infiniband.atomiceth.cmpdt",
    "infiniband.aeth.msn",
    "infiniband.atomicacketh.origremdt",
    "_ws.malformed",
];

/// Returns the fields of each packet of a capture, or `None` if tshark is not installed.
fn tshark_fields(name: &str, capture: &Capture) -> Option<Vec<Vec<String>>> {
    let is_installed =
        Command::new("tshark").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !is_installed {
        eprintln!("tshark is not installed: RoCEv2 packets are not checked with it");
        return None;
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, capture.bytes()).expect("the file can be written");
    let lines = dissect(&path);
    std::fs::remove_file(&path).expect("the file is there");
    Some(lines)
}

fn dissect(path: &Path) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(path).args(["-T", "fields", "-E", "separator=|", "-E", "occurrence=f"]);
    for field in FIELDS {
        command.args(["-e", field]);
    }
    // Payloads are random bytes, which tshark may take for one of these protocols.
    for protocol in ["rpcordma", "nvme-rdma", "smb_direct", "smc", "lnet", "iser", "infiniband_sdp", "fcoib"] {
        command.args(["--disable-protocol", protocol]);
    }
    let output = command.output().expect("tshark runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("the text is UTF-8");
    text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect()
}

/// Returns packet `number` of a sequence of packets of all kinds.
fn packet(number: u64) -> (RocePacket, Vec<u8>) {
    let hash = |salt: u64| (number + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ salt << 7;
    let code = OperationCode::ALL[number as usize % OperationCode::ALL.len()];
    let syndromes = [Syndrome::Acknowledged, Syndrome::SequenceError, Syndrome::RemoteAccessError];
    let ack = AckHeader { syndrome: syndromes[hash(1) as usize % 3], messages: hash(2) as u32 % Psn::SPACE };
    let (address, key) = (hash(3), hash(4) as u32);
    let payload: Vec<u8> = (0..hash(5) % 300).map(|index| (index * 11) as u8).collect();
    let (extended_header, payload) = match code {
        _ if code.has_reth() => {
            (ExtendedHeader::Rdma(RdmaHeader { address, key, length: payload.len() as u32 }), payload)
        }
        _ if code.is_atomic() => {
            let (swap_or_add, compare) = (hash(6), hash(7));
            (ExtendedHeader::Atomic(AtomicHeader { address, key, swap_or_add, compare }), Vec::new())
        }
        OperationCode::AtomicAcknowledge => (ExtendedHeader::AtomicAck(ack, hash(8)), Vec::new()),
        OperationCode::Acknowledge => (ExtendedHeader::Ack(ack), Vec::new()),
        _ if code.has_aeth() => (ExtendedHeader::Ack(ack), payload),
        _ => (ExtendedHeader::None, payload),
    };
    let payload = if code == OperationCode::ReadRequest { Vec::new() } else { payload };
    let base = BaseHeader {
        code,
        queue_pair: hash(9) as u32 % Psn::SPACE,
        asks_acknowledgement: hash(10) % 2 == 0,
        psn: Psn::new(hash(11) as u32),
        padding: 0,
    };
    (RocePacket { from: NodeId(1), to: NodeId(0), port: 0xc123, base, extended_header }, payload)
}

/// Returns the value of a field as a number; `None` if the packet has no such field.
fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[test]
fn tshark_reads_the_fields_of_every_kind_of_packet() {
    let packets: Vec<_> = (0..200).map(packet).collect();
    let mut capture = Capture::new(["node"]);
    for (index, (packet, payload)) in packets.iter().enumerate() {
        capture.packet(0, Time::from_us(index as u64 + 1), &packet.encode(payload));
    }
    let Some(lines) = tshark_fields("roce.pcapng", &capture) else { return };
    assert_eq!(lines.len(), packets.len());
    for (line, (packet, payload)) in lines.iter().zip(&packets) {
        let BaseHeader { code, queue_pair, asks_acknowledgement, psn, .. } = packet.base;
        assert_eq!(line[..2], ["10.0.0.2", "10.0.0.1"], "{line:?}");
        let padding = payload.len().next_multiple_of(4) - payload.len();
        let base = [code as u64, queue_pair.into(), psn.number().into(), asks_acknowledgement.into(), padding as u64];
        let read_numbers: Vec<Option<u64>> = line[2..7].iter().map(|field| parse_number(field)).collect();
        assert_eq!(read_numbers, base.map(Some), "{packet:?}: {line:?}");
        let mut extended_header = [None; 7];
        match packet.extended_header {
            ExtendedHeader::None => {}
            ExtendedHeader::Rdma(RdmaHeader { address, key, length }) => {
                extended_header[..3].copy_from_slice(&[Some(address), Some(key.into()), Some(length.into())]);
            }
            ExtendedHeader::Atomic(AtomicHeader { address, key, swap_or_add, compare }) => {
                extended_header[..2].copy_from_slice(&[Some(address), Some(key.into())]);
                extended_header[3..5].copy_from_slice(&[Some(swap_or_add), Some(compare)]);
            }
            ExtendedHeader::Ack(ack) => extended_header[5] = Some(ack.messages.into()),
            ExtendedHeader::AtomicAck(ack, value) => {
                extended_header[5..].copy_from_slice(&[Some(ack.messages.into()), Some(value)])
            }
        }
        let read_numbers: Vec<Option<u64>> = line[7..14].iter().map(|field| parse_number(field)).collect();
        assert_eq!(read_numbers, extended_header, "{packet:?}: {line:?}");
        assert_eq!(line[14], "", "{packet:?} is malformed");
    }
}

#[test]
fn packets_of_a_run_are_dissected() {
    let text = machine::shipped::example("rdma-ping-pong").expect("the example is shipped");
    let overrides =
        ["workload.ping-pong.payload=9 KiB", "workload.ping-pong.messages=4", "workload.ping-pong.warm-up=0"];
    let read = machine::read(Document::Text("ping-pong", text, None), &overrides.map(String::from));
    let machine = read.unwrap_or_else(|problems| panic!("{problems}")).value;
    let packets = experiment::run(&machine, Recorder::off().with_packets()).packets;
    assert!(packets.len() > 20, "{} packets", packets.len());
    let mut capture = Capture::new(["left", "right"]);
    for packet in &packets {
        let decoded = RocePacket::decode(&packet.bytes);
        assert!(decoded.is_ok_and(|(header, _)| header.from == packet.node));
        capture.packet(packet.node.index(), packet.time, &packet.bytes);
    }
    let Some(lines) = tshark_fields("roce-run.pcapng", &capture) else { return };
    assert_eq!(lines.len(), packets.len());
    assert!(lines.iter().all(|line| parse_number(&line[2]).is_some() && line[14].is_empty()), "all are RoCEv2");
}
