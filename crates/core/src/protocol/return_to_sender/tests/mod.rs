//! Return-to-sender under test: by hand, at random, and in every order there is.

mod cases;
mod model;
mod net;
mod random;
