//! [`Driver`] as a trait object: its futures are boxed.
//!
//! An interface in another crate implements [`Driver`] with `async fn`, and a macro generates the object-safe form of
//! that implementation. Each call that waits costs an allocation, so the shipped drivers are variants of
//! [`AnyDriver`](super::AnyDriver) instead.

use super::driver::{Driver, DriverLimits, RxCompletion, RxPacket, SendRequest, TxToken, WaitPolicy, Wake};
use super::extensions::DriverExtensions;
use super::port::Port;
use super::word_copy::PayloadSink;
use crate::engine::sim::WaitReasonId;
use crate::engine::{EndpointId, Journey, LocalFuture, Signal};
use crate::host::{Address, AnyProcessor, Utilization};
use crate::protocol::Statistics;
use std::rc::Rc;

/// Declares the object-safe form of [`Driver`], and implements it for every driver, from one list of methods. If the
/// list lacks a method, the forwarding of `AnyDriver` does not compile.
macro_rules! object_safe {
    (
        methods { $(fn $method:ident($($parameter:ident: $parameter_type:ty),*) $(-> $result:ty)?;)* }
        async_methods { $(async fn $async_method:ident<$life:lifetime>($($name:ident: $type:ty),*) -> $returns:ty;)* }
    ) => {
        /// A driver whose futures are boxed, with the methods of [`Driver`]; implemented for every driver.
        #[allow(missing_docs)]
        pub trait DynDriver: DriverExtensions {
            $(fn $method(&self $(, $parameter: $parameter_type)*) $(-> $result)?;)*
            $(fn $async_method<$life>(&$life self $(, $name: $type)*) -> LocalFuture<$life, $returns>;)*
        }

        impl<D: Driver> DynDriver for D {
            $(fn $method(&self $(, $parameter: $parameter_type)*) $(-> $result)? {
                Driver::$method(self $(, $parameter)*)
            })*
            $(fn $async_method<$life>(&$life self $(, $name: $type)*) -> LocalFuture<$life, $returns> {
                Box::pin(Driver::$async_method(self $(, $name)*))
            })*
        }
    };
}

object_safe! {
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
        async fn try_send<'a>(cpu: &'a AnyProcessor, packet: &'a SendRequest<'a>, token: &'a TxToken) -> bool;
        async fn flush_sends<'a>(cpu: &'a AnyProcessor) -> ();
        async fn wait_for_capacity<'a>(cpu: &'a AnyProcessor) -> ();
        async fn poll<'a>(cpu: &'a AnyProcessor, sends_reply: &'a dyn Fn(u8) -> bool) -> Option<RxPacket>;
        async fn take<'a>(
            cpu: &'a AnyProcessor,
            arrival: &'a mut RxPacket,
            extra_cycles: u64,
            sink: PayloadSink<'a>
        ) -> RxCompletion;
        async fn release<'a>(cpu: &'a AnyProcessor, entry: u64) -> ();
        async fn idle<'a>(cpu: &'a AnyProcessor, wake: Wake<'a>) -> bool;
        async fn map_tag<'a>(cpu: &'a AnyProcessor, endpoint: EndpointId, tag: u16, address: Address) -> ();
    }
}
