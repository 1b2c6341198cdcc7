//! NIFDY under test: by hand, at random, and in every order there is.

mod cases;
mod every_order;
mod model;
mod net;
mod random;
