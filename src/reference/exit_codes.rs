//! The exit codes of the command line.

/// The exit code after Ctrl-C, by the convention of shells.
pub const EXIT_INTERRUPTED: u8 = 130;

/// The exit codes, each with its meaning.
pub const EXIT_CODES: [(u8, &str); 5] = [
    (0, "success; a saturated run is a success"),
    (
        1,
        "reproduce --strict: a claim with an unexpected verdict; fit: an error above the tolerance; verify: an unexpected verdict",
    ),
    (2, "invalid input"),
    (3, "a run ended in a deadlock or livelock, at a limit, or with messages lost"),
    (EXIT_INTERRUPTED, "interrupted by Ctrl-C"),
];
