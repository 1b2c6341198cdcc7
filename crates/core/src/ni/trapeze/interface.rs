//! The specification of Trapeze: the chip, its firmware and its driver.

use super::control::PROGRAM_BYTES;
use super::driver::TrapezeDriver;
use super::firmware::{self, Admission};
use super::instruments::Instruments;
use super::layout::{CONTROL_BYTES, ENDPOINTS_MAX, Layout, NODES_MAX};
use super::parameters::{Notification, TrapezeParameters};
use crate::engine::{Bytes, Journey, Rate, Time};
use crate::host::HostCapabilities;
use crate::ni::any::AnyDriver;
use crate::ni::build_context::BuildContext;
use crate::ni::interface::{EndpointLimit, InterfaceLimits, InterfaceSpec, ProtocolMemory};
use crate::ni::lanai::{self, Lanai, LanaiParameters, SRAM_FITS, Sram};
use crate::ni::memory_footprint::MemoryFootprint;
use crate::part::{ParameterError, Part, PartInfo};
use crate::protocol::ProtocolSpec;
use crate::text::Parameters;
use std::cell::RefCell;
use std::rc::Rc;

/// Trapeze on a LANai.
#[derive(Clone, PartialEq, Eq, Debug, Parameters)]
pub struct TrapezeInterface {
    /// The LANai chip.
    #[param(key = "lanai", table)]
    pub chip: LanaiParameters,
    /// Firmware and driver.
    #[param(flatten)]
    pub parameters: TrapezeParameters,
}

/// Largest host memory that the receive ring's buffers may take; the interface has 32-bit addresses.
const HOST_BUFFERS_MAX: Bytes = Bytes(1 << 30);

/// Keys of the parameters that determine the use of the interface's memory.
const SRAM_KEYS: [&str; 4] = ["payload-max", "ring-entries", "tags", "lanai.sram.size"];

impl Part for TrapezeInterface {
    const INFO: PartInfo = PartInfo::new("trapeze", "Trapeze firmware and driver on a LANai").results(lanai::RESULTS);

    fn check(&self) -> Vec<ParameterError> {
        [self.check_pulse(), self.check_memory(), self.check_host_buffers()].into_iter().flatten().collect()
    }

    fn inert_reason(&self, key: &str) -> Option<&'static str> {
        match key {
            "firmware.log" if !self.parameters.logging => Some("the firmware does not log"),
            "ring-poll" => Some("no sender finds the ring full"),
            "ring-entries" => Some("the ring is never full"),
            "tags" => Some("fewer tags are in use"),
            "lanai.sram.size" => Some(SRAM_FITS),
            _ => None,
        }
    }
}

impl InterfaceSpec for TrapezeInterface {
    fn needs(&self) -> HostCapabilities {
        self.parameters.notification.needs()
    }

    fn minimum_requirements(&self) -> HostCapabilities {
        Notification::Polling(Time::ZERO).needs()
    }

    fn inert_reason_with(&self, key: &str, protocol: &dyn ProtocolSpec) -> Option<&'static str> {
        let is_of_protocol = ["firmware.protocol", "firmware.copy"].contains(&key);
        (is_of_protocol && protocol.buffer_requirements().is_none()).then_some("there is no protocol")
    }

    fn limits(&self) -> InterfaceLimits {
        let payload = self.parameters.payload_max;
        InterfaceLimits::new(CONTROL_BYTES + payload, payload, NODES_MAX, EndpointLimit::PerNode(ENDPOINTS_MAX))
            .with_words(PROGRAM_BYTES / 4)
            .with_one_packet_per_message()
            .with_host_dma()
    }

    /// Returns the host memory for the receive ring's buffers.
    fn memory_footprint(&self) -> MemoryFootprint {
        let buffers = (self.parameters.ring_entries, self.parameters.payload_max.get());
        MemoryFootprint { buffers: [buffers, (0, 0)], packet: None, queued_packets: 0 }
    }

    fn packet_key(&self) -> &'static str {
        "payload-max"
    }

    fn packet_overhead(&self) -> Option<(Bytes, &'static str)> {
        Some((CONTROL_BYTES, "the control message"))
    }

    fn protocol_memory(&self, protocol: &dyn ProtocolSpec, endpoints: u32) -> Option<ProtocolMemory> {
        let needed = Layout::with_protocol(&self.parameters, protocol, endpoints).size();
        Some(ProtocolMemory {
            needed,
            available: self.chip.sram.size,
            size_key: "lanai.sram.size",
            endpoint_key: "tags",
        })
    }

    fn check_dma_rate(&self, rate: Rate, rate_key: &str) -> Option<ParameterError> {
        self.chip.check_dma_rate(rate, rate_key)
    }

    fn start(&self, context: &BuildContext<'_>) -> AnyDriver {
        let (chip, parameters) = (self.chip, &self.parameters);
        let layout = Layout::with_protocol(
            parameters,
            context.protocol.spec(),
            context.addresses.endpoint_count(context.node()),
        );
        let sram = Sram::new(context.sim, context.name(), chip.sram);
        let window = context.host.attach(sram.clone(), chip.sram.size.get());
        let chip = Lanai::start(context.sim, chip, sram, context.host, context.fabric);
        let received_journeys = RefCell::new(vec![Journey::NONE; parameters.ring_entries as usize]);
        let instruments = Rc::new(Instruments {
            sending_journeys: RefCell::default(),
            received_journeys,
            tally: context.tally.clone(),
        });
        let admission = Rc::new(Admission::new(context.node(), context.protocol));
        let driver = TrapezeDriver::start(context, (window, &chip), parameters, layout, (&instruments, &admission));
        let buffers = driver.receive_buffers();
        let task = firmware::start(context, (&chip, parameters), layout, buffers, (instruments, &admission));
        driver.set_firmware(task);
        driver.into()
    }
}

