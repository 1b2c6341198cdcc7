//! Tests of whole machines.

mod growth;
