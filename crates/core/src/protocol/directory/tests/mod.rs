//! The directory under test: by hand, at random, and in every order there is.

mod broken;
mod case;
mod cases;
mod every_order;
mod model;
mod random;
mod ranks;
mod steps;
mod words;
mod world;
