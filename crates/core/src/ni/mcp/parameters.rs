//! Every named number of the control program, its driver, and the kernel above it.

use crate::engine::{Bytes, Time};
use crate::protocol::udp_ip::fragment::MTU_MIN;
use crate::text::{ParameterSink, Parameters, Table};

/// The parameters of firmware, driver and kernel.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct McpParameters {
    /// Whether programs use the interface by a library, without kernel and UDP/IP.
    ///
    /// `users` is what there is then, and what its work takes.
    #[param(default = false)]
    pub user_level: bool,
    /// Longest packet, headers and all.
    #[param(min = Bytes(MTU_MIN.max(LEAST_MTU) as u64), max = "65535 B", meaning = Granularity)]
    pub mtu: Bytes,
    /// When an engine goes on with what another deposits.
    #[param(one_of)]
    pub pipelining: PipeliningParameters,
    /// Who adds up checksums, and whether data is copied.
    #[param(flatten)]
    pub remedies: Remedies,
    /// Packet buffers of the interface in each direction.
    #[param(min = 1, max = 64, meaning = Capacity, resource = "packet buffers")]
    pub packet_buffers: u64,
    /// Descriptors that the interface holds (second level).
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "send queue")]
    pub send_slots: u64,
    /// Descriptors that wait in host memory for those (first level); 0: none do.
    #[param(max = 65_536, default = 0, meaning = Capacity, resource = "send queue")]
    pub send_queue: u64,
    /// Datagrams that may lie in the kernel's buffers to be sent.
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "send queue")]
    pub send_buffers: u64,
    /// Buffers that the interface may receive into.
    #[param(min = 1, max = 1024, meaning = Capacity, resource = "receive buffers")]
    pub receive_buffers: u64,
    /// The grain in which a program's buffer is physically linear.
    #[param(min = "64 B", default = "4 KiB", meaning = Granularity)]
    pub page: Bytes,
    /// How long fragments wait for the rest of their datagram.
    #[param(min = "1 us", default = "30 s", meaning = Timeout)]
    pub reassembly_time: Time,
    /// What the firmware's work takes, in cycles of the interface's processor.
    #[param(table)]
    pub firmware: ThreadCosts,
    /// What lies between programs and the interface.
    #[param(with(read = |t| Users::read(t, user_level), write = Users::write))]
    pub users: Users,
}

/// What lies between programs and the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Users {
    /// Sockets of a kernel, and what its work takes.
    Kernel(KernelCosts),
    /// A library in the program, and what its work takes.
    Library(LibraryCosts),
}

/// When an engine goes on with what another deposits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub enum PipeliningParameters {
    /// Host and network DMA never overlap.
    ///
    /// As in Berkeley-VIA.
    Serial,
    /// A packet goes on when all of it is there.
    ///
    /// As in GM.
    Coarse,
    /// A packet goes on when a threshold of it is there.
    ///
    /// As in E-UDP.
    Fine(
        /// What of a packet is there when the next engine begins.
        #[param(key = "threshold", min = "64 B", meaning = Granularity)]
        Bytes,
    ),
}

/// What is taken from the processor and its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct Remedies {
    /// Whether the host engine adds checksums up while it moves data.
    #[param(default = false)]
    pub checksum_offload: bool,
    /// Whether the interface reads and writes programs' buffers.
    #[param(default = false)]
    pub zero_copy: bool,
}

/// What the firmware's work takes, in cycles of the interface's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "firmware")]
pub struct ThreadCosts {
    /// A pass over the dispatcher that finds nothing.
    ///
    /// At least a cycle: the dispatcher would otherwise pass for ever without time going on.
    #[param(min = 1)]
    pub poll: u64,
    /// A thread's way from one dispatching state to the next.
    pub state: u64,
    /// Starting an engine.
    pub start: u64,
    /// Each further piece of a gather or scatter list.
    pub piece: u64,
    /// Reading a packet's headers, and finding its buffer.
    pub header: u64,
    /// Notifying the host of a packet.
    #[param(was = "tell")]
    pub notify: u64,
}

/// What the kernel's work takes, in cycles of the host's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "kernel")]
pub struct KernelCosts {
    /// Whether what a program sends lies in the processor's cache.
    #[param(default = false)]
    pub sends_from_cache: bool,
    /// Sending a datagram: the system call, the socket, UDP.
    ///
    /// `sendto`.
    pub send: u64,
    /// An IP packet to send: its header, its descriptor.
    pub packet: u64,
    /// Finding a page of a program's buffer in the page table.
    pub page: u64,
    /// Adding eight bytes up.
    ///
    /// By the processor, for the checksum.
    pub checksum_word: u64,
    /// Copying eight bytes, beside the accesses to memory.
    pub copy_word: u64,
    /// An interrupt, beside what its causes take.
    pub interrupt: u64,
    /// Freeing the buffer of a packet that was sent.
    #[param(was = "sent")]
    pub completion: u64,
    /// The bottom half, for a packet: IP and UDP.
    pub bottom_half: u64,
    /// Receiving a datagram: the program woken, the system call, the socket.
    ///
    /// `recvfrom`.
    pub receive: u64,
}

/// What a library's work takes, in cycles of the host's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(each(max = CYCLES_MAX), meaning = Work, resource = "library")]
pub struct LibraryCosts {
    /// Sending a message.
    pub send: u64,
    /// Freeing the buffer of a message that was sent.
    #[param(was = "sent")]
    pub completion: u64,
    /// Receiving a message.
    pub receive: u64,
    /// Time between two looks for a message.
    #[param(min = "100 ns", meaning = Policy)]
    pub interval: Time,
}

/// The most cycles that a step of software takes.
const CYCLES_MAX: u64 = 10_000_000;

impl McpParameters {
    /// Whether messages go from a program's memory to another's.
    pub fn is_in_place(&self) -> bool {
        self.remedies.zero_copy || matches!(self.users, Users::Library(_))
    }

    /// Whether its packets are IPv4's.
    pub fn sends_ip(&self) -> bool {
        matches!(self.users, Users::Kernel(_))
    }

    /// What the firmware puts before each packet.
    pub fn prefix(&self) -> u64 {
        match self.users {
            Users::Kernel(_) => 0,
            Users::Library(_) => PREFIX,
        }
    }
}

const LIBRARY: (&str, &str) = ("library", "What a library's work takes");
const KERNEL: (&str, &str) = ("kernel", "What the kernel's work takes");

impl Users {
    /// Reads the table that `user_level` says must be present.
    fn read(t: &mut Table<'_>, user_level: bool) -> Users {
        if t.describing() {
            // Either may stand.
            t.optional_table(LIBRARY.0, LIBRARY.1, LibraryCosts::read);
            let costs = t.optional_table(KERNEL.0, KERNEL.1, KernelCosts::read);
            return Users::Kernel(costs.expect("a description of all reads every table"));
        }
        match user_level {
            true => Users::Library(t.table(LIBRARY.0, LIBRARY.1, LibraryCosts::read)),
            false => Users::Kernel(t.table(KERNEL.0, KERNEL.1, KernelCosts::read)),
        }
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        match self {
            Users::Library(costs) => to.table(LIBRARY.0, &|to| costs.write(to)),
            Users::Kernel(costs) => to.table(KERNEL.0, &|to| costs.write(to)),
        }
    }
}

/// What the firmware puts before each packet of a message: six words.
pub const PREFIX: u64 = 24;

/// Room for the headers of a packet and what the messaging layer says, so that the first fragment has both.
const LEAST_MTU: usize = 128;
