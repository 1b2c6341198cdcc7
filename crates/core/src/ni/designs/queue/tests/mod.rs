//! The coherent queues on another interconnect, and one-sided operations, in whole machines.

mod far_port;
mod one_sided;
