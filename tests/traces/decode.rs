//! A decoder of Perfetto's binary traces, which knows the fields that Narrows writes. It shares no code with the
//! writer.

use std::collections::HashMap;

/// A span of a trace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slice {
    pub group: String,
    pub track: String,
    pub name: String,
    pub start_ns: u64,
    pub end_ns: u64,
    pub duration_ps: u64,
    pub bytes: u64,
    pub message: Option<u64>,
    pub flow: Option<u64>,
}

/// The fields of a message: numbers, and bytes of texts and messages.
struct Message<'a> {
    numbers: Vec<(u64, u64)>,
    bytes: Vec<(u64, &'a [u8])>,
}

fn read_varint(rest: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, remaining) = rest.split_first().expect("the message continues");
        *rest = remaining;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
    }
    panic!("a number has at most ten bytes");
}

impl<'a> Message<'a> {
    fn read(mut rest: &'a [u8]) -> Message<'a> {
        let (mut numbers, mut bytes) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            let tag = read_varint(&mut rest);
            match tag & 7 {
                0 => numbers.push((tag >> 3, read_varint(&mut rest))),
                1 => {
                    let (number_bytes, remaining) = rest.split_first_chunk().expect("eight bytes remain");
                    numbers.push((tag >> 3, u64::from_le_bytes(*number_bytes)));
                    rest = remaining;
                }
                2 => {
                    let length = read_varint(&mut rest) as usize;
                    let (field, remaining) = rest.split_at(length);
                    bytes.push((tag >> 3, field));
                    rest = remaining;
                }
                other => panic!("wire type {other}"),
            }
        }
        Message { numbers, bytes }
    }

    fn integer(&self, field: u64) -> Option<u64> {
        self.numbers.iter().find(|(field_number, _)| *field_number == field).map(|(_, value)| *value)
    }

    fn messages(&self, field: u64) -> impl Iterator<Item = Message<'a>> {
        self.bytes.iter().filter(move |(field_number, _)| *field_number == field).map(|(_, bytes)| Message::read(bytes))
    }

    fn message(&self, field: u64) -> Option<Message<'a>> {
        self.messages(field).next()
    }

    fn text(&self, field: u64) -> Option<String> {
        let bytes = self.bytes.iter().find(|(field_number, _)| *field_number == field)?.1;
        Some(String::from_utf8(bytes.to_vec()).expect("the text is UTF-8"))
    }
}

/// The state of a packet sequence.
#[derive(Default)]
struct Sequence {
    track: u64,
    now_ns: u64,
    names: HashMap<u64, String>,
    annotations: HashMap<u64, String>,
    /// The slices that have not ended.
    open_slices: Vec<usize>,
}

/// Returns the slices of a trace, and the number of spans that were not recorded.
pub fn slices(trace: &[u8]) -> (Vec<Slice>, u64) {
    let mut sequences: HashMap<u64, Sequence> = HashMap::new();
    let mut tracks: HashMap<u64, (String, u64)> = HashMap::new();
    let (mut slices, mut dropped) = (Vec::new(), None);
    for packet in Message::read(trace).messages(1) {
        if let Some(track) = packet.message(60) {
            let uuid = track.integer(1).expect("the track has an identifier");
            tracks.insert(uuid, (track.text(2).unwrap_or_default(), track.integer(5).unwrap_or(0)));
        }
        if let Some(attribute) = packet.message(126).and_then(|attributes| attributes.message(1)) {
            assert_eq!(attribute.text(1).as_deref(), Some("dropped_spans"));
            dropped = attribute.integer(2);
        }
        let Some(id) = packet.integer(10) else { continue };
        let flags = packet.integer(13).unwrap_or(0);
        if flags & 1 != 0 {
            assert!(sequences.insert(id, Sequence::default()).is_none(), "a sequence starts once");
        }
        let sequence = sequences.get_mut(&id).expect("a sequence that has started");
        read_definitions(sequence, &packet);
        if let Some(event) = packet.message(11) {
            sequence.now_ns += packet.integer(8).expect("the packet has a timestamp");
            apply_event(sequence, &event, &tracks, &mut slices);
        }
    }
    assert!(sequences.values().all(|sequence| sequence.open_slices.is_empty()), "every slice ends");
    (slices, dropped.expect("the trace has the attribute"))
}

/// Reads the clock, the defaults and the names that a packet defines into the state of its sequence.
fn read_definitions(sequence: &mut Sequence, packet: &Message) {
    if let Some(clocks) = packet.message(6) {
        let clock = clocks.message(1).expect("the snapshot has a clock");
        assert_eq!((clock.integer(1), clock.integer(3)), (Some(64), Some(1)), "differences of times");
        sequence.now_ns = clock.integer(2).expect("the clock has a time");
    }
    if let Some(defaults) = packet.message(59) {
        assert_eq!(defaults.integer(58), Some(64));
        sequence.track = defaults.message(11).and_then(|event| event.integer(11)).expect("the defaults have a track");
    }
    if let Some(names) = packet.message(12) {
        let entry = |entry: Message| {
            (entry.integer(1).expect("the entry has a number"), entry.text(2).expect("the entry has a name"))
        };
        sequence.names.extend(names.messages(2).map(entry));
        sequence.annotations.extend(names.messages(3).map(entry));
    }
}

fn apply_event(
    sequence: &mut Sequence,
    event: &Message,
    tracks: &HashMap<u64, (String, u64)>,
    slices: &mut Vec<Slice>,
) {
    let event_type = event.integer(9).expect("the event has a type");
    if event_type == 2 {
        let slice: &mut Slice = &mut slices[sequence.open_slices.pop().expect("a slice that has not ended")];
        slice.end_ns = sequence.now_ns;
        if slice.duration_ps == 0 {
            slice.duration_ps = (slice.end_ns - slice.start_ns) * 1000;
        }
        return;
    }
    let mut values: HashMap<&str, u64> = HashMap::new();
    for annotation in event.messages(4) {
        let name = &sequence.annotations[&annotation.integer(1).expect("the annotation has a name")];
        values.insert(name, annotation.integer(3).expect("the annotation has a value"));
    }
    let (track, group) = &tracks[&sequence.track];
    slices.push(Slice {
        group: tracks[group].0.clone(),
        track: track.clone(),
        name: sequence.names[&event.integer(10).expect("the event has a name")].clone(),
        start_ns: sequence.now_ns,
        end_ns: sequence.now_ns,
        duration_ps: values.get("duration_ps").copied().unwrap_or(0),
        bytes: values.get("bytes").copied().unwrap_or(0),
        message: values.get("message").copied(),
        flow: event.integer(47),
    });
    match event_type {
        1 => sequence.open_slices.push(slices.len() - 1),
        other => assert_eq!(other, 3, "a slice or an instant"),
    }
}
