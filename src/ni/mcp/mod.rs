//! The Myrinet control program (MCP): firmware of four threads on a LANai.
//!
//! | folder | holds |
//! |---|---|
//! | `threads/` | its threads as a table of transitions, and the machine that runs it; no time, no I/O |

pub mod threads;
