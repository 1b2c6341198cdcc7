//! The parameters of the descriptor-ring interface, with their sources, and their checks.
//!
//! The documentation of a value states its source in one word: *standard*, *measured*, *derived*, *chosen*, or
//! *remembered*: a default that no source confirms.

use super::descriptor::DESCRIPTOR_BYTES;
use super::frame::{FRAME_HEADER_BYTES, FRAME_MIN};
use crate::engine::{Bytes, Time};
use crate::host::BLOCK_BYTES;
use crate::part::ParameterError;
use crate::text::{ParameterChoice, Parameters};

/// The place of the announcement of a completed descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum CompletionLocation {
    /// The completion is written over the descriptor.
    WriteBack,
    /// The completion is written to a ring of its own.
    Queue,
}

/// The treatment of a frame for which no receive buffer is posted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum MissingBuffer {
    /// The frame and all frames behind it wait in the device and in the network.
    Hold,
    /// The frame is dropped and counted.
    Drop,
}

/// An Ethernet interface with descriptor rings.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct RingParameters {
    /// The driver: `polled` by the program, or in the `kernel` behind interrupts.
    #[param(one_of, default = "polled")]
    pub driver: RingDriverKind,
    /// Number of descriptors of each ring.
    ///
    /// 1024 (chosen: a usual setting of drivers).
    #[param(min = 8, max = 65_536, default = 1024, meaning = Capacity, resource = "descriptor ring")]
    pub entries: u64,
    /// Bytes of a descriptor: `16 B`, `32 B` or `64 B`.
    ///
    /// 16 B (pcie-bench: the Niantic's).
    #[param(min = "16 B", max = "64 B", default = "16 B", meaning = Granularity)]
    pub descriptor: Bytes,
    /// Size of a buffer; a multiple of 64 B.
    ///
    /// 2 KiB (chosen: usual).
    #[param(min = "64 B", max = "64 KiB", default = "2 KiB", meaning = Granularity)]
    pub buffers: Bytes,
    /// Longest frame, with its headers of 24 B and without its frame check sequence; a multiple of 8 B.
    ///
    /// 1528 B (chosen: 1500 B of payload in one frame).
    #[param(min = "64 B", max = "64 KiB", default = "1528 B", meaning = Granularity)]
    pub frame: Bytes,
    /// Longest frame that is put into the send ring, behind its descriptor; `0 B` for none.
    #[param(max = "4 KiB", default = "0 B", meaning = Structure)]
    pub inline_max: Bytes,
    /// Place of completions: over the descriptor (`write-back`), or to a ring of their own (`queue`).
    #[param(default = "write-back")]
    pub completion: CompletionLocation,
    /// Treatment of a frame without a receive buffer: `hold` or `drop`.
    #[param(default = "hold")]
    pub missing_buffer: MissingBuffer,
    /// Number of pairs of rings. The endpoints of a node are spread over them, core by core.
    #[param(min = 1, max = 16, default = 1, meaning = Structure)]
    pub queues: u64,
    /// Number of frames that the device reads or holds on their way to the wire.
    ///
    /// 64 (remembered).
    #[param(min = 1, max = 4096, default = 64, meaning = Capacity, resource = "payload reads")]
    pub engine_reads: u64,
    /// Number of frames that the device holds on their way to memory.
    ///
    /// 64 (chosen).
    #[param(min = 1, max = 4096, default = 64, meaning = Capacity, resource = "receive FIFO")]
    pub receive_fifo: u64,
    /// Time of the device for a frame on each side: from the doorbell to the first read, and from the wire to the first
    /// write.
    ///
    /// 150 ns (remembered: 100 to 200 ns).
    #[param(default = "150 ns", resource = "interface pipeline")]
    pub pipeline: Time,
    /// The send ring.
    #[param(table)]
    pub send: SendRingParameters,
    /// The receive ring.
    #[param(table)]
    pub receive: ReceiveRingParameters,
}

