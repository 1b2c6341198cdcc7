//! NIFDY as a [`Protocol`]: one unit for each class. Acknowledgements travel in the other class if there is one and the
//! parameters select it.
//!
//! The first word of the frame's head holds the frame's header, and the second word a piggybacked acknowledgement
//! ([`encode`]).

use super::{
    Acknowledgement, Bulk, BulkNumber, DialogReply, NifdyHeader, NifdyUnit, OutgoingPacket, PeakOccupancy, Scalar,
    UnitParameters,
};
use crate::engine::{Bytes, Class, Head, NodeId, Time};
use crate::protocol::{AcceptedPacket, Answer, Effects, Frame, Marks, Offer, Protocol, Slot, Statistics};
use crate::text::Parameters;

/// The parameters of the protocol, and the length and class of its acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct NifdyParameters {
    /// Parameters of each unit.
    #[param(flatten)]
    pub unit: UnitParameters,
    /// Cycles to generate an acknowledgement, and as many to process it.
    ///
    /// The paper states 2 cycles (Callahan and Goldstein 1995, §2.4.3).
    #[param(max = 1_000_000, default = 2, meaning = Work, resource = "acknowledgement")]
    pub processing: u64,
    /// Length of an acknowledgement.
    ///
    /// The default is 4 bytes, a flit (chosen, because it holds source, kind and dialog number).
    #[param(min = "1 B", max = "32 B", default = "4 B", meaning = Work, resource = "acknowledgement")]
    pub acknowledgement: Bytes,
    /// Logical network of acknowledgements: that of the acknowledged packets, or the other.
    #[param(key = "acknowledgement-network", words("same" = false, "other" = true), default = "other")]
    pub acknowledges_on_other: bool,
}

/// The protocol's endpoint at a node.
pub struct NifdyAdapter<P> {
    parameters: NifdyParameters,
    class_states: Vec<ClassState<P>>,
}

/// The unit of one class.
struct ClassState<P> {
    unit: NifdyUnit<(P, Bytes)>,
    /// Number of packets that are being composed.
    reserved: u32,
    /// Peak occupancy of the unit's components.
    peak: PeakOccupancy,
}

/// The slot of a packet in the arrivals queue, which is freed when the packet has been read.
const ARRIVALS_SLOT: Slot = Slot(1);
/// The slot of a packet in a reorder buffer, which was reserved for it.
const REORDER_SLOT: Slot = Slot(0);

impl<P: Clone> NifdyAdapter<P> {
    /// Returns the endpoint of `node` on a fabric with `classes` classes.
    pub fn new(node: NodeId, classes: u8, parameters: NifdyParameters) -> NifdyAdapter<P> {
        let class_state = |_| ClassState {
            unit: NifdyUnit::new(node, &parameters.unit),
            reserved: 0,
            peak: PeakOccupancy::default(),
        };
        NifdyAdapter { parameters, class_states: (0..classes).map(class_state).collect() }
    }

    /// Returns the class that carries the acknowledgements of packets of `class`.
    fn acknowledgement_class(&self, class: Class) -> Class {
        match self.parameters.acknowledges_on_other && self.class_states.len() > 1 {
            true => Class(1 - class.0),
            false => class,
        }
    }

    fn unit(&mut self, class: Class) -> &mut NifdyUnit<(P, Bytes)> {
        &mut self.class_states[class.index()].unit
    }

    fn frame(&self, frame: super::NifdyFrame<(P, Bytes)>, class: Class) -> Frame<P> {
        let needs_slot = frame.needs_slot();
        let super::NifdyFrame { source, destination, header, piggybacked, body } = frame;
        let (body, bytes) = match body {
            Some((body, bytes)) => (Some(body), bytes),
            None => (None, self.parameters.acknowledgement),
        };
        let head = encode(header, piggybacked);
        Frame { from: source, to: destination, class, head, bytes, needs_slot, body, ..Frame::default() }
    }
}

