//! An interface and a workload that Narrows has never heard of, written against its public interface alone.

mod doorbell;
mod hot_potato;

pub use doorbell::Doorbell;
pub use hot_potato::HotPotato;

use narrows::Registry;

/// Returns all parts that ship, and those of this crate.
pub fn registry() -> Registry {
    Registry::shipped().with_interface::<Doorbell>().with_workload::<HotPotato>()
}
