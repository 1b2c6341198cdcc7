//! The parameters of the control program, its driver, and the software above it.

use crate::engine::{Bytes, Time};
use crate::protocol::udp_ip::fragment::MTU_MIN;
use crate::text::{ParameterSink, Parameters, Table};

/// The parameters of firmware, driver and kernel.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct McpParameters {
    /// Whether programs use the interface through a library, without kernel and UDP/IP.
    ///
    /// With a library, `software` holds the library's costs and not the kernel's.
    #[param(default = false)]
    pub user_level: bool,
    /// Maximum packet length, including headers.
    #[param(min = Bytes(MTU_MIN.max(HEADERS_MTU_MIN) as u64), max = "65535 B", meaning = Granularity)]
    pub mtu: Bytes,
    /// Rule for starting an engine on a packet that another engine is writing to the interface's memory.
    #[param(one_of)]
    pub pipelining: PipeliningParameters,
    /// Checksum offload and zero copy.
    #[param(flatten)]
    pub offloads: Offloads,
    /// Number of packet buffers of the interface in each direction.
    #[param(min = 1, max = 64, meaning = Capacity, resource = "packet buffers")]
    pub packet_buffers: u64,
    /// Number of descriptors that the interface holds (second level of the send queue).
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "send queue")]
    pub send_slots: u64,
    /// Number of descriptors that may wait in host memory for a slot in the interface (first level); 0 for no first
    /// level.
    #[param(max = 65_536, default = 0, meaning = Capacity, resource = "send queue")]
    pub send_queue: u64,
    /// Number of send buffers of the kernel, one for each datagram.
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "send queue")]
    pub send_buffers: u64,
    /// Number of receive buffers in host memory.
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "receive buffers")]
    pub receive_buffers: u64,
    /// Size of a page of host memory: a program's buffer is physically contiguous only within a page.
    #[param(min = "64 B", default = "4 KiB", meaning = Granularity)]
    pub page: Bytes,
    /// Time after which fragments are dropped if the rest of their datagram has not arrived.
    #[param(min = "1 us", default = "30 s", meaning = Timeout)]
    pub reassembly_time: Time,
    /// Costs of the firmware, in cycles of the interface's processor.
    #[param(table)]
    pub firmware: ThreadCosts,
    /// Software between programs and the interface.
    #[param(with(read = |t| Software::read(t, user_level), write = Software::write))]
    pub software: Software,
}

/// The software between programs and the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Software {
    /// A kernel's sockets, with the kernel's costs.
    Kernel(KernelCosts),
    /// A library in the program, with its costs.
    Library(LibraryCosts),
}

/// The condition for an engine to start on a packet that another engine deposits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub enum PipeliningParameters {
    /// Host and network DMA never overlap.
    ///
    /// Berkeley-VIA uses this mode.
    Serial,
    /// An engine starts when the whole packet is in memory.
    ///
    /// GM uses this mode.
    Coarse,
    /// An engine starts when `threshold` bytes of the packet are in memory.
    ///
    /// E-UDP uses this mode.
    Fine(
        /// Bytes of a packet that must be in memory before the next engine starts.
        #[param(key = "threshold", min = "64 B", meaning = Granularity)]
        Bytes,
    ),
}

/// The improvements of Jin et al. that relieve the processor and its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct Offloads {
    /// Whether the host engine computes checksums while it moves data.
    #[param(default = false)]
    pub checksum_offload: bool,
    /// Whether the interface reads and writes programs' buffers directly.
    #[param(default = false)]
    pub zero_copy: bool,
}

/// The costs of the firmware, in cycles of the interface's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "firmware")]
pub struct ThreadCosts {
    /// Cycles of a pass of the dispatcher that finds no thread to run.
    ///
    /// The value is at least one cycle; otherwise the dispatcher would pass without end while simulated time does not
    /// advance.
    #[param(min = 1)]
    pub poll: u64,
    /// Cycles of a thread of the firmware in each state that it enters.
    pub state: u64,
    /// Cycles to start an engine.
    pub start: u64,
    /// Cycles of each further piece of a gather or scatter list.
    pub piece: u64,
    /// Cycles to read a packet's headers and find its buffer.
    pub header: u64,
    /// Cycles to notify the host of a packet.
    #[param(was = "tell")]
    pub notify: u64,
}

