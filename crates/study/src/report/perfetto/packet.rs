//! Packets of Perfetto's binary trace format: messages of `TracePacket`, in the wire format of Protocol Buffers.
//!
//! The fields and their numbers are those of `protos/perfetto/trace/` in Perfetto's repository. A trace is one message
//! with a repeated field of packets, so packets can be appended to a trace.
//!
//! Each lane of a track has a packet sequence of its own. The first packet of a sequence defines its clock, whose
//! timestamps are differences, the track of its events, and the names of its annotations. Later packets refer to these,
//! and to names that an earlier packet of the sequence defines.
//!
//! Packets are encoded by hand, since a span takes two of them and their encoding is most of the cost of a trace: the
//! structs of `prost` need 2.5 times as long (docs/performance.md).

/// The upper bound of the encoded length of an event, without its new names. Every length within an event therefore
/// takes one byte.
const EVENT_BYTES_MAX: usize = 127;

/// The number of bytes by which a buffer of packets grows.
const BUFFER_GROWTH_BYTES: usize = 64 << 10;

/// The wire type of a number.
const VARINT: u8 = 0;

/// The wire type of a text or message.
const BYTES_WIRE_TYPE: u8 = 2;

/// The number of the clock of each sequence: the first that sequences may define.
const CLOCK: u64 = 64;

/// The builtin clock that the clocks of sequences refer to: Perfetto's `BOOTTIME`.
const TRACE_CLOCK: u64 = 6;

/// `SEQ_INCREMENTAL_STATE_CLEARED`: the first packet of a sequence.
const STATE_CLEARED: u64 = 1;

/// `SEQ_NEEDS_INCREMENTAL_STATE`: a packet that refers to names of the sequence.
const NEEDS_STATE: u64 = 2;

/// `EXPLICIT`: tracks are shown by rank.
const BY_RANK: u64 = 3;

/// `SIBLING_MERGE_BEHAVIOR_NONE`: tracks of equal names stay apart.
const NOT_MERGED: u64 = 2;

/// The names of annotations; their numbers in a sequence start from 1.
const ANNOTATIONS: [&str; 3] = ["bytes", "message", "duration_ps"];

/// The type of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventType {
    /// The start of a span.
    Begin = 1,
    /// A span of zero length.
    Instant = 3,
}

/// An event that starts a span.
pub struct SpanEvent {
    pub event_type: EventType,
    /// The number of the span's name in the sequence.
    pub name: u64,
    pub bytes: u64,
    pub message: Option<u64>,
    /// The duration in picoseconds, if it is not the difference of the timestamps in nanoseconds.
    pub duration_ps: Option<u64>,
}

/// Encoded packets.
#[derive(Default)]
pub struct Packets {
    /// The packets, followed by unused bytes.
    bytes: Vec<u8>,
    length: usize,
}

impl Packets {
    /// Returns the bytes of the packets.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Removes all packets.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a `TracePacket` with the fields `head` and `tail`.
    fn push_packet(&mut self, head: &[u8], tail: &[u8]) {
        self.bytes.truncate(self.length);
        self.bytes.push(tag(1, BYTES_WIRE_TYPE));
        push_varint(&mut self.bytes, (head.len() + tail.len()) as u64);
        self.bytes.extend_from_slice(head);
        self.bytes.extend_from_slice(tail);
        self.length = self.bytes.len();
    }

    /// Appends a `TracePacket` of an event, whose fields `encode` appends.
    #[inline]
    fn push_event(&mut self, encode: impl FnOnce(&mut EventBuffer)) {
        if self.bytes.len() < self.length + 2 + EVENT_BYTES_MAX {
            self.bytes.resize(self.length + BUFFER_GROWTH_BYTES, 0);
        }
        let (packet_start, fields) = self.bytes[self.length..].split_at_mut(2);
        let mut packet = EventBuffer::new(fields.first_chunk_mut().expect("the buffer was extended"));
        encode(&mut packet);
        packet_start.copy_from_slice(&[tag(1, BYTES_WIRE_TYPE), packet.length as u8]);
        self.length += 2 + packet.length;
    }
}