/// The driver of the rings.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub enum RingDriverKind {
    /// The program polls the ring.
    Polled {
        /// Largest number of completed descriptors that the driver takes from the ring at once.
        ///
        /// 32 (chosen: DPDK's usual burst).
        #[param(min = 1, max = 1024, default = 32, meaning = Structure)]
        burst: u64,
    },
    /// The kernel owns the ring, and is notified by interrupts.
    Kernel {
        /// Costs and moderation.
        #[param(flatten)]
        kernel: KernelDriverParameters,
    },
}

/// The parameters of the kernel's driver.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(resource = "kernel")]
pub struct KernelDriverParameters {
    /// Time of a system call to send, with the socket and the protocols.
    ///
    /// 600 ns (remembered).
    #[param(default = "600 ns")]
    pub send: Time,
    /// Time of a system call to receive.
    ///
    /// 300 ns (remembered).
    #[param(default = "300 ns")]
    pub receive: Time,
    /// Time of the interrupt handler.
    ///
    /// 150 ns (remembered).
    #[param(default = "150 ns")]
    pub interrupt: Time,
    /// Time of the softirq for each received frame.
    ///
    /// 300 ns (measured: a frame of 1500 B under NAPI; notes of HomaModule's authors, an Intel server).
    #[param(default = "300 ns")]
    pub packet: Time,
    /// Time from the end of the softirq until a sleeping program runs.
    ///
    /// 450 ns (measured: 350 to 600 ns; the same notes).
    #[param(default = "450 ns")]
    pub wake: Time,
    /// Number of frames after which the softirq lets other code run.
    ///
    /// 64 (the kernel's weight of a NAPI instance).
    #[param(min = 1, max = 1024, default = 64, meaning = Structure)]
    pub budget: u64,
    /// Whether interrupts are masked from an interrupt until the softirq finds the ring empty.
    #[param(default = true)]
    pub masks_interrupts: bool,
    /// Number of completions of a ring after which the device raises an interrupt at once.
    #[param(min = 1, max = 65_536, default = 32, meaning = Structure)]
    pub moderation_packets: u64,
    /// Time after which the device raises an interrupt for fewer completions.
    ///
    /// 0 (chosen: each completion is announced at once unless interrupts are masked).
    #[param(default = "0 ns")]
    pub moderation_time: Time,
}

/// The parameters of the send rings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(resource = "send ring", meaning = Structure)]
pub struct SendRingParameters {
    /// Number of descriptors that the device reads at once.
    ///
    /// 40 (pcie-bench: the Niantic's).
    #[param(min = 1, max = 1024, default = 40)]
    pub fetch_batch: u64,
    /// Number of batches of descriptors that the device reads or holds.
    ///
    /// 4 (chosen).
    #[param(min = 1, max = 1024, default = 4, meaning = Capacity)]
    pub fetches: u64,
    /// Number of completions that the device writes at once; 0 if it writes none, and the driver reads the head.
    ///
    /// 8 (pcie-bench: the Niantic's).
    #[param(max = 1024, default = 8)]
    pub write_back_batch: u64,
    /// Largest number of posted descriptors before the driver rings the doorbell.
    ///
    /// 32 (pcie-bench: DPDK's burst). The driver rings earlier if nothing more is to be sent.
    #[param(min = 1, max = 1024, default = 32)]
    pub doorbell_batch: u64,
    /// Whether the driver reads the device's head once for each frame.
    #[param(default = false)]
    pub reads_head: bool,
}

/// The parameters of the receive rings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(resource = "receive ring", meaning = Structure)]
pub struct ReceiveRingParameters {
    /// Number of descriptors that the device reads at once.
    ///
    /// 32 (pcie-bench: the Niantic's).
    #[param(min = 1, max = 1024, default = 32)]
    pub fetch_batch: u64,
    /// Number of batches of descriptors that the device reads or holds.
    ///
    /// 4 (chosen).
    #[param(min = 1, max = 1024, default = 4, meaning = Capacity)]
    pub fetches: u64,
    /// Number of completions that the device writes at once.
    ///
    /// 1 (pcie-bench: polled driver); 8 with the kernel's.
    #[param(min = 1, max = 1024, default = 1)]
    pub write_back_batch: u64,
    /// Time for which fewer completions wait for a whole batch when no frame is there.
    #[param(default = "0 ns")]
    pub write_back_delay: Time,
    /// Number of buffers that the driver posts before it rings the doorbell.
    ///
    /// 32 (pcie-bench).
    #[param(min = 1, max = 1024, default = 32)]
    pub doorbell_batch: u64,
    /// Whether the driver reads the device's head once for each frame.
    #[param(default = false)]
    pub reads_head: bool,
}

