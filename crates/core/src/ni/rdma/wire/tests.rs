//! Tests of packets.
