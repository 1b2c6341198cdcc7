//! The specification of the control program: the chip, the firmware on it and the software above it.

use super::buffers::{HEADER_SLOT_BYTES, ReceiveBuffers, RxDestination};
use super::card::CardDriver;
use super::driver::{McpDriver, SoftwareStack};
use super::firmware;
use super::kernel::{self, Kernel, WORDS_MAX, words_max};
use super::layout::{Layout, MESSAGE_HEADER, data_max, fragments_max};
use super::library::Library;
use super::parameters::{McpParameters, PipeliningParameters, Software};
use crate::engine::{Bytes, Mailbox, Rate};
use crate::host::HostCapabilities;
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec};
use crate::ni::lanai::{self, Lanai, LanaiParameters, SRAM_FITS, Sram};
use crate::ni::memory_footprint::{MemoryFootprint, PacketFootprint};
use crate::part::{ParameterError, Part, PartInfo};
use crate::protocol::udp_ip::{PAYLOAD_MAX, addresses};
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The Myrinet control program on a LANai, and the software above it: a kernel's sockets, or a library.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct McpInterface {
    /// The LANai chip.
    #[param(key = "lanai", table)]
    pub chip: LanaiParameters,
    /// The firmware, the driver and the software above.
    #[param(flatten)]
    pub parameters: McpParameters,
}

impl Part for McpInterface {
    const INFO: PartInfo =
        PartInfo::new("mcp", "Sockets over UDP/IP, and the Myrinet control program on a LANai").results(lanai::RESULTS);

    fn check(&self) -> Vec<ParameterError> {
        self.check_memory().into_iter().chain(self.check_pipelining()).collect()
    }

    fn inert_reason(&self, key: &str) -> Option<&'static str> {
        (key == "lanai.sram.size").then_some(SRAM_FITS)
    }
}

impl InterfaceSpec for McpInterface {
    fn needs(&self) -> HostCapabilities {
        let minimum = self.minimum_requirements();
        if self.sends_ip() { minimum.with(HostCapabilities::INTERRUPTS, 1) } else { minimum }
    }

    fn minimum_requirements(&self) -> HostCapabilities {
        HostCapabilities::of([HostCapabilities::REGISTERS, HostCapabilities::DMA])
    }

    /// Returns the limits of the interface. With zero copy a message is one datagram.
    fn limits(&self) -> InterfaceLimits {
        let (parameters, data) = (&self.parameters, data_max(&self.parameters) as u64);
        let message = Bytes(if parameters.is_in_place() { data } else { data << 16 });
        let nodes = match parameters.software {
            Software::Kernel(_) => addresses::NODES_MAX,
            Software::Library(_) => RxDestination::NODES_MAX,
        };
        InterfaceLimits::new(parameters.mtu, message, nodes, EndpointLimit::PerNode(addresses::ENDPOINTS_MAX))
            .with_words(words_max(parameters))
            .with_host_dma()
    }

    /// Returns the host memory for the buffers of both directions.
    fn memory_footprint(&self) -> MemoryFootprint {
        let parameters = &self.parameters;
        let receive_bytes = match parameters.is_in_place() {
            true => PAYLOAD_MAX as u64 + HEADER_SLOT_BYTES * fragments_max(parameters),
            false => parameters.mtu.get(),
        };
        let buffers = [(parameters.send_buffers, self.send_bytes()), (parameters.receive_buffers, receive_bytes)];
        let data = data_max(parameters) as u64;
        let packet = (!parameters.is_in_place()).then_some(PacketFootprint { message_bytes: data, buffer_bytes: data });
        MemoryFootprint { buffers, packet, queued_packets: parameters.receive_buffers }
    }

    fn packet_key(&self) -> &'static str {
        "mtu"
    }

    fn wire_format(&self) -> Option<&'static str> {
        self.sends_ip().then_some("UDP/IP")
    }

    fn sends_ip(&self) -> bool {
        self.parameters.sends_ip()
    }

    fn runs_protocols(&self) -> bool {
        false
    }

    fn check_dma_rate(&self, rate: Rate, rate_key: &str) -> Option<ParameterError> {
        self.chip.check_dma_rate(rate, rate_key)
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        let (chip, parameters) = (self.chip, &self.parameters);
        let sram = Sram::new(context.sim, context.name(), chip.sram);
        let window = context.host.attach(sram.clone(), chip.sram.size.get());
        let chip = Lanai::start(context.sim, chip, sram.clone(), context.host, context.fabric);
        let buffers = ReceiveBuffers::new(context.host, parameters);
        let instruments = Rc::default();
        let send_bytes = self.send_bytes();
        let card = Rc::new(CardDriver::new(context, (window, parameters), buffers.clone(), &instruments, send_bytes));
        card.post_all(|at, word| sram.store_word(at, word));
        firmware::start(context, &chip, parameters, buffers, &instruments);
        let stack = match parameters.software {
            Software::Kernel(costs) => SoftwareStack::Kernel(Kernel::start(context, &card, costs)),
            Software::Library(costs) => {
                let inbox = Mailbox::new(context.sim, format!("a message for {}", context.name()));
                SoftwareStack::Library(Library {
                    card,
                    costs,
                    inbox,
                    events_read: Cell::new(0),
                    failed_attempts: Cell::new(0),
                })
            }
        };
        Box::new(McpDriver::new(stack, chip)).into()
    }
}

impl McpInterface {
    /// Returns the bytes of host memory that a message to send takes in addition to the program's own buffer.
    fn send_bytes(&self) -> u64 {
        match self.parameters.software {
            Software::Kernel(_) => kernel::send_bytes(&self.parameters),
            Software::Library(_) => (MESSAGE_HEADER + 4 * WORDS_MAX) as u64,
        }
    }

    /// Checks that rings and packet buffers fit in the interface's memory.
    fn check_memory(&self) -> Option<ParameterError> {
        let McpParameters { packet_buffers, mtu, .. } = &self.parameters;
        let (needs, memory) = (Layout::new(&self.parameters).size(), self.chip.sram.size);
        if needs <= memory {
            return None;
        }
        let [needs, memory] = needs.in_common_unit(memory);
        let message = format!(
            "rings and {packet_buffers} packet buffers of {mtu} in each direction need {needs}, but the interface's memory has {memory}"
        );
        let error = ParameterError::new("packet-buffers", message).related(["mtu", "lanai.sram.size"]);
        Some(error.help("make packet-buffers or mtu smaller, or lanai.sram.size larger"))
    }

    /// Checks that the pipelining suits the software: a library's firmware has no fine-grained pipelining.
    fn check_pipelining(&self) -> Option<ParameterError> {
        if !matches!(
            (self.parameters.software, self.parameters.pipelining),
            (Software::Library(_), PipeliningParameters::Fine(_))
        ) {
            return None;
        }
        let message =
            "fine-grained pipelining needs the kernel's messaging software, and {table}.user-level is true (a library)";
        let error = ParameterError::new("pipelining", message).related(["user-level"]);
        Some(error.help(
            "choose \"coarse\" or \"serial\", or {table}.user-level = false with [{table}.kernel] in place of \
             [{table}.library]",
        ))
    }
}
