//! Is the command line well formed?

use super::Cli;
use clap::CommandFactory;

#[test]
fn the_commands_are_well_formed() {
    Cli::command().debug_assert();
}
