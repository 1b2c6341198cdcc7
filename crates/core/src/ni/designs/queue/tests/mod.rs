//! Tests of the coherent queues on another interconnect and with several cores, of the throttle, and of one-sided
//! operations, in whole machines.

mod far_port;
mod large_packets;
mod several_cores;
mod throttle;
mod verbs;
