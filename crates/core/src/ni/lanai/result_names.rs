//! Names in results that come from interfaces with a LANai, in the order in which a message passes them.

use crate::part::ResultName;

/// Resources of the chip, and stages of messages through it.
pub const RESULTS: &[ResultName] = &[
    ResultName::resource("host DMA", "The DMA engine between host memory and the interface's memory"),
    ResultName::resource("netTx", "The DMA engine from the interface's memory to the network"),
    ResultName::resource("netRcv", "The DMA engine from the network to the interface's memory"),
    ResultName::resource("SRAM", "The interface's memory, when it stalls an engine"),
    ResultName::resource("firmware", "The processor of the interface"),
    ResultName::stage("host send", "Work of the sending processor, until the interface can see the descriptor"),
    ResultName::stage("hostTx", "DMA from host memory to the sending interface, until the last byte"),
    ResultName::stage("netTx", "Transmission, until the last byte has left the sending interface"),
    ResultName::stage("network", "Transfer through the network, until the receiving interface has the last byte"),
    ResultName::stage("hostRcv", "DMA from the receiving interface to host memory, until the last byte"),
    ResultName::stage(
        "bottom half",
        "The kernel of the receiving node processes the packet below the level of programs",
    ),
    ResultName::stage("host receive", "Work of the receiving processor, until the program has the message"),
];