impl<P: Clone> Protocol<P> for NifdyAdapter<P> {
    fn free_send_slots(&self, class: Class) -> u32 {
        let ClassState { unit, reserved, .. } = &self.class_states[class.index()];
        u32::from(self.parameters.unit.pool) - unit.waiting_packets() as u32 - reserved
    }

    fn reserve(&mut self, class: Class) -> Option<Slot> {
        if self.free_send_slots(class) == 0 {
            return None;
        }
        let class_state = &mut self.class_states[class.index()];
        class_state.reserved += 1;
        class_state.peak.record_reservation(&class_state.unit, class_state.reserved as usize);
        Some(REORDER_SLOT)
    }

    fn offer(&mut self, _slot: Slot, packet: Offer<P>) {
        let Offer { to, class, marks: Marks { burst, last, answers, bypasses }, bytes, body, .. } = packet;
        let class_state = &mut self.class_states[class.index()];
        class_state.reserved -= 1;
        let outgoing = OutgoingPacket {
            destination: to,
            bulk_request: burst,
            bulk_exit: burst && last,
            acknowledged: !bypasses,
            answers,
            body: (body, bytes),
        };
        assert!(class_state.unit.offer(outgoing).is_ok(), "a reserved packet has a buffer");
    }

    fn next(&mut self, class: Class, now: Time) -> Option<Frame<P>> {
        let acknowledgement_class = self.acknowledgement_class(class);
        if let Some(acknowledgement) = self.unit(acknowledgement_class).next_acknowledgement() {
            return Some(self.frame(acknowledgement, class));
        }
        let retransmitted_before = self.unit(class).statistics().retransmitted;
        let frame = self.unit(class).next_packet(now)?;
        let class_state = &mut self.class_states[class.index()];
        class_state.peak.record_departure(&class_state.unit);
        let is_retransmission = self.unit(class).statistics().retransmitted > retransmitted_before;
        Some(Frame { is_retransmission, ..self.frame(frame, class) })
    }

    fn arrive(&mut self, frame: Frame<P>, _now: Time) -> Effects {
        let Frame { from: source, to: destination, class, head, bytes, body, .. } = frame;
        let (header, piggybacked) = decode(head);
        let unit_class =
            if matches!(header, NifdyHeader::Acknowledgement(_)) { self.acknowledgement_class(class) } else { class };
        let body = body.map(|body| (body, bytes));
        let unit = self.unit(unit_class);
        let duplicates_before = unit.statistics().duplicates;
        let frees_slot = unit.arrive(super::NifdyFrame { source, destination, header, piggybacked, body });
        let is_discarded = unit.statistics().duplicates > duplicates_before;
        let class_state = &mut self.class_states[unit_class.index()];
        class_state.peak.record_arrival(&class_state.unit);
        Effects { slot_freed: frees_slot.then_some(unit_class), is_discarded, ..Effects::NONE }
    }

    fn front(&self, class: Class) -> Option<(NodeId, &P)> {
        self.class_states[class.index()].unit.front().map(|(from, (body, _))| (from, body))
    }

    #[inline]
    fn can_take(&self, class: Class) -> bool {
        self.class_states[class.index()].unit.arrived() > 0
    }

    fn take(&mut self, class: Class, answer: Answer) -> Option<AcceptedPacket<P>> {
        let delivered = self.unit(class).accept(answer)?;
        let class_state = &mut self.class_states[class.index()];
        class_state.peak.record_arrival(&class_state.unit);
        let slot = if delivered.frees_slot { ARRIVALS_SLOT } else { REORDER_SLOT };
        Some(AcceptedPacket { from: delivered.source, slot, body: delivered.body.0 })
    }

    fn release(&mut self, class: Class, slot: Slot) -> Effects {
        Effects { slot_freed: (slot == ARRIVALS_SLOT).then_some(class), ..Effects::NONE }
    }

    fn next_timer(&self) -> Option<Time> {
        self.class_states.iter().filter_map(|class_state| class_state.unit.next_timer()).min()
    }

