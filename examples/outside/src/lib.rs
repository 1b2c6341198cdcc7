//! An interface and a workload outside Narrows, which use only its public interface.

mod doorbell;
mod hot_potato;

pub use doorbell::Doorbell;
pub use hot_potato::HotPotato;

use narrows::Registry;

/// Returns all parts that ship, and those of this crate.
pub fn registry() -> Registry {
    Registry::shipped().with_interface::<Doorbell>().with_workload::<HotPotato>()
}
