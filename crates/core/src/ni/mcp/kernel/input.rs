//! Interrupts, and the bottom half: packets become datagrams in the socket's queue.

use super::super::buffers::Place;
use super::super::card::Came;
use super::super::firmware::cause;
use super::super::headers::{ENVELOPE, Headers, decode};
use super::super::layout::SENT;
use super::super::stage;
use super::Kernel;
use super::gathering::{Gathered, Part, Received};
use crate::engine::{Journey, NodeId, Time};
use crate::host::{AnyProcessor, Processor};
use crate::protocol::udp_ip::{
    self, DatagramKey, DropReason, IPV4_HEADER, Parsed, Sum, UDP_HEADER, UdpHead, addresses,
};
use std::net::SocketAddrV4;

impl Kernel {
    /// Handles an interrupt for `causes`.
    pub(super) async fn handle(&self, cpu: &AnyProcessor, causes: u32) {
        let _turn = cpu.acquire("interrupt").await;
        cpu.work(self.costs.interrupt);
        if causes & cause::SENT != 0 {
            let [all] = self.card.read_words::<1>(cpu, SENT).await;
            self.card.have_gone(cpu, all, self.costs.completion).await;
        }
        if causes & cause::RECEIVED != 0 {
            self.read_events(cpu).await;
        }
        cpu.sync().await;
    }

    /// Reads what the interface tells of packets that came, and leaves it to the bottom half.
    async fn read_events(&self, cpu: &AnyProcessor) {
        while let Some(came) = self.card.read_event(cpu).await {
            self.backlog.send(came);
        }
    }

    /// The bottom half: as long as there is something in the backlog it has the processor.
    pub(super) async fn serve(&self, cpu: &AnyProcessor) {
        loop {
            let next = self.gathering.borrow().next_timer().unwrap_or(Time::MAX);
            if self.backlog.is_empty() && next > cpu.sim().now() {
                self.backlog.arrived().wait_until(next).await;
            }
            let turn = cpu.acquire("bottom half").await;
            while let Some(came) = self.backlog.try_receive() {
                let (id, length) = (came.journey.id(), came.length as usize);
                self.take_in(cpu, came).await;
                cpu.sync().await;
                turn.did("packet", id, length);
            }
            self.give_up(cpu).await;
            cpu.sync().await;
        }
    }

    /// Gives up datagrams that waited for too long.
    async fn give_up(&self, cpu: &AnyProcessor) {
        let expired = self.gathering.borrow_mut().expires(cpu.sim().now());
        for parts in expired {
            parts.first().inspect(|first| self.drop(DropReason::Expired, &first.journey));
            self.give_back(cpu, parts).await;
        }
    }

    /// Posts the buffers again that hold these parts and nothing else.
    pub(in super::super) async fn give_back(&self, cpu: &AnyProcessor, parts: Vec<Part>) {
        let mut buffers: Vec<u32> = parts.iter().map(|part| part.buffer).collect();
        buffers.dedup();
        for buffer in buffers {
            if !self.gathering.borrow().holds(buffer) {
                self.card.repost(cpu, buffer).await;
            }
        }
    }

    async fn take_in(&self, cpu: &AnyProcessor, came: Came) {
        let start = cpu.now();
        cpu.work(self.costs.bottom_half);
        let Came { lost, ref journey, .. } = came;
        let read = if lost { Err(None) } else { self.read_headers(cpu, &came).await.map_err(Some) };
        let (packet, part) = match read {
            Ok((packet, part)) => (packet, part),
            Err(reason) => {
                // What was dropped on its way was told of as lost there.
                if let Some(reason) = reason {
                    self.drop(reason, journey);
                }
                let journey = journey.clone();
                let part = Part { buffer: came.buffer, address: 0, place: 0..0, sum: Sum::ZERO, journey };
                return self.give_back(cpu, vec![part]).await;
            }
        };
        let part = match self.card.parameters.remedies.checksum_offload {
            true => part,
            false => Part { sum: self.sum(cpu, part.address, part.place.len()).await, ..part },
        };
        cpu.sync().await;
        journey.served(start, cpu.now());
        let gathered = self.gathering.borrow_mut().arrive(&packet, part, cpu.now());
        match gathered {
            Gathered::Kept => {}
            Gathered::Dropped(reason, parts) => {
                self.drop(reason, journey);
                self.give_back(cpu, parts).await;
            }
            Gathered::Complete(key, udp, parts) => self.complete(cpu, (key, udp), parts, journey).await,
        }
    }

