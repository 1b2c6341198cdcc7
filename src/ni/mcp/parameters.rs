//! Every named number of the control program, its driver, and the kernel above it.

use crate::engine::{Bytes, Time};
use crate::host::Means;
use crate::protocol::udp_ip::fragment::MTU_MIN;
use crate::text::Table;

/// The parameters of firmware, driver and kernel.
#[derive(Clone, Debug)]
pub struct McpParameters {
    /// The longest packet, headers and all.
    pub mtu: Bytes,
    /// When the firmware lets an engine go on with what another deposits.
    pub pipelining: PipeliningParameters,
    /// Who adds up checksums, and whether data is copied.
    pub remedies: Remedies,
    /// Packet buffers of the interface in each direction.
    pub packet_buffers: u64,
    /// Descriptors that the interface holds (L2).
    pub send_slots: u64,
    /// Descriptors that wait in host memory (L1).
    pub send_queue: u64,
    /// Datagrams that may lie in the kernel's buffers to be sent.
    pub send_buffers: u64,
    /// Buffers that the interface may receive into.
    pub receive_buffers: u64,
    /// The grain in which a program's buffer is physically linear.
    pub page: Bytes,
    /// How long fragments wait for the rest of their datagram.
    pub reassembly_time: Time,
    /// What the firmware's work takes.
    pub firmware: ThreadCosts,
    /// What lies between programs and the interface.
    pub users: Users,
}

/// What lies between programs and the interface.
#[derive(Clone, Copy, Debug)]
pub enum Users {
    /// Sockets of a kernel, and what its work takes.
    Kernel(KernelCosts),
    /// A library in the program, and what its work takes.
    Library(LibraryCosts),
}

/// When an engine goes on with what another deposits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PipeliningParameters {
    /// Host and network DMA never overlap (Berkeley-VIA).
    Serial,
    /// A packet goes on when all of it is there (GM).
    Coarse,
    /// It goes on when so much of it is there (E-UDP).
    Fine(Bytes),
}

/// What is taken from the processor and its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remedies {
    /// The host engine adds checksums up while it moves data.
    pub checksum_offload: bool,
    /// The interface reads and writes the program's buffers.
    pub zero_copy: bool,
}

/// What the firmware's work takes, in cycles of the interface's processor.
#[derive(Clone, Copy, Debug)]
pub struct ThreadCosts {
    /// A pass over the dispatcher that finds nothing.
    pub poll: u64,
    /// A thread's way from one dispatching state to the next.
    pub state: u64,
    /// Starting an engine.
    pub start: u64,
    /// Each further piece of a gather or scatter list.
    pub piece: u64,
    /// Reading a packet's headers, and finding its buffer.
    pub header: u64,
    /// Telling the host.
    pub tell: u64,
}

/// What the kernel's work takes, in cycles of the host's processor.
#[derive(Clone, Copy, Debug)]
pub struct KernelCosts {
    /// `sendto`: the system call, the socket, UDP.
    pub send: u64,
    /// An IP packet: its header, its descriptor.
    pub packet: u64,
    /// A page of a program's buffer: its place in the page table.
    pub page: u64,
    /// Eight bytes added up by the processor.
    pub checksum_word: u64,
    /// Eight bytes copied by the processor, beside the accesses.
    pub copy_word: u64,
    /// Whether what a program sends lies in the processor's cache.
    pub sends_from_cache: bool,
    /// An interrupt, beside what its causes take.
    pub interrupt: u64,
    /// A packet sent: its buffer freed.
    pub sent: u64,
    /// The bottom half, for a packet: IP and UDP.
    pub bottom_half: u64,
    /// `recvfrom`: the program woken, the system call, the socket.
    pub receive: u64,
}

/// What a library's work takes, in cycles of the host's processor.
#[derive(Clone, Copy, Debug)]
pub struct LibraryCosts {
    /// A message to send.
    pub send: u64,
    /// A message sent: its buffer freed.
    pub sent: u64,
    /// A message that came.
    pub receive: u64,
    /// Time between two looks for one.
    pub interval: Time,
}

/// The most cycles that a step of software takes.
const CYCLES_MAX: u64 = 10_000_000;