impl TrapezeInterface {
    fn check_pulse(&self) -> Option<ParameterError> {
        let TrapezeParameters { policy, payload_max, .. } = &self.parameters;
        let minpulse = policy.minpulse().filter(|minpulse| minpulse > payload_max)?;
        let message = format!("minpulse of {minpulse} is larger than the largest payload, {payload_max}");
        let key = format!("policy.{}.minpulse", policy.key());
        let error = ParameterError::new(key.clone(), message).related(["payload-max"]);
        Some(error.help(format!("make {key} smaller, or payload-max larger")))
    }

    fn check_memory(&self) -> Option<ParameterError> {
        let TrapezeParameters { policy, payload_max, .. } = &self.parameters;
        let (needs, memory) = (Layout::new(&self.parameters, 1).size().unwrap_or(Bytes(u64::MAX)), self.chip.sram.size);
        if needs <= memory {
            return None;
        }
        let [needs, memory] = needs.in_common_unit(memory);
        let message = format!(
            "rings and {} buffers of {payload_max} in each direction need {needs}, but the interface's memory has {memory}",
            policy.buffers()
        );
        let buffers = format!("policy.{}.buffers", policy.key());
        Some(ParameterError::new(buffers, message).related(SRAM_KEYS).help(self.capacity_help()))
    }

    fn check_host_buffers(&self) -> Option<ParameterError> {
        let TrapezeParameters { ring_entries, payload_max, .. } = &self.parameters;
        let attached = Bytes(ring_entries * payload_max.get());
        if attached <= HOST_BUFFERS_MAX {
            return None;
        }
        let message = format!(
            "a buffer of {payload_max} for each of {ring_entries} ring entries is {attached} of host memory, and the limit is {HOST_BUFFERS_MAX}"
        );
        let error = ParameterError::new("ring-entries", message).related(["payload-max"]);
        Some(error.help("make ring-entries or payload-max smaller"))
    }

    /// Returns a help text with the number of buffers that would fit in the interface's memory. If none would fit, the
    /// text states the largest payload with which the policy's buffers would fit.
    fn capacity_help(&self) -> String {
        let TrapezeParameters { policy, payload_max, .. } = &self.parameters;
        let rings = Layout::new(&self.parameters, 1).send_buffer(0);
        let buffer_bytes = self.chip.sram.size.get().saturating_sub(rings);
        let payload_kib = buffer_bytes / 2 / policy.buffers().max(1) / 1024;
        match buffer_bytes / (2 * payload_max.get()) {
            0 if payload_kib == 0 => format!(
                "rings and tags need {}, which leaves too little for buffers: make ring-entries or tags smaller",
                Bytes(rings)
            ),
            0 => format!(
                "not even one buffer of {payload_max} in each direction fits: choose payload-max = \"{}\" or smaller",
                Bytes(payload_kib * 1024)
            ),
            1 => format!("1 buffer of {payload_max} in each direction fits in addition to the rings"),
            fit => format!("{fit} buffers of {payload_max} in each direction fit in addition to the rings"),
        }
    }
}