    fn on_time(&mut self, now: Time) {
        self.class_states.iter_mut().for_each(|class_state| class_state.unit.on_time(now));
    }

    fn unacknowledged(&self, to: Option<NodeId>) -> u32 {
        // The packets of an incomplete group of a dialog are acknowledged only together with the packets that follow
        // them.
        let group = self.parameters.unit.group();
        let bulk_packets = |class_state: &ClassState<P>, to| class_state.unit.unacknowledged(to) as u32 / group * group;
        let unacknowledged_in = |class_state: &ClassState<P>| match to {
            Some(to) if class_state.unit.dialog() == Some(to) => bulk_packets(class_state, to),
            Some(to) => class_state.unit.unacknowledged(to) as u32,
            None => {
                class_state.unit.outstanding() as u32
                    + class_state.unit.dialog().map_or(0, |to| bulk_packets(class_state, to))
            }
        };
        self.class_states.iter().map(unacknowledged_in).sum()
    }

    fn statistics(&self) -> Statistics {
        let mut sum = Statistics::default();
        for unit in self.class_states.iter().map(|class_state| class_state.unit.statistics()) {
            sum.accepted += unit.accepted;
            sum.bulk += unit.bulk;
            sum.acknowledgements += unit.acknowledgements;
            sum.piggybacked += unit.piggybacked;
            sum.retransmitted += unit.retransmitted;
            sum.duplicates += unit.duplicates;
        }
        sum
    }

    fn state_bytes(&self, packet_bytes: usize) -> usize {
        self.class_states.iter().map(|class_state| class_state.peak.bytes(packet_bytes)).sum()
    }
}

/// A row of bits, filled from the lowest.
#[derive(Default)]
struct Bits {
    word: u64,
    used_bits: u32,
}

impl Bits {
    fn push(&mut self, value: u64, width: u32) -> &mut Bits {
        assert!(value < 1 << width && self.used_bits + width <= u64::BITS, "{value} has {width} bits of the head");
        self.word |= value << self.used_bits;
        self.used_bits += width;
        self
    }

    fn get(&mut self, width: u32) -> u64 {
        let value = self.word >> self.used_bits & ((1 << width) - 1);
        self.used_bits += width;
        value
    }

    fn flag(&mut self) -> bool {
        self.get(1) == 1
    }
}

/// Encodes a header and a piggybacked acknowledgement. The first word holds two bits of kind and the header's fields;
/// the second a bit for whether there is an acknowledgement, and its fields.
pub fn encode(header: NifdyHeader, piggybacked: Option<Acknowledgement>) -> Head {
    let (mut first, mut second) = (Bits::default(), Bits::default());
    match header {
        NifdyHeader::Scalar(Scalar { acknowledged, bulk_request, duplicate_bit }) => {
            first.push(0, 2).push(acknowledged.into(), 1).push(bulk_request.into(), 1).push(duplicate_bit.into(), 1);
        }
        NifdyHeader::Bulk(Bulk { dialog, number, bulk_exit }) => {
            put_number(first.push(1, 2).push(dialog.into(), 16), number).push(bulk_exit.into(), 1);
        }
        NifdyHeader::Acknowledgement(acknowledgement) => put_acknowledgement(first.push(2, 2), acknowledgement),
    }
    if let Some(acknowledgement) = piggybacked {
        put_acknowledgement(second.push(1, 1), acknowledgement);
    }
    Head([first.word, second.word])
}

fn put_number(bits: &mut Bits, bulk_number: BulkNumber) -> &mut Bits {
    bits.push(bulk_number.sequence.into(), 16).push(bulk_number.duplicate_bit.into(), 1)
}

