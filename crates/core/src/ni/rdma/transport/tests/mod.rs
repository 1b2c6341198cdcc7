//! Tests of the transport.
