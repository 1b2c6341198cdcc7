//! The fabrics: what carries packets from interface to interface. Knows no host.

pub mod ideal;
