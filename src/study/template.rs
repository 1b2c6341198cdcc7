//! A small study that works, to be changed: what `narrows new study` writes.

/// Its files, by name.
pub const FILES: [(&str, &str); 5] = [
    ("study.toml", include_str!("template/study.toml")),
    ("experiments.toml", include_str!("template/experiments.toml")),
    ("figures.toml", include_str!("template/figures.toml")),
    ("claims.toml", include_str!("template/claims.toml")),
    ("machine.toml", include_str!("template/machine.toml")),
];
