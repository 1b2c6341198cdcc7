//! A host of today: last-level cache, IOMMU and a PCIe link, to which the interface is attached.

pub mod iommu;
pub mod link;
pub mod llc;
pub mod memory;
pub mod parameters;

pub use iommu::IommuParameters;
pub use link::LinkParameters;
pub use llc::LlcParameters;
pub use memory::MemoryParameters;
pub use parameters::PcieParameters;