/// A message of any length.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(mut self, field: u32, value: u64) -> Message {
        push_varint(&mut self.0, u64::from(field) << 3 | u64::from(VARINT));
        push_varint(&mut self.0, value);
        self
    }

    fn text(mut self, field: u32, text: &str) -> Message {
        self.push_bytes(field, text.as_bytes());
        self
    }

    fn message(mut self, field: u32, message: &Message) -> Message {
        self.push_bytes(field, &message.0);
        self
    }

    fn push_bytes(&mut self, field: u32, bytes: &[u8]) {
        push_varint(&mut self.0, u64::from(field) << 3 | u64::from(BYTES_WIRE_TYPE));
        push_varint(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Appends this `TracePacket` to a trace.
    fn append_to(&self, trace: &mut Packets) {
        trace.push_packet(&self.0, &[]);
    }
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends the descriptor of the root of all tracks, whose groups are shown by rank.
pub fn push_root(trace: &mut Packets) {
    push_descriptor(trace, Message::default().number(1, 0).number(11, BY_RANK));
}

/// Appends the descriptor of a group of tracks, which are shown by rank.
pub fn push_group(trace: &mut Packets, uuid: u64, name: &str, rank: u64) {
    push_descriptor(trace, track_descriptor(uuid, name, rank).number(11, BY_RANK));
}

/// Appends the descriptor of a track of the group `parent`.
pub fn push_track(trace: &mut Packets, uuid: u64, parent: u64, name: &str, rank: u64) {
    push_descriptor(trace, track_descriptor(uuid, name, rank).number(5, parent));
}

/// Returns the fields of a `TrackDescriptor` that groups and tracks share.
fn track_descriptor(uuid: u64, name: &str, rank: u64) -> Message {
    Message::default().number(1, uuid).text(2, name).number(12, rank).number(15, NOT_MERGED)
}

fn push_descriptor(trace: &mut Packets, descriptor: Message) {
    Message::default().message(60, &descriptor).append_to(trace);
}

/// Appends the first packet of a sequence, all of whose events are on the track `uuid`.
pub fn push_sequence(trace: &mut Packets, sequence: u32, uuid: u64) {
    let sequence_clock = Message::default().number(1, CLOCK).number(2, 0).number(3, 1);
    let trace_clock = Message::default().number(1, TRACE_CLOCK).number(2, 0);
    let clocks = Message::default().message(1, &sequence_clock).message(1, &trace_clock);
    let defaults = Message::default().message(11, &Message::default().number(11, uuid)).number(58, CLOCK);
    let names = (1..).zip(ANNOTATIONS).map(|(id, name)| name_entry(id, name));
    let names = names.fold(Message::default(), |names, name| names.message(3, &name));
    let packet = Message::default().number(10, sequence.into()).number(13, STATE_CLEARED).message(6, &clocks);
    packet.message(12, &names).message(59, &defaults).number(87, 1).append_to(trace);
}

fn name_entry(id: u64, name: &str) -> Message {
    Message::default().number(1, id).text(2, name)
}

/// Appends the number of spans that were not recorded, as an attribute of the trace.
pub fn push_dropped_spans(trace: &mut Packets, dropped: u64) {
    let attribute = Message::default().text(1, "dropped_spans").number(2, dropped);
    Message::default().message(126, &Message::default().message(1, &attribute)).append_to(trace);
}

/// Appends the event `span`, which happens `delta_ns` after the last event of the sequence. `new_name` is the name of
/// the span if the sequence has not defined it yet.
#[inline]
pub fn push_span(trace: &mut Packets, sequence: u32, delta_ns: u64, span: &SpanEvent, new_name: Option<&str>) {
    match new_name {
        None => trace.push_event(|packet| packet.encode_span(sequence, delta_ns, span)),
        Some(name) => {
            let mut event = [0; EVENT_BYTES_MAX];
            let mut packet = EventBuffer::new(&mut event);
            packet.encode_span(sequence, delta_ns, span);
            let length = packet.length;
            let names = Message::default().message(2, &name_entry(span.name, name));
            let names = Message::default().message(12, &names);
            trace.push_packet(&event[..length], &names.0);
        }
    }
}

/// Appends the end of the last span of the sequence that has not ended, `delta_ns` after its last event. The packet
/// refers only to the sequence's defaults, which also hold for packets without `NEEDS_STATE`.
#[inline]
pub fn push_end(trace: &mut Packets, sequence: u32, delta_ns: u64) {
    trace.push_event(|packet| packet.encode_end(sequence, delta_ns));
}

/// The fields of a `TracePacket` of an event.
struct EventBuffer<'a> {
    bytes: &'a mut [u8; EVENT_BYTES_MAX],
    length: usize,
}

impl EventBuffer<'_> {
    #[inline]
    fn new(bytes: &mut [u8; EVENT_BYTES_MAX]) -> EventBuffer<'_> {
        EventBuffer { bytes, length: 0 }
    }

    #[inline]
    fn encode_span(&mut self, sequence: u32, delta_ns: u64, span: &SpanEvent) {
        self.number(8, delta_ns);
        self.number(10, sequence.into());
        // Flags of the packet, and the start of the event.
        self.push([tag(13, VARINT), NEEDS_STATE as u8, tag(11, BYTES_WIRE_TYPE), 0]);
        let event_start = self.length;
        self.push([tag(9, VARINT), span.event_type as u8]);
        self.number(10, span.name);
        if span.bytes > 0 {
            self.annotation(1, span.bytes);
        }
        if let Some(message) = span.message {
            self.annotation(2, message);
            // A flow, in field 47, of 64 bits.
            self.push([0xf9, 0x02]);
            self.push(message.to_le_bytes());
        }
        if let Some(duration_ps) = span.duration_ps {
            self.annotation(3, duration_ps);
        }
        self.set_length(event_start);
    }

    #[inline]
    fn encode_end(&mut self, sequence: u32, delta_ns: u64) {
        self.number(8, delta_ns);
        self.number(10, sequence.into());
        self.push([tag(11, BYTES_WIRE_TYPE), 2, tag(9, VARINT), 2]);
    }

    /// Appends the debug annotation with the number `name` in [`ANNOTATIONS`], from 1.
    #[inline]
    fn annotation(&mut self, name: u8, value: u64) {
        self.push([tag(4, BYTES_WIRE_TYPE), 0]);
        let annotation_start = self.length;
        self.push([tag(1, VARINT), name]);
        self.number(3, value);
        self.set_length(annotation_start);
    }

    #[inline]
    fn number(&mut self, field: u8, mut value: u64) {
        if value < 0x80 {
            return self.push([tag(field, VARINT), value as u8]);
        }
        if value < 0x4000 {
            return self.push([tag(field, VARINT), value as u8 | 0x80, (value >> 7) as u8]);
        }
        self.push([tag(field, VARINT)]);
        while value >= 0x80 {
            self.push([value as u8 | 0x80]);
            value >>= 7;
        }
        self.push([value as u8]);
    }

    #[inline]
    fn push<const N: usize>(&mut self, bytes: [u8; N]) {
        *self.bytes[self.length..].first_chunk_mut().expect("an event has at most `EVENT_BYTES_MAX` bytes") = bytes;
        self.length += N;
    }

    /// Sets the length of the message that began at `start`, in the byte before it.
    #[inline]
    fn set_length(&mut self, start: usize) {
        self.bytes[start - 1] = (self.length - start) as u8;
    }
}

/// Returns the tag of a field below 16.
const fn tag(field: u8, wire_type: u8) -> u8 {
    field << 3 | wire_type
}
