//! The stream ports of every fabric as one type: an enum with a variant for each shipped fabric, whose calls are
//! inlined, and a boxed variant for all others.
//!
//! Only this file imports the fabrics' ports. The methods of each trait are listed once, for the enum and for the box.
//! The lint `missing_trait_methods` rejects a list that omits a method with a default.

use super::ideal::{IdealRx, IdealTx};
use super::myrinet::{MyrinetRx, MyrinetTx};
use super::packet::Packet;
use super::port::{PacketDropped, Piece, StreamRx, StreamTx, UncontendedTx};
use super::routed::{RoutedRx, RoutedTx};
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, LocalFuture, Rate, Time};
use std::rc::Rc;

/// The transmit side of a stream of any fabric.
pub enum AnyStreamTx {
    /// A stream of the ideal fabric.
    Ideal(IdealTx),
    /// A stream of Myrinet.
    Myrinet(MyrinetTx),
    /// A stream of a routed fabric.
    Routed(RoutedTx),
    /// A stream of a fabric from another crate.
    Custom(Box<dyn DynStreamTx>),
}

/// The receive side of a stream of any fabric.
pub enum AnyStreamRx {
    /// A stream of the ideal fabric.
    Ideal(IdealRx),
    /// A stream of Myrinet.
    Myrinet(MyrinetRx),
    /// A stream of a routed fabric.
    Routed(RoutedRx),
    /// A stream of a fabric from another crate.
    Custom(Box<dyn DynStreamRx>),
}

/// Evaluates one expression for the port of a shipped fabric, and another for a boxed port.
macro_rules! on_port {
    ($any:ident, $port:expr, $shipped:ident => $inlined:expr, $custom:ident => $boxed:expr) => {
        match $port {
            $any::Ideal($shipped) => $inlined,
            $any::Myrinet($shipped) => $inlined,
            $any::Routed($shipped) => $inlined,
            $any::Custom($custom) => $boxed,
        }
    };
}

/// Generates the object-safe form of a trait from the list of its methods, implements that form for every
/// implementation of the trait, and implements the trait for the enum. A first argument `&name: T,` is passed by
/// reference.
macro_rules! forward {
    (
        $(#[$doc:meta])*
        $trait:ident for $any:ident, boxed as $dyn:ident;
        by shared reference: $( fn $shared:ident($($shared_arg:ident: $shared_type:ty),*) -> $shared_value:ty; )*
        by exclusive reference: $( fn $own:ident($($own_arg:ident: $own_type:ty),*) $(-> $own_value:ty)?; )*
        asynchronous: $(
            fn $wait:ident($(&$wait_ref:ident: $wait_target:ty,)? $($wait_arg:ident: $wait_type:ty),*)
            $(-> $wait_value:ty)?;
        )*
    ) => {
        $(#[$doc])*
        #[allow(missing_docs)]
        pub trait $dyn {
            $( fn $shared(&self $(, $shared_arg: $shared_type)*) -> $shared_value; )*
            $( fn $own(&mut self $(, $own_arg: $own_type)*) $(-> $own_value)?; )*
            $(
                fn $wait<'a>(&'a mut self $(, $wait_ref: &'a $wait_target)? $(, $wait_arg: $wait_type)*)
                -> LocalFuture<'a $(, $wait_value)?>;
            )*
        }

        impl<T: $trait> $dyn for T {
            $(
                fn $shared(&self $(, $shared_arg: $shared_type)*) -> $shared_value {
                    $trait::$shared(self $(, $shared_arg)*)
                }
            )*
            $( fn $own(&mut self $(, $own_arg: $own_type)*) $(-> $own_value)? { $trait::$own(self $(, $own_arg)*) } )*
            $(
                fn $wait<'a>(&'a mut self $(, $wait_ref: &'a $wait_target)? $(, $wait_arg: $wait_type)*)
                -> LocalFuture<'a $(, $wait_value)?> {
                    Box::pin($trait::$wait(self $(, $wait_ref)? $(, $wait_arg)*))
                }
            )*
        }

        #[deny(clippy::missing_trait_methods)]
        impl $trait for $any {
            $(
                fn $shared(&self $(, $shared_arg: $shared_type)*) -> $shared_value {
                    on_port!($any, self,
                        port => $trait::$shared(port $(, $shared_arg)*),
                        port => $dyn::$shared(&**port $(, $shared_arg)*))
                }
            )*
            $(
                fn $own(&mut self $(, $own_arg: $own_type)*) $(-> $own_value)? {
                    on_port!($any, self,
                        port => $trait::$own(port $(, $own_arg)*),
                        port => $dyn::$own(&mut **port $(, $own_arg)*))
                }
            )*
            $(
                async fn $wait(&mut self $(, $wait_ref: &$wait_target)? $(, $wait_arg: $wait_type)*)
                $(-> $wait_value)? {
                    on_port!($any, self,
                        port => $trait::$wait(port $(, $wait_ref)? $(, $wait_arg)*).await,
                        port => $dyn::$wait(&mut **port $(, $wait_ref)? $(, $wait_arg)*).await)
                }
            )*
        }
    };
}

forward! {
    /// The object-safe form of [`StreamTx`], which every `StreamTx` implements.
    StreamTx for AnyStreamTx, boxed as DynStreamTx;
    by shared reference:
        fn flow_unit() -> Bytes;
        fn rate() -> Rate;
    by exclusive reference:
        fn close();
        fn uncontended() -> Option<&mut dyn UncontendedTx>;
    asynchronous:
        fn open(&packet: Rc<Packet>,) -> Result<(), PacketDropped>;
        fn reserve(bytes_max: Bytes) -> Result<Bytes, PacketDropped>;
        fn send(bytes: Bytes, min_duration: Time, last: bool);
}

forward! {
    /// The object-safe form of [`StreamRx`], which every `StreamRx` implements.
    StreamRx for AnyStreamRx, boxed as DynStreamRx;
    by shared reference:
        fn blocks_channel() -> bool;
        fn end_of_transfer(start: Time, bytes: Bytes, rate: Rate) -> Time;
    by exclusive reference:
        fn return_credit(bytes: Bytes);
        fn set_packet_mode();
        fn set_receiver(task: TaskId);
    asynchronous:
        fn next(bytes_max: Bytes) -> Piece;
}

impl AnyStreamTx {
    /// Returns the transmit side of a fabric from another crate.
    pub fn custom(tx: impl StreamTx + 'static) -> AnyStreamTx {
        AnyStreamTx::Custom(Box::new(tx))
    }
}

impl AnyStreamRx {
    /// Returns the receive side of a fabric from another crate.
    pub fn custom(rx: impl StreamRx + 'static) -> AnyStreamRx {
        AnyStreamRx::Custom(Box::new(rx))
    }
}
