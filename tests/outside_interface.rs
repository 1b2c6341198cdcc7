//! Can an interface be written in another crate? One with a doorbell, against the public API alone, over protocols and
//! fabrics that ship: every byte arrives, ledgers are exact, and what does not fit is refused by name.

use crate::common::parts::seen;
use narrows::engine::{Bytes, Outcome, Time};
use narrows::host::{AnyProcessor, Device, HostCapabilities, Processor, Window};
use narrows::machine::{Machine, Registry};
use narrows::ni::{
    AnyDriver, BuildContext, ComposedPacket, DriverLimits, EndpointLimit, Envelope, InterfaceLimits, InterfaceSpec,
    MemoryFootprint, PacketHeader, PayloadSink, PayloadSource, RxCompletion, RxPayload, SendRequest, WholePacketDriver,
    WholePacketNic,
};
use narrows::part::{ParameterError, Part, PartInfo};
use narrows::text::{Document, Parameters};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A buffer of one packet each way, and a doorbell.
#[derive(Clone, PartialEq, Debug, Parameters)]
struct Doorbell {
    /// Longest packet, header included.
    #[param(min = "64 B", max = "4 KiB", default = "256 B")]
    packet: Bytes,
    /// Time from the doorbell to the wire.
    #[param(default = "100 ns")]
    pipeline: Time,
}

/// Bytes of the header.
const HEADER: usize = 16;
/// Offset of the doorbell, behind the buffer.
const RING: u64 = 4096;

impl Part for Doorbell {
    const INFO: PartInfo = PartInfo::new("doorbell", "A buffer of one packet each way, and a doorbell");

    fn check(&self) -> Vec<ParameterError> {
        let is_whole = self.packet.get().is_multiple_of(8);
        let error = || ParameterError::new("packet", format!("{} is not a multiple of 8 B", self.packet));
        if is_whole { Vec::new() } else { vec![error()] }
    }
}

impl Doorbell {
    fn payload(&self) -> usize {
        self.packet.len() - HEADER
    }
}

impl InterfaceSpec for Doorbell {
    fn needs(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::REGISTERS])
    }

    fn limits(&self) -> InterfaceLimits {
        InterfaceLimits::new(self.packet, Bytes(1 << 20), 1 << 16, EndpointLimit::PerNode(1 << 16))
    }

    fn memory_footprint(&self) -> MemoryFootprint {
        MemoryFootprint::packets_of(self.payload() as u64)
    }

    fn packet_key(&self) -> &'static str {
        "packet"
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        let registers = Rc::new(Registers::default());
        let window = context.host.attach(registers.clone(), RING + 8);
        let nic = DoorbellNic { parameters: self.clone(), registers, window };
        AnyDriver::custom(WholePacketDriver::start(context, self.packet, nic))
    }
}

/// The device half: what the processor wrote to the buffer, and the payload that it reads from there.
#[derive(Default)]
struct Registers {
    outgoing: RefCell<Vec<u8>>,
    incoming: RefCell<Vec<u8>>,
    sent: RefCell<Option<Vec<u8>>>,
}

impl Device for Registers {
    fn read(&self, at: u64, into: &mut [u8]) {
        let incoming = self.incoming.borrow();
        let from = (at as usize).min(incoming.len());
        let bytes = &incoming[from..(from + into.len()).min(incoming.len())];
        into[..bytes.len()].copy_from_slice(bytes);
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        if at == RING {
            let length = u64::from_le_bytes(bytes.try_into().expect("the doorbell is a word of eight bytes")) as usize;
            let mut outgoing = self.outgoing.take();
            outgoing.truncate(length);
            self.sent.replace(Some(outgoing));
            return;
        }
        let (mut outgoing, end) = (self.outgoing.borrow_mut(), at as usize + bytes.len());
        let length = outgoing.len().max(end);
        outgoing.resize(length, 0);
        outgoing[at as usize..end].copy_from_slice(bytes);
    }
}

/// The driver half: what each step does to the host.
struct DoorbellNic {
    parameters: Doorbell,
    registers: Rc<Registers>,
    window: Window,
}

impl WholePacketNic for DoorbellNic {
    fn limits(&self) -> DriverLimits {
        let payload = self.parameters.payload();
        DriverLimits { words: payload / 4, payload, beside: 0, sequences: 1 << 16, steers: false, classes: 1 }
    }

    async fn post(&self, cpu: &AnyProcessor, request: &SendRequest<'_>, endpoints: [u32; 2]) -> ComposedPacket {
        let mut packet = encode(request.envelope, endpoints).to_vec();
        match request.source {
            PayloadSource::Memory(from, bytes) => {
                packet.resize(HEADER + bytes, 0);
                cpu.load_run(from, &mut packet[HEADER..]).await;
            }
            PayloadSource::Words(words) => packet.extend(words.iter().flat_map(|word| word.to_le_bytes())),
        }
        cpu.write_run(self.window.at(0), &packet).await;
        cpu.write(self.window.at(RING), 8, packet.len() as u64).await;
        cpu.sync().await;
        cpu.until(cpu.now() + self.parameters.pipeline).await;
        let sent = self.registers.sent.take().expect("the doorbell has rung");
        ComposedPacket::new(request, &sent)
    }

    fn header(&self, packet: &[u8]) -> PacketHeader {
        let field = |at: usize| u32::from_le_bytes(packet[at..at + 4].try_into().expect("four bytes"));
        let (first, fragment, places) = (field(0), field(4), field(8));
        let envelope = Envelope {
            handler: first as u8,
            is_part: first & 1 << 8 != 0,
            last: first & 1 << 9 != 0,
            sequence: (first >> 16) as u16,
            fragment,
        };
        PacketHeader { envelope, endpoints: [places & 0xffff, places >> 16], length: HEADER }
    }