fn put_acknowledgement(bits: &mut Bits, acknowledgement: Acknowledgement) {
    match acknowledgement {
        Acknowledgement::Scalar { reply, duplicate_bit } => {
            let (kind, dialog) = match reply {
                DialogReply::None => (0, 0),
                DialogReply::Rejected => (1, 0),
                DialogReply::Granted(dialog) => (2, dialog),
            };
            bits.push(0, 1).push(kind, 2).push(dialog.into(), 16).push(duplicate_bit.into(), 1);
        }
        Acknowledgement::Bulk { dialog, number, requests_exit } => {
            bits.push(1, 1).push(dialog.into(), 16).push(requests_exit.into(), 1).push(number.is_some().into(), 1);
            if let Some(number) = number {
                put_number(bits, number);
            }
        }
    }
}

/// Decodes the head written by [`encode`].
pub fn decode(head: Head) -> (NifdyHeader, Option<Acknowledgement>) {
    let [mut first, mut second] = head.0.map(|word| Bits { word, used_bits: 0 });
    let header = match first.get(2) {
        0 => NifdyHeader::Scalar(Scalar {
            acknowledged: first.flag(),
            bulk_request: first.flag(),
            duplicate_bit: first.flag(),
        }),
        1 => NifdyHeader::Bulk(Bulk {
            dialog: first.get(16) as u16,
            number: get_number(&mut first),
            bulk_exit: first.flag(),
        }),
        _ => NifdyHeader::Acknowledgement(get_acknowledgement(&mut first)),
    };
    let piggybacked = second.flag().then(|| get_acknowledgement(&mut second));
    (header, piggybacked)
}

fn get_number(bits: &mut Bits) -> BulkNumber {
    BulkNumber { sequence: bits.get(16) as u16, duplicate_bit: bits.flag() }
}

fn get_acknowledgement(bits: &mut Bits) -> Acknowledgement {
    if bits.flag() {
        let (dialog, requests_exit) = (bits.get(16) as u16, bits.flag());
        let bulk_number = bits.flag().then(|| get_number(bits));
        return Acknowledgement::Bulk { dialog, number: bulk_number, requests_exit };
    }
    let (kind, dialog, duplicate_bit) = (bits.get(2), bits.get(16) as u16, bits.flag());
    let reply = match kind {
        0 => DialogReply::None,
        1 => DialogReply::Rejected,
        _ => DialogReply::Granted(dialog),
    };
    Acknowledgement::Scalar { reply, duplicate_bit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = BulkNumber> {
        (any::<u16>(), any::<bool>()).prop_map(|(sequence, duplicate_bit)| BulkNumber { sequence, duplicate_bit })
    }

    fn acknowledgement() -> impl Strategy<Value = Acknowledgement> {
        let reply = prop_oneof![
            Just(DialogReply::None),
            Just(DialogReply::Rejected),
            any::<u16>().prop_map(DialogReply::Granted)
        ];
        let scalar =
            (reply, any::<bool>()).prop_map(|(reply, duplicate_bit)| Acknowledgement::Scalar { reply, duplicate_bit });
        let bulk = (any::<u16>(), prop::option::of(number()), any::<bool>())
            .prop_map(|(dialog, number, requests_exit)| Acknowledgement::Bulk { dialog, number, requests_exit });
        prop_oneof![scalar, bulk]
    }

    fn header() -> impl Strategy<Value = NifdyHeader> {
        let scalar = any::<[bool; 3]>().prop_map(|[acknowledged, bulk_request, duplicate_bit]| {
            NifdyHeader::Scalar(Scalar { acknowledged, bulk_request, duplicate_bit })
        });
        let bulk = (any::<u16>(), number(), any::<bool>())
            .prop_map(|(dialog, number, bulk_exit)| NifdyHeader::Bulk(Bulk { dialog, number, bulk_exit }));
        prop_oneof![scalar, bulk, acknowledgement().prop_map(NifdyHeader::Acknowledgement)]
    }

    proptest! {
        #[test]
        fn decoding_inverts_encoding(header in header(), piggybacked in prop::option::of(acknowledgement())) {
            prop_assert_eq!(decode(encode(header, piggybacked)), (header, piggybacked));
        }
    }
}
