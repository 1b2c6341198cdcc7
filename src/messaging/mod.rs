//! How programs talk: fragmentation, copies and polling over an interface's driver.

pub mod polled;
pub mod fragment;
