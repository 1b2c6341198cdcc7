//! Return-to-sender under test: by hand and at random.

mod cases;
mod net;
mod random;