impl McpParameters {
    /// What firmware and driver need of a host.
    pub fn needs(&self) -> Means {
        Means { interrupts: self.sends_ip(), ..NEEDS }
    }

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

    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> McpParameters {
        let user_level = t
            .flag("user-level", "Whether programs use the interface by a library, without kernel and UDP/IP")
            .or(false);
        McpParameters {
            mtu: t
                .bytes("mtu", "Longest packet, headers and all")
                .min(&format!("{} B", MTU_MIN.max(LEAST_MTU)))
                .max("65535 B")
                .required(),
            pipelining: PipeliningParameters::read(t),
            remedies: Remedies {
                checksum_offload: t
                    .flag("checksum-offload", "Whether the host engine adds checksums up while it moves data")
                    .or(false),
                zero_copy: t.flag("zero-copy", "Whether the interface reads and writes programs' buffers").or(false),
            },
            packet_buffers: t
                .count("packet-buffers", "Packet buffers of the interface in each direction")
                .range(1, 64)
                .required(),
            send_slots: t
                .count("send-slots", "Descriptors that the interface holds (second level)")
                .range(1, 1024)
                .required(),
            send_queue: t
                .count("send-queue", "Descriptors that wait in host memory for those (first level); 0: none do")
                .max(65_536)
                .or(0),
            send_buffers: t
                .count("send-buffers", "Datagrams that may lie in the kernel's buffers to be sent")
                .range(1, 1024)
                .required(),
            receive_buffers: t
                .count("receive-buffers", "Buffers that the interface may receive into")
                .range(1, 1024)
                .required(),
            page: t.bytes("page", "The grain in which a program's buffer is physically linear").min("64 B").or("4 KiB"),
            reassembly_time: t
                .time("reassembly-time", "How long fragments wait for the rest of their datagram")
                .min("1 us")
                .or("30 s"),
            firmware: t.table(
                "firmware",
                "What the firmware's work takes, in cycles of the interface's processor",
                ThreadCosts::read,
            ),
            users: Users::read(t, user_level),
        }
    }
}

impl Users {
    fn read(t: &mut Table<'_>, user_level: bool) -> Users {
        let library = ("library", "What a library's work takes");
        let kernel = ("kernel", "What the kernel's work takes");
        if t.describing() {
            // Either may stand.
            t.optional_table(library.0, library.1, LibraryCosts::read);
            let costs = t.optional_table(kernel.0, kernel.1, KernelCosts::read);
            return Users::Kernel(costs.expect("a description of all reads every table"));
        }
        match user_level {
            true => Users::Library(t.table(library.0, library.1, LibraryCosts::read)),
            false => Users::Kernel(t.table(kernel.0, kernel.1, KernelCosts::read)),
        }
    }
}

/// What the firmware puts before each packet of a message: six words.
pub const PREFIX: u64 = 24;

/// What firmware and driver need of a host at least.
pub const NEEDS: Means = Means { registers: true, dma: true, ..Means::NONE };

/// Room for the headers of a packet and what the messaging layer says, so that the first fragment has both.
const LEAST_MTU: usize = 128;

impl PipeliningParameters {
    fn read(t: &mut Table<'_>) -> PipeliningParameters {
        let ways = [
            ("serial", "Host and network DMA never overlap"),
            ("coarse", "A packet goes on when all of it is there"),
            ("fine", "A packet goes on when a threshold of it is there"),
        ];
        t.one_of("pipelining", "When an engine goes on with what another deposits", &ways, |way, t| match way {
            "serial" => PipeliningParameters::Serial,
            "coarse" => PipeliningParameters::Coarse,
            _ => PipeliningParameters::Fine(
                t.bytes("threshold", "What of a packet is there when the next engine begins").min("64 B").required(),
            ),
        })
    }
}

impl ThreadCosts {
    fn read(t: &mut Table<'_>) -> ThreadCosts {
        let mut cycles = |key, what| t.count(key, what).max(CYCLES_MAX).required();
        ThreadCosts {
            poll: cycles("poll", "A pass over the dispatcher that finds nothing").max(1),
            state: cycles("state", "A thread's way from one dispatching state to the next"),
            start: cycles("start", "Starting an engine"),
            piece: cycles("piece", "Each further piece of a gather or scatter list"),
            header: cycles("header", "Reading a packet's headers, and finding its buffer"),
            tell: cycles("tell", "Telling the host of a packet"),
        }
    }
}

impl LibraryCosts {
    fn read(t: &mut Table<'_>) -> LibraryCosts {
        let mut cycles = |key, what| t.count(key, what).max(CYCLES_MAX).required();
        let (send, sent) =
            (cycles("send", "Sending a message"), cycles("sent", "Freeing the buffer of one that was sent"));
        let receive = cycles("receive", "Receiving a message");
        let interval = t.time("interval", "Time between two looks for a message").min("100 ns").required();
        LibraryCosts { send, sent, receive, interval }
    }
}

impl KernelCosts {
    fn read(t: &mut Table<'_>) -> KernelCosts {
        let sends_from_cache =
            t.flag("sends-from-cache", "Whether what a program sends lies in the processor's cache").or(false);
        let mut cycles = |key, what| t.count(key, what).max(CYCLES_MAX).required();
        KernelCosts {
            send: cycles("send", "Sending a datagram: the system call, the socket, UDP"),
            packet: cycles("packet", "An IP packet to send: its header, its descriptor"),
            page: cycles("page", "Finding a page of a program's buffer in the page table"),
            checksum_word: cycles("checksum-word", "Adding eight bytes up"),
            copy_word: cycles("copy-word", "Copying eight bytes, beside the accesses to memory"),
            sends_from_cache,
            interrupt: cycles("interrupt", "An interrupt, beside what its causes take"),
            sent: cycles("sent", "Freeing the buffer of a packet that was sent"),
            bottom_half: cycles("bottom-half", "The bottom half, for a packet: IP and UDP"),
            receive: cycles("receive", "Receiving a datagram: the program woken, the system call, the socket"),
        }
    }
}
