//! The driver of the interface `dma-engine`: it offers the engine, and no messages.

use super::engine::DmaEngine;
use crate::engine::{Journey, Signal};
use crate::host::{AnyProcessor, Utilization};
use crate::ni::driver::{Driver, DriverLimits, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake};
use crate::ni::extensions::{DriverExtensions, HostDmaEngine};
use crate::ni::word_copy::PayloadSink;
use std::rc::Rc;

/// The driver of an interface without messages. A checked machine has no workload that sends or receives.
pub struct DmaEngineDriver {
    engine: Rc<DmaEngine>,
    /// A signal that is never notified.
    never_notified: Signal,
}

/// The message of a panic for a call that only a workload with messages makes.
const NO_MESSAGES: &str = "a checked workload sends no messages through a DMA engine";

impl DmaEngineDriver {
    /// Returns the driver of `engine`.
    pub fn new(engine: Rc<DmaEngine>, never_notified: Signal) -> DmaEngineDriver {
        DmaEngineDriver { engine, never_notified }
    }
}

impl DriverExtensions for DmaEngineDriver {
    fn host_dma(&self) -> Option<&dyn HostDmaEngine> {
        Some(&*self.engine)
    }
}

impl Driver for DmaEngineDriver {
    fn limits(&self) -> DriverLimits {
        DriverLimits::new(4)
    }

    fn begin_send(&self, _: &AnyProcessor, _: &Journey) -> TxToken {
        panic!("{NO_MESSAGES}")
    }

    async fn try_send(&self, _: &AnyProcessor, _: &SendRequest<'_>, _: &TxToken) -> bool {
        panic!("{NO_MESSAGES}")
    }

    async fn wait_for_capacity(&self, _: &AnyProcessor) {
        panic!("{NO_MESSAGES}")
    }

    fn may_have_packet(&self) -> bool {
        false
    }

    async fn poll(&self, _: &AnyProcessor, _: &dyn Fn(u8) -> bool) -> Option<RxPacket> {
        None
    }

    async fn take(&self, _: &AnyProcessor, _: &mut RxPacket, _: u64, _: PayloadSink<'_>) -> RxCompletion {
        panic!("{NO_MESSAGES}")
    }

    async fn idle(&self, _: &AnyProcessor, _: Wake<'_>) -> bool {
        panic!("{NO_MESSAGES}")
    }

    fn wait_policy(&self) -> WaitPolicy {
        WaitPolicy::OnEvent
    }

    fn wakeup(&self) -> &Signal {
        &self.never_notified
    }

    fn utilization(&self) -> Vec<Utilization> {
        self.engine.utilization()
    }
}