impl RingParameters {
    /// Returns the largest payload of a frame.
    pub fn payload_max(&self) -> usize {
        self.frame.len() - FRAME_HEADER_BYTES
    }

    /// Returns the number of entries of the send ring that a frame of `bytes` bytes occupies.
    pub fn entries_of(&self, bytes: usize) -> u64 {
        match bytes <= self.inline_max.len() {
            true => 1 + (bytes as u64).div_ceil(self.descriptor.get()),
            false => 1,
        }
    }

    /// Returns the parameters of the kernel's driver, if the kernel owns the rings.
    pub fn kernel(&self) -> Option<&KernelDriverParameters> {
        match &self.driver {
            RingDriverKind::Kernel { kernel } => Some(kernel),
            RingDriverKind::Polled { .. } => None,
        }
    }

    /// Returns the errors of the values.
    pub(super) fn errors(&self) -> Vec<ParameterError> {
        let mut errors = Vec::new();
        let mut add_error = |key: &'static str, message: String, help: &'static str| {
            errors.push(ParameterError::new(key, message).help(help));
        };
        if !self.descriptor.get().is_power_of_two() {
            add_error("descriptor", format!("{} is not a power of two", self.descriptor), "write 16 B, 32 B or 64 B");
        }
        if !self.buffers.get().is_multiple_of(BLOCK_BYTES as u64) {
            add_error("buffers", format!("{} is not a multiple of 64 B", self.buffers), "write a multiple of 64 B");
        }
        if !self.frame.get().is_multiple_of(8) {
            add_error("frame", format!("{} is not a multiple of 8 B", self.frame), "write a multiple of 8 B");
        }
        if self.frame > self.buffers {
            let message = format!("a frame of {} does not fit a buffer of {}", self.frame, self.buffers);
            add_error("frame", message, "choose larger `buffers`, or a smaller `frame`");
        }
        let inline_entries = self.entries_of(self.inline_max.len());
        if self.inline_max > Bytes::ZERO && inline_entries > self.entries.min(self.send.fetch_batch * self.send.fetches)
        {
            let message = format!("a frame of {} takes {inline_entries} descriptors", self.inline_max);
            add_error("inline-max", message, "choose a smaller `inline-max`, or more `entries` and `send.fetches`");
        }
        for (key, batch) in [
            ("send.fetch-batch", self.send.fetch_batch),
            ("send.write-back-batch", self.send.write_back_batch),
            ("receive.fetch-batch", self.receive.fetch_batch),
            ("receive.write-back-batch", self.receive.write_back_batch),
            ("receive.doorbell-batch", self.receive.doorbell_batch),
        ] {
            if batch > self.entries {
                let message = format!("{batch} descriptors are more than the {} of a ring", self.entries);
                add_error(key, message, "choose a smaller batch, or more `entries`");
            }
        }
        if self.send.write_back_batch == 0 && !self.send.reads_head {
            let message = "the device writes no completions, and the driver does not read the head".to_owned();
            add_error("send.write-back-batch", message, "write a batch of 1 or more, or `send.reads-head = true`");
        }
        errors
    }
}

/// Returns the length of a frame of `bytes` bytes on the wire.
pub fn wire_length(bytes: usize) -> Bytes {
    Bytes((bytes as u64).max(FRAME_MIN) + super::frame::WIRE_OVERHEAD)
}

/// Bytes of a completion in a queue.
pub const COMPLETION_BYTES: u64 = DESCRIPTOR_BYTES as u64;