/// The costs of the kernel, in cycles of the host's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "kernel")]
pub struct KernelCosts {
    /// Whether the data that a program sends is in the processor's cache.
    #[param(default = false)]
    pub sends_from_cache: bool,
    /// Cycles to send a datagram: the system call, the socket, UDP.
    ///
    /// The system call is `sendto`.
    pub send: u64,
    /// Cycles of each IP packet that is sent: its header and its descriptor.
    pub packet: u64,
    /// Cycles to find a page of a program's buffer in the page table.
    pub page: u64,
    /// Cycles to add eight bytes to a checksum.
    ///
    /// The processor computes checksums if the interface does not.
    pub checksum_word: u64,
    /// Cycles to copy eight bytes, in addition to the accesses to memory.
    pub copy_word: u64,
    /// Cycles of an interrupt, in addition to those that handle its causes.
    pub interrupt: u64,
    /// Cycles to free the buffer of a packet that was sent.
    #[param(was = "sent")]
    pub completion: u64,
    /// Cycles of the bottom half for each packet: IP and UDP.
    pub bottom_half: u64,
    /// Cycles to receive a datagram: waking the program, the system call, the socket.
    ///
    /// The system call is `recvfrom`.
    pub receive: u64,
}

/// The costs of a library, in cycles of the host's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "library")]
pub struct LibraryCosts {
    /// Cycles to send a message.
    pub send: u64,
    /// Cycles to free the buffer of a message that was sent.
    #[param(was = "sent")]
    pub completion: u64,
    /// Cycles to receive a message.
    pub receive: u64,
    /// Time between two polls for a message.
    #[param(min = "100 ns", meaning = Policy)]
    pub interval: Time,
}

/// The maximum cost of a step of software, in cycles.
const CYCLES_MAX: u64 = 10_000_000;

impl McpParameters {
    /// Returns whether messages go directly from one program's memory to another's.
    pub fn is_in_place(&self) -> bool {
        self.offloads.zero_copy || matches!(self.software, Software::Library(_))
    }

    /// Returns whether packets are IPv4 packets.
    pub fn sends_ip(&self) -> bool {
        matches!(self.software, Software::Kernel(_))
    }

    /// Returns the number of bytes that the firmware puts before each packet.
    pub fn prefix_bytes(&self) -> u64 {
        match self.software {
            Software::Kernel(_) => 0,
            Software::Library(_) => PREFIX_BYTES,
        }
    }
}

const LIBRARY_TABLE: (&str, &str) =
    ("library", "Costs of the library, in processor cycles; required with `user-level = true`");
const KERNEL_TABLE: (&str, &str) =
    ("kernel", "Costs of the kernel, in processor cycles; required with `user-level = false`");

impl Software {
    /// Reads the table of costs that is required for this value of `user_level`.
    fn read(table: &mut Table<'_>, user_level: bool) -> Software {
        if table.describing() {
            // The other table may be present as well; it is read and ignored.
            table.optional_table(LIBRARY_TABLE.0, LIBRARY_TABLE.1, LibraryCosts::read);
            let costs = table.optional_table(KERNEL_TABLE.0, KERNEL_TABLE.1, KernelCosts::read);
            return Software::Kernel(costs.expect("a description of all reads every table"));
        }
        match user_level {
            true => Software::Library(table.table(LIBRARY_TABLE.0, LIBRARY_TABLE.1, LibraryCosts::read)),
            false => Software::Kernel(table.table(KERNEL_TABLE.0, KERNEL_TABLE.1, KernelCosts::read)),
        }
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        match self {
            Software::Library(costs) => to.table(LIBRARY_TABLE.0, &|to| costs.write(to)),
            Software::Kernel(costs) => to.table(KERNEL_TABLE.0, &|to| costs.write(to)),
        }
    }
}

/// Bytes that the firmware puts before each packet of a library's message: six words.
pub const PREFIX_BYTES: u64 = 24;

/// The minimum MTU, at which the first fragment contains a packet's headers and the messaging layer's header.
const HEADERS_MTU_MIN: usize = 128;
