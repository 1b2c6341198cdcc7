//! Tests of the transport: exhaustive exploration of small cases, and long random schedules.

mod model;
mod random;
mod selective;
mod state;
