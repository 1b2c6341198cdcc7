//! The stages of a packet's latency, in order. Each stage begins where the previous one ends.

/// From the call to send until the driver has the packet.
pub const HOST_SEND: &str = "host send";
/// Until the firmware has started the packet's DMA.
pub const SEND_QUEUE: &str = "send queue";
/// Until the packet's last byte is in interface memory.
pub const HOST_TX: &str = "hostTx";
/// Until the packet's last byte has left on the link.
pub const NET_TX: &str = "netTx";
/// Until the packet's last byte is in the receiving interface's memory.
pub const NETWORK: &str = "network";
/// Until the packet's last byte is in host memory.
pub const HOST_RCV: &str = "hostRcv";
/// Until the socket has the datagram.
pub const BOTTOM_HALF: &str = "bottom half";
/// Until the program has the message.
pub const HOST_RECEIVE: &str = "host receive";
