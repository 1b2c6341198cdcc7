//! The parameters of the processor of an I/O-bus host.

use crate::engine::{Hertz, Time};
use crate::text::Parameters;

/// The parameters of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct IoBusProcessorParameters {
    /// Clock of the processor.
    #[param(max = "100 GHz", resource = "processor")]
    pub clock: Hertz,
    /// Time from an interrupt to its handler.
    ///
    /// The latency ends with the first instruction of the handler.
    #[param(resource = "interrupt")]
    pub interrupt_latency: Time,
}
