//! The drivers of all interfaces as one type: an enum with a variant for each shipped driver, and one for the drivers
//! of other crates.
//!
//! A driver is called for each packet and each poll, so the shipped drivers are variants of an enum and not trait
//! objects. Only this file imports them.

use super::cmmu::driver::CmmuDriver;
use super::designs::queue_driver::SplitDriver;
use super::direct::nic::QueuesNic;
use super::driver::{Driver, DriverLimits, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake};
use super::dyn_driver;
use super::extensions::{CoherenceUnit, DriverExtensions, HostDmaEngine};
use super::mcp::driver::McpDriver;
use super::port::Port;
use super::ring::driver::RingDriver;
use super::trapeze::driver::TrapezeDriver;
use super::verbs::Verbs;
use super::whole_packet::WholePacketDriver;
use super::word_copy::PayloadSink;
use crate::engine::sim::WaitReasonId;
use crate::engine::{EndpointId, Journey, Signal};
use crate::host::{Address, AnyProcessor, Utilization};
use crate::protocol::Statistics;
use std::rc::Rc;

/// Declares [`AnyDriver`], and the macro `on_driver!`, which evaluates an expression for the present variant, from one
/// list of drivers.
macro_rules! drivers {
    (($dollar:tt) $($(#[$doc:meta])* $variant:ident($driver:ty),)*) => {
        /// The driver of an interface.
        pub enum AnyDriver {
            $($(#[$doc])* $variant($driver),)*
            /// The driver of an interface from another crate.
            Custom(Box<dyn dyn_driver::DynDriver>),
        }

        $(impl From<$driver> for AnyDriver {
            fn from(driver: $driver) -> AnyDriver {
                AnyDriver::$variant(driver)
            }
        })*

        macro_rules! on_driver {
            ($dollar any:expr, $dollar name:ident => $dollar call:expr) => {
                match $dollar any {
                    $(AnyDriver::$variant($dollar name) => $dollar call,)*
                    AnyDriver::Custom($dollar name) => $dollar call,
                }
            };
        }
    };
}

drivers! {
    ($)
    /// Trapeze on a LANai.
    Trapeze(Rc<TrapezeDriver>),
    /// Sockets over the Myrinet control program, on a LANai.
    Mcp(Box<McpDriver>),
    /// A fifo or queue, with a sending and a receiving half.
    Split(Box<SplitDriver>),
    /// The interface `queues`, which has no bus.
    Direct(WholePacketDriver<QueuesNic>),
    /// Alewife's communication and memory unit.
    Cmmu(Box<CmmuDriver>),
    /// Descriptor rings.
    Ring(Box<RingDriver>),
}

impl AnyDriver {
    /// Wraps the driver of an interface from another crate.
    pub fn custom(driver: impl Driver + 'static) -> AnyDriver {
        AnyDriver::Custom(Box::new(driver))
    }
}

/// Forwards methods of [`Driver`] to the present variant.
macro_rules! forward {
    (
        methods { $(fn $method:ident($($parameter:ident: $parameter_type:ty),*) $(-> $result:ty)?;)* }
        async_methods { $(async fn $async_method:ident($($name:ident: $type:ty),*) $(-> $returns:ty)?;)* }
    ) => {
        $(fn $method(&self $(, $parameter: $parameter_type)*) $(-> $result)? {
            on_driver!(self, driver => driver.$method($($parameter),*))
        })*
        $(async fn $async_method(&self $(, $name: $type)*) $(-> $returns)? {
            on_driver!(self, driver => driver.$async_method($($name),*).await)
        })*
    };
}

// A method with a default that is not forwarded would silently use the default; the lint reports such methods.
#[deny(clippy::missing_trait_methods)]
impl Driver for AnyDriver {
    forward! {
        methods {
            fn limits() -> DriverLimits;
            fn begin_send(cpu: &AnyProcessor, journey: &Journey) -> TxToken;
            fn takes_in_any_order() -> bool;
            fn may_have_packet() -> bool;
            fn wait_policy() -> WaitPolicy;
            fn charge_poll(cpu: &AnyProcessor);
            fn wakeup() -> &Signal;
            fn capacity_wait_reason() -> Option<WaitReasonId>;
            fn packet_wait_reason() -> Option<WaitReasonId>;
            fn is_zero_copy() -> bool;
            fn fragment_offset(fragment: u32) -> Address;
            fn buffer_size(fragments: u32) -> usize;
            fn payload_address(into: Address) -> Address;
            fn port() -> Option<&Rc<Port>>;
            fn accounts() -> Option<(Statistics, usize)>;
            fn interrupts() -> bool;
            fn counts() -> Vec<(&'static str, u64)>;
            fn utilization() -> Vec<Utilization>;
        }
        async_methods {
            async fn try_send(cpu: &AnyProcessor, packet: &SendRequest<'_>, token: &TxToken) -> bool;
            async fn flush_sends(cpu: &AnyProcessor);
            async fn wait_for_capacity(cpu: &AnyProcessor);
            async fn poll(cpu: &AnyProcessor, sends_reply: &dyn Fn(u8) -> bool) -> Option<RxPacket>;
            async fn take(
                cpu: &AnyProcessor,
                arrival: &mut RxPacket,
                extra_cycles: u64,
                sink: PayloadSink<'_>
            ) -> RxCompletion;
            async fn release(cpu: &AnyProcessor, entry: u64);
            async fn idle(cpu: &AnyProcessor, wake: Wake<'_>) -> bool;
            async fn map_tag(cpu: &AnyProcessor, endpoint: EndpointId, tag: u16, address: Address);
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl DriverExtensions for AnyDriver {
    fn host_dma(&self) -> Option<&dyn HostDmaEngine> {
        on_driver!(self, driver => driver.host_dma())
    }

    fn verbs(&self) -> Option<&dyn Verbs> {
        on_driver!(self, driver => driver.verbs())
    }

    fn coherence(&self) -> Option<Rc<dyn CoherenceUnit>> {
        on_driver!(self, driver => driver.coherence())
    }
}
