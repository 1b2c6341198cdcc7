//! The minimal study that `narrows new study` creates.

/// The files of the study, by name.
pub const FILES: [(&str, &str); 5] = [
    ("study.toml", include_str!("scaffold/study.toml")),
    ("experiments.toml", include_str!("scaffold/experiments.toml")),
    ("figures.toml", include_str!("scaffold/figures.toml")),
    ("claims.toml", include_str!("scaffold/claims.toml")),
    ("machine.toml", include_str!("scaffold/machine.toml")),
];
