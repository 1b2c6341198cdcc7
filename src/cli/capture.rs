//! `--pcap`: the packets of a run as a capture file for Wireshark.

use super::exit::Failure;
use super::output::Output;
use narrows_core::engine::CapturedPacket;
use narrows_core::machine::Machine;
use narrows_core::text::Problem;
use narrows_study::report::capture::Capture;
use std::path::Path;

/// Checks that the packets of `machine` have a standard format, which other programs can read.
pub fn check_format(machine: &Machine) -> Result<(), Failure> {
    let sender = match machine.interfaces().first() {
        Some(ni) if ni.sends_ip() => return Ok(()),
        Some(ni) => format!("[ni.{}]", ni.name()),
        None => "a fabric without interfaces".to_owned(),
    };
    let problem = Problem::new(format!("packets of {sender} have no standard format"));
    Err(problem.help("--pcap needs IP packets: ni/udp-ip, ni/e-udp or ni/rdma").into())
}

/// Writes `packets`, with one capture interface for each node.
pub fn write(out: Output, path: &Path, machine: &Machine, packets: &[CapturedPacket]) -> Result<(), Failure> {
    let mut capture = Capture::new(machine.nodes.iter().map(|node| &node.name));
    for packet in packets {
        capture.packet(packet.node.index(), packet.time, &packet.bytes);
    }
    out.write(|out| capture.write_to(out))?;
    eprint_line!("Wrote {} packets to `{}`.", packets.len(), path.display());
    Ok(())
}
