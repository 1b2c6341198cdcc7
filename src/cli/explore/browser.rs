//! Opens the page in a browser.

use std::process::{Command, Stdio};

/// The programs that open an address in the browser of the user, each with its arguments before the address.
const BROWSER_COMMANDS: &[(&str, &[&str])] = if cfg!(target_os = "macos") {
    &[("open", &[])]
} else if cfg!(windows) {
    &[("rundll32", &["url.dll,FileProtocolHandler"])]
} else {
    &[("xdg-open", &[]), ("gio", &["open"]), ("wslview", &[])]
};

/// Opens an address in the browser, and returns whether a program for it was started.
pub fn open(address: &str) -> bool {
    BROWSER_COMMANDS.iter().any(|(program, arguments)| {
        let mut command = Command::new(program);
        command.args(*arguments).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
    })
}
