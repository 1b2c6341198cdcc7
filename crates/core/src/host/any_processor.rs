//! Processors of any kind as one type: an enum with a variant for each shipped processor, and a trait object for all
//! others.
//!
//! Loads, stores and work are called for every word that a program accesses, so the shipped processors are dispatched
//! by an inlined match. A processor from another crate is dispatched virtually, and its futures are boxed. Only this
//! file imports the processors; one list of methods generates both the match and the trait object.

use super::alewife::processor::AlewifeProcessor;
use super::block::{Address, Block};
use super::coherent_processor::CoherentProcessor;
use super::cpu_arbiter::CpuArbiter;
use super::io_bus::cpu::IoBusProcessor;
use super::memory_bus::processor::MemoryBusProcessor;
use super::priority::ExecPriority;
use super::processor::{Fault, Processor, Stalls};
use super::software::processor::SoftwareProcessor;
use super::time_sync::{LocalTimeLag, SyncFuture};
use crate::engine::{Hertz, LocalFuture, Sim, Time};
use std::rc::Rc;

/// A processor of any host. Clones refer to the same processor.
#[derive(Clone)]
pub enum AnyProcessor {
    /// A processor behind an I/O bus.
    IoBus(IoBusProcessor),
    /// A processor on a coherent memory bus.
    MemoryBus(MemoryBusProcessor),
    /// The processor of an Alewife node.
    Alewife(AlewifeProcessor),
    /// A processor of which only the clock is modelled.
    Software(SoftwareProcessor),
    /// A processor from another crate.
    Custom(Rc<dyn DynProcessor>),
}

/// Evaluates the first expression for a shipped processor, and the second for any other.
macro_rules! on_processor {
    ($any:expr, $cpu:ident => $shipped:expr, $other:ident => $custom:expr) => {
        match $any {
            AnyProcessor::IoBus($cpu) => $shipped,
            AnyProcessor::MemoryBus($cpu) => $shipped,
            AnyProcessor::Alewife($cpu) => $shipped,
            AnyProcessor::Software($cpu) => $shipped,
            AnyProcessor::Custom($other) => $custom,
        }
    };
}

/// Defines [`DynProcessor`] and the dispatch of [`AnyProcessor`] from one list: the methods that return at once, those
/// that return futures, and those whose futures borrow an argument for the lifetime in brackets.
macro_rules! forward {
    (
        at once { $(fn $method:ident(&self $(, $method_arg:ident: $method_type:ty)*) $(-> $method_value:ty)?;)* }
        later { $(async fn $async_method:ident(&self $(, $async_arg:ident: $async_type:ty)*) $(-> $async_value:ty)?;)* }
        borrowing { $(async fn $borrowing_method:ident<$life:lifetime>(&self $(, $arg:ident: $type:ty)*);)* }
    ) => {
        /// The object-safe form of [`Processor`], which every processor implements.
        pub trait DynProcessor {
            $(
                #[doc = concat!("Forwards to [`Processor::", stringify!($method), "`].")]
                fn $method(&self $(, $method_arg: $method_type)*) $(-> $method_value)?;
            )*
            $(
                #[doc = concat!("Forwards to [`Processor::", stringify!($async_method), "`].")]
                fn $async_method(&self $(, $async_arg: $async_type)*) -> LocalFuture<'_ $(, $async_value)?>;
            )*
            $(
                #[doc = concat!("Forwards to [`Processor::", stringify!($borrowing_method), "`].")]
                fn $borrowing_method<$life>(&$life self $(, $arg: $type)*) -> LocalFuture<$life>;
            )*

            /// Forwards to [`Processor::at`].
            fn at(&self, priority: ExecPriority) -> Rc<dyn DynProcessor>;
        }

        impl<P: Processor> DynProcessor for P {
            $(
                fn $method(&self $(, $method_arg: $method_type)*) $(-> $method_value)? {
                    Processor::$method(self $(, $method_arg)*)
                }
            )*
            $(
                fn $async_method(&self $(, $async_arg: $async_type)*) -> LocalFuture<'_ $(, $async_value)?> {
                    Box::pin(Processor::$async_method(self $(, $async_arg)*))
                }
            )*
            $(
                fn $borrowing_method<$life>(&$life self $(, $arg: $type)*) -> LocalFuture<$life> {
                    Box::pin(Processor::$borrowing_method(self $(, $arg)*))
                }
            )*

            fn at(&self, priority: ExecPriority) -> Rc<dyn DynProcessor> {
                Rc::new(Processor::at(self, priority))
            }
        }

        // The compiler would use the default of a trait method that is not forwarded, without a warning.
        #[deny(clippy::missing_trait_methods)]
        impl Processor for AnyProcessor {
            $(
                #[inline]
                fn $method(&self $(, $method_arg: $method_type)*) $(-> $method_value)? {
                    on_processor!(self,
                        cpu => Processor::$method(cpu $(, $method_arg)*),
                        cpu => DynProcessor::$method(&**cpu $(, $method_arg)*))
                }
            )*
            $(
                async fn $async_method(&self $(, $async_arg: $async_type)*) $(-> $async_value)? {
                    on_processor!(self,
                        cpu => Processor::$async_method(cpu $(, $async_arg)*).await,
                        cpu => DynProcessor::$async_method(&**cpu $(, $async_arg)*).await)
                }
            )*
            $(
                async fn $borrowing_method<$life>(&self $(, $arg: $type)*) {
                    on_processor!(self,
                        cpu => Processor::$borrowing_method(cpu $(, $arg)*).await,
                        cpu => DynProcessor::$borrowing_method(&**cpu $(, $arg)*).await)
                }
            )*

            #[inline]
            fn sync(&self) -> SyncFuture<'_, Self> {
                SyncFuture::new(self)
            }

            fn at(&self, priority: ExecPriority) -> AnyProcessor {
                match self {
                    AnyProcessor::IoBus(cpu) => AnyProcessor::IoBus(Processor::at(cpu, priority)),
                    AnyProcessor::MemoryBus(cpu) => AnyProcessor::MemoryBus(Processor::at(cpu, priority)),
                    AnyProcessor::Alewife(cpu) => AnyProcessor::Alewife(Processor::at(cpu, priority)),
                    AnyProcessor::Software(cpu) => AnyProcessor::Software(Processor::at(cpu, priority)),
                    AnyProcessor::Custom(cpu) => AnyProcessor::Custom(DynProcessor::at(&**cpu, priority)),
                }
            }
        }
    };
}

