//! An interface with registers: a buffer of one packet in each direction, and a doorbell.
//!
//! The processor writes a packet into the buffer, rings the doorbell, and reads the doorbell back, since writes may be
//! posted. The packet goes onto the wire after a pipeline. An arriving payload is read from the buffer, word by word.
//! Queues in the device, DMA and interrupts are not modelled. The numbers are chosen.

use narrows::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// A buffer of one packet in each direction, and a doorbell.
#[derive(Clone, Debug, Parameters)]
pub struct Doorbell {
    /// Longest packet, including its header.
    #[param(min = "64 B", max = "4 KiB", default = "256 B", meaning = Granularity)]
    pub packet: Bytes,
    /// Time from the doorbell to the wire.
    #[param(default = "100 ns")]
    pub pipeline: Time,
}

/// Offset of the doorbell, behind the buffer.
const DOORBELL_OFFSET: u64 = 4096;

impl Part for Doorbell {
    const INFO: PartInfo = PartInfo::new("doorbell", "A buffer of one packet each way, and a doorbell");
}

impl InterfaceSpec for Doorbell {
    fn needs(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::REGISTERS])
    }

    fn limits(&self) -> InterfaceLimits {
        let endpoints = EndpointLimit::PerNode(PacketHeader::ENDPOINTS);
        InterfaceLimits::new(self.packet, Bytes(1 << 20), 1 << 16, endpoints)
            .with_words(PacketHeader::payload_max(self.packet) / 4)
    }

    fn memory_footprint(&self) -> MemoryFootprint {
        MemoryFootprint::packets_of(PacketHeader::payload_max(self.packet) as u64)
    }

    fn packet_key(&self) -> &'static str {
        "packet"
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        let registers =
            Rc::new(Registers { outgoing: vec![0; DOORBELL_OFFSET as usize].into(), incoming: RefCell::default() });
        let window = context.host.attach(registers.clone(), DOORBELL_OFFSET + 8);
        let nic = DoorbellNic { parameters: self.clone(), registers, window };
        AnyDriver::custom(WholePacketDriver::start(context, self.packet, nic))
    }
}

/// The device half: the data that the processor wrote, and the data that it reads.
struct Registers {
    outgoing: RefCell<Vec<u8>>,
    incoming: RefCell<Vec<u8>>,
}

impl Device for Registers {
    fn read(&self, offset: u64, into: &mut [u8]) {
        let incoming = self.incoming.borrow();
        let bytes = incoming.get(offset as usize..).unwrap_or_default();
        into.iter_mut().zip(bytes).for_each(|(into, byte)| *into = *byte);
    }

    fn write(&self, offset: u64, bytes: &[u8]) {
        // A write to the doorbell itself, behind the buffer, rings it.
        if let Some(target) = self.outgoing.borrow_mut().get_mut(offset as usize..offset as usize + bytes.len()) {
            target.copy_from_slice(bytes);
        }
    }
}

/// The driver half: the accesses of each step to the host.
struct DoorbellNic {
    parameters: Doorbell,
    registers: Rc<Registers>,
    window: Window,
}

impl WholePacketNic for DoorbellNic {
    fn limits(&self) -> DriverLimits {
        DriverLimits::new(PacketHeader::payload_max(self.parameters.packet))
    }

    async fn post(&self, cpu: &AnyProcessor, request: &SendRequest<'_>, endpoints: [u32; 2]) -> ComposedPacket {
        let mut packet = PacketHeader::encode(request.envelope, endpoints).to_vec();
        packet.extend(request.source.load(cpu).await);
        cpu.write_run(self.window.at(0), &packet).await;
        cpu.write(self.window.at(DOORBELL_OFFSET), 8, packet.len() as u64).await;
        // The read returns when all writes that a bus has posted have reached the device.
        cpu.read(self.window.at(DOORBELL_OFFSET), 8).await;
        cpu.until(cpu.now() + self.parameters.pipeline).await;
        ComposedPacket::new(request, &self.registers.outgoing.borrow()[..packet.len()])
    }

    async fn fetch(&self, cpu: &AnyProcessor, payload: RxPayload<'_>, sink: PayloadSink<'_>) -> RxCompletion {
        let mut received = vec![0; payload.with(<[u8]>::len)];
        self.registers.incoming.replace(payload.to_vec());
        cpu.read_run(self.window.at(0), &mut received).await;
        RxCompletion::store(cpu, &received, sink).await
    }

    async fn poll(&self, cpu: &AnyProcessor) {
        let _lease = cpu.acquire("poll").await;
        cpu.read(self.window.at(DOORBELL_OFFSET), 8).await;
    }
}
