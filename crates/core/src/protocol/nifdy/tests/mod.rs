//! Tests of NIFDY: cases by hand, random runs, and a model checker that explores every order of events.

mod cases;
mod every_order;
mod model;
mod net;
mod random;