forward! {
    at once {
        fn sim(&self) -> &Sim;
        fn clock(&self) -> Hertz;
        fn now(&self) -> Time;
        fn work(&self, cycles: u64);
        fn cycles_of(&self, instructions: u64) -> u64;
        fn begin_sync(&self) -> LocalTimeLag<'_>;
        fn end_sync(&self);
        fn arbiter(&self) -> &CpuArbiter;
        fn enter(&self);
        fn leave(&self);
        fn try_load(&self, address: Address, bytes: usize) -> Option<u64>;
        fn try_store(&self, address: Address, bytes: usize, value: u64) -> bool;
        fn try_read(&self, at: Address, bytes: usize) -> Option<u64>;
        fn try_write(&self, at: Address, bytes: usize, value: u64) -> bool;
        fn announce_run(&self, from: Address, bytes: usize, write: bool);
        fn context_switch_cycles(&self) -> u64;
        fn stalls(&self) -> Stalls;
        fn coherent(&self) -> Option<&dyn CoherentProcessor>;
    }
    later {
        async fn until(&self, instant: Time);
        async fn load(&self, address: Address, bytes: usize) -> Result<u64, Fault>;
        async fn store(&self, address: Address, bytes: usize, value: u64) -> Result<(), Fault>;
        async fn fence(&self);
        async fn read(&self, at: Address, bytes: usize) -> u64;
        async fn write(&self, at: Address, bytes: usize, value: u64);
        async fn read_block(&self, at: Address) -> Block;
        async fn write_block(&self, at: Address, data: Block);
        async fn copy_block(&self, from: Address, to: Address) -> u64;
    }
    borrowing {
        async fn load_run<'a>(&self, from: Address, into: &'a mut [u8]);
        async fn store_run<'a>(&self, to: Address, bytes: &'a [u8]);
        async fn read_run<'a>(&self, at: Address, into: &'a mut [u8]);
        async fn write_run<'a>(&self, at: Address, bytes: &'a [u8]);
    }
}

impl AnyProcessor {
    /// Wraps a processor from another crate.
    pub fn custom(processor: impl Processor) -> AnyProcessor {
        AnyProcessor::Custom(Rc::new(processor))
    }
}
