//! An RDMA interface: queue pairs, completion queues and memory regions, over RoCEv2.
//!
//! # Datasheet
//!
//! A request passes these stages, each of which is a stage of the message's ledger:
//!
//! 1. *Doorbell*: the processor composes the request in the send queue, a ring in memory, and writes it to BlueFlame in
//!    write-combined blocks, or rings a doorbell of 8 bytes. Up to `inline-max` bytes of payload are part of the
//!    request.
//! 2. *Descriptor*: the device finds the context of the queue pair, and reads the requests by DMA unless BlueFlame
//!    brought the request. Up to `fetches` doorbells are handled at once.
//! 3. *Send processing*, a latency that overlaps with the latencies of other requests. Then the scheduler takes packets
//!    of all queue pairs in turn, `queue-pair-gap` and `packet-gap` apart.
//! 4. *Payload read*: the payload of the packet is read by DMA into packet memory. Up to `packet-buffers` reads are
//!    outstanding.
//! 5. *Wire*: a packet leaves when all of it is in packet memory.
//! 6. *Receive processing*, a latency that overlaps with the latencies of other packets.
//! 7. *Payload write*: the payload is written to memory by a posted DMA write.
//! 8. *Completion*: the completion queue entry is written behind the payload. A poll finds it.
//!
//! A packet is stored and forwarded twice: in the sender's packet memory between PCIe and the wire, and in the
//! receiver's between the wire and PCIe. Its bytes are therefore serialized on PCIe (read), on the link into the
//! fabric, on the link out of it, and on PCIe (write), each at its own rate. `read-rate` and `write-rate` limit the
//! rates at which payloads move between PCIe and packet memory.
//!
//! The transport is that of a reliable connection: sequence numbers, acknowledgements, negative acknowledgements,
//! retries and time-outs of each queue pair ([`transport`]). As in RDMA interfaces, the transport is a part of the
//! interface and not a [`Protocol`](crate::protocol::Protocol): its responses to reads, its errors and its
//! receiver-not-ready notices belong to operations on memory, which a protocol of packets does not know. The interface
//! runs over any fabric, including one that loses and reorders packets, with the protocol `none`.
//!
//! Queues are real memory: requests, buffers, completions and doorbell records are encoded as mlx5 does, wrap around,
//! and are read by DMA. Packets have real bytes ([`wire`]).
//!
//! The module leaves out: unreliable services, immediate data, atomic operations with masks, limits of shared receive
//! queues, memory windows, on-demand paging, local keys, congestion control, write-back of contexts, reads of the
//! doorbell records of send queues, interrupts, and loss of packets in the interface for lack of buffers. A queue pair
//! in the error state cannot be used again.
//!
//! Sources: InfiniBand Architecture Specification, volume 1, chapters 9 to 11; Annex A17 (RoCEv2); rdma-core for
//! doorbell records, BlueFlame and the layouts of mlx5 (remembered). Values are marked with their source in
//! `parameters.rs`.

pub mod completion_entry;
pub mod completion_queue;
pub mod device;
pub mod driver;
mod interface;
pub mod lookup_cache;
pub mod parameters;
pub mod receive_queue;
mod result_names;
#[cfg(test)]
mod tests;
pub mod transport;
pub mod wire;
pub mod work_request;

pub use parameters::RdmaParameters;