    async fn fetch(&self, cpu: &AnyProcessor, payload: RxPayload<'_>, sink: PayloadSink<'_>) -> RxCompletion {
        let mut landed = payload.to_vec();
        self.registers.incoming.replace(payload.to_vec());
        landed.fill(0);
        cpu.read_run(self.window.at(0), &mut landed).await;
        match sink {
            PayloadSink::Memory(address) => {
                cpu.store_run(address, &landed).await;
                RxCompletion { address, ..RxCompletion::default() }
            }
            PayloadSink::Words(words) => {
                let (all, _) = landed.as_chunks::<4>();
                words.extend(all.iter().map(|word| u32::from_le_bytes(*word)));
                RxCompletion::default()
            }
        }
    }

    async fn look(&self, cpu: &AnyProcessor) {
        let _turn = cpu.acquire("poll").await;
        cpu.read(self.window.at(RING), 8).await;
    }
}

fn encode(envelope: Envelope, [from, to]: [u32; 2]) -> [u8; HEADER] {
    let Envelope { is_part, handler, sequence, fragment, last } = envelope;
    let first = u32::from(handler) | u32::from(is_part) << 8 | u32::from(last) << 9 | u32::from(sequence) << 16;
    let mut header = [0; HEADER];
    let words = [first, fragment, from | to << 16];
    header[..12].copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
    header
}

fn registry() -> Arc<Registry> {
    Arc::new(Registry::shipped().with_interface::<Doorbell>())
}

/// Reads a machine of two nodes with this host, and doorbells.
fn machine(host: &str, protocol: &str, fabric: &str, rest: &str) -> Result<Machine, String> {
    let text = format!(
        "parts = [\"hosts/{host}\", \"protocols/{protocol}\", \"fabrics/{fabric}\"]\n\
         [messaging]\nsend = 40\npoll = 10\nreceive = 60\n{rest}"
    );
    let read = registry().read(Document::Text("doorbell.toml", &text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

const PROTOCOLS: [&str; 4] = ["none", "return-to-sender-1998", "nifdy", "window"];
const FABRICS: [&str; 2] = ["ideal-1998", "myrinet"];

#[test]
fn an_interface_from_outside_delivers_every_byte_over_protocols_and_fabrics() {
    for (protocol, fabric) in PROTOCOLS.iter().flat_map(|protocol| FABRICS.map(|fabric| (protocol, fabric))) {
        let links = if fabric == "myrinet" {
            "[fabric.myrinet]\nlinks = [\"a - s\", \"b - s\"]\nswitches = [\"s\"]\n"
        } else {
            ""
        };
        for (payload, messages) in [(8, 20), (240, 20), (3000, 5)] {
            // A program compares what comes with what was sent.
            let rest = format!(
                "[nodes.a]\nhost = \"memory-bus-1998\"\n[nodes.b]\nhost = \"memory-bus-1998\"\n{links}\
                 [ni.doorbell]\n[workload.ping-pong]\npayload = \"{payload} B\"\nmessages = {messages}\n"
            );
            let machine = machine("memory-bus-1998", protocol, fabric, &rest);
            let machine = machine.unwrap_or_else(|refused| panic!("{protocol} {fabric} {payload}: {refused}"));
            let seen = seen(&machine);
            assert_eq!(seen.outcome, Outcome::Done, "{protocol} {fabric} {payload}");
            assert_eq!(seen.metric("messages.sent"), seen.metric("messages.delivered"));
            assert!(seen.messages.len() >= 2 * messages, "{protocol} {fabric} {payload}");
        }
    }
}

#[test]
fn the_pipeline_of_an_interface_from_outside_adds_its_time_to_every_message() {
    let latency = |pipeline: u64| {
        let rest = format!(
            "[ni.doorbell]\npipeline = \"{pipeline} ns\"\n[workload.ping-pong]\npayload = \"8 B\"\nmessages = 10\n"
        );
        let machine = machine("memory-bus-1998", "none", "ideal-1998", &rest).expect("sound parts");
        let seen = seen(&machine);
        seen.messages.last().expect("a message came").latency()
    };
    let more = latency(1100) - latency(100);
    assert!((more - 1000.0).abs() < 100.0, "1 us more of the pipeline is {more} ns more of a message");
}

#[test]
fn an_interface_from_outside_is_listed_checked_and_refused_like_any_other() {
    let ping_pong = "[workload.ping-pong]\npayload = \"64 B\"\n";
    let wrong =
        machine("memory-bus-1998", "none", "ideal-1998", &format!("[ni.doorbell]\npacket = \"100 B\"\n{ping_pong}"));
    let wrong = wrong.expect_err("half a word");
    assert!(wrong.contains("ni.doorbell.packet") && wrong.contains("100 B is not a multiple of 8 B"), "{wrong}");

    let refused = machine("cm-5", "none", "ideal-1998", &format!("[ni.doorbell]\n{ping_pong}"));
    let refused = refused.expect_err("a host without a bus");
    assert!(refused.contains("lacks what [ni.doorbell] needs: registers"), "{refused}");

    let elsewhere = machine("memory-bus-1998", "none", "ideal-1998", &format!("[ni.cmmu]\n{ping_pong}"));
    assert!(elsewhere.is_err(), "nothing says what [ni.cmmu] is like");
    let keys: Vec<&str> = registry().interfaces().iter().map(|entry| entry.info.key).collect();
    assert_eq!(keys.last(), Some(&"doorbell"), "{keys:?}");
}
