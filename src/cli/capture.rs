//! `--pcap`: the packets of a run as a file for Wireshark.

use super::ending::Failure;
use super::output::Output;
use narrows_core::engine::CapturedPacket;
use narrows_core::machine::Machine;
use narrows_core::text::Problem;
use narrows_study::report::capture::Capture;
use std::path::Path;

/// Whether a machine's packets are of a format that others know; else why not.
pub fn is_possible(machine: &Machine) -> Result<(), Failure> {
    match machine.interfaces().first() {
        Some(ni) if ni.sends_ip() => Ok(()),
        Some(ni) => {
            let problem =
                Problem::new(format!("packets of [ni.{}] have no format that other programs know", ni.name()));
            Err(problem.help("--pcap needs sockets: ni/udp-ip or ni/e-udp").into())
        }
        None => Err(Problem::new("a fabric alone carries no packets of a format that other programs know")
            .help("--pcap needs sockets: ni/udp-ip or ni/e-udp")
            .into()),
    }
}

/// Writes the packets, an interface for each node.
pub fn write(out: Output, path: &Path, machine: &Machine, packets: &[CapturedPacket]) -> Result<(), Failure> {
    let mut capture = Capture::new(machine.nodes.iter().map(|node| &node.name));
    for packet in packets {
        capture.packet(packet.node.index(), packet.at, &packet.bytes);
    }
    out.write(|out| capture.write_to(out))?;
    tell!("Wrote {} packets to `{}`.", packets.len(), path.display());
    Ok(())
}
