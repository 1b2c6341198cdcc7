//! Tests of the directory: cases by hand, random runs, and a model checker that explores every order of delivery.

mod broken;
mod case;
mod cases;
mod encoding;
mod every_order;
mod machine;
mod model;
mod random;
mod ranks;
mod steps;