    /// A packet's headers, and where its data lies; or why it is dropped.
    async fn read_headers(&self, cpu: &AnyProcessor, came: &Came) -> Result<(Parsed, Part), DropReason> {
        let at = self.card.buffers.kernel(came.buffer, came.fragment);
        let mut head = vec![0; (came.length as usize).min(IPV4_HEADER + UDP_HEADER + ENVELOPE)];
        cpu.load_run(at, &mut head).await;
        let headers = Headers::of(&head).ok_or(DropReason::TooShort)?;
        let zero_copy = self.card.parameters.remedies.zero_copy;
        let place = match zero_copy {
            true => self.card.buffers.of_fragment(came.buffer, &headers),
            false => Place::whole(came.buffer),
        };
        let pieces = self.card.buffers.pieces(&place, 0..came.length);
        let pieces = pieces.iter().map(|piece| self.card.host.peek(piece.address, piece.bytes as usize));
        let packet = pieces.collect::<Vec<_>>().concat();
        let parsed = udp_ip::parse(&packet)?;
        // Where the host does not copy, a buffer has the data, the kernel the envelope before it.
        let (address, place) = match zero_copy {
            true => {
                let place = parsed.place();
                let data = place.start.max(ENVELOPE)..place.end.max(ENVELOPE);
                (self.card.buffers.program(came.buffer) + (data.start - ENVELOPE) as u64, data)
            }
            false => (at + parsed.payload.start as u64, parsed.place()),
        };
        let (buffer, journey) = (came.buffer, came.journey.clone());
        let sum = Sum::of(&(came.word as u16).to_be_bytes());
        Ok((parsed, Part { buffer, address, place, sum, journey }))
    }

    /// All of a datagram is there: if it is as it was sent, the socket has it.
    async fn complete(
        &self,
        cpu: &AnyProcessor,
        (key, udp): (DatagramKey, UdpHead),
        parts: Vec<Part>,
        journey: &Journey,
    ) {
        let envelope = self.envelope_bytes(&parts);
        let ends = [(key.from, udp.from), (key.to, udp.to)]
            .map(|(ip, port)| addresses::end(SocketAddrV4::new(ip, port)))
            .map(|end| end.filter(|(node, place)| self.is_there(*node, *place)));
        let sum = self.sum_of(&parts, &envelope);
        let read = match udp.is_valid(key.from, key.to, sum) {
            true => decode(&envelope).ok_or(DropReason::TooShort),
            false => Err(DropReason::BadUdpChecksum),
        };
        let (envelope, from, to) = match (read, ends) {
            (Ok(envelope), [Some(from), Some(to)]) => (envelope, from, to),
            (read, _) => {
                self.drop(read.err().unwrap_or(DropReason::NoSocket), journey);
                return self.give_back(cpu, parts).await;
            }
        };
        let [from, to] = [from, to].map(|(node, place)| self.card.addresses.at(node, place));
        journey.close(stage::BOTTOM_HALF, cpu.now());
        let bytes = udp.payload;
        self.inbox.send(Received { from, to, envelope, parts, bytes, journey: journey.clone() });
        self.card.room.notify();
    }

    /// A packet is dropped, or a datagram: what it is of is lost, but for a packet that came twice.
    fn drop(&self, reason: DropReason, journey: &Journey) {
        let card = &self.card;
        card.tally.drop_packet(reason.words());
        if reason != DropReason::Duplicate {
            card.tally.lose(journey);
            card.sim.lost(|| {
                let what = journey.id().map_or("a packet".to_owned(), |message| format!("message {message}"));
                format!("{what}, dropped by {} at {}: {reason}", card.name, card.sim.now())
            });
        }
    }

    /// The envelope, which lies with the kernel or before the first part's data.
    fn envelope_bytes(&self, parts: &[Part]) -> Vec<u8> {
        let Some(first) = parts.first() else { return Vec::new() };
        match self.card.parameters.remedies.zero_copy {
            true => {
                let headers = self.card.buffers.kernel(first.buffer, 0);
                self.card.host.peek(headers + (IPV4_HEADER + UDP_HEADER) as u64, ENVELOPE)
            }
            false => self.card.host.peek(first.address, ENVELOPE.min(first.place.len())),
        }
    }

    /// The sum of a datagram's payload.
    fn sum_of(&self, parts: &[Part], envelope: &[u8]) -> Sum {
        let remedies = self.card.parameters.remedies;
        // What the interface added up has the envelope in it; so has what the kernel's memory holds.
        let apart = remedies.zero_copy && !remedies.checksum_offload;
        let before = if apart { Sum::of(envelope) } else { Sum::ZERO };
        // Parts begin at even places.
        before + parts.iter().map(|part| part.sum).sum()
    }

    fn is_there(&self, node: NodeId, place: u32) -> bool {
        node.index() < self.card.addresses.nodes() && place < self.card.addresses.count(node)
    }
}
