//! Tests of the interface in whole machines.
