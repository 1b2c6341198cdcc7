//! Tests of return-to-sender: by hand, at random, and in every order of events.

mod cases;
mod model;
mod net;
mod random;
