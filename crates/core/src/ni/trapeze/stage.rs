//! The stages of the latency of a message with a payload, in order. Each stage begins where the previous one ends. A
//! message without a payload has no DMA stages.

/// From the call to send until the store that completes the send ring entry.
pub const HOST_SEND: &str = "host send";
/// Until the firmware has started the payload's DMA.
pub const SEND_QUEUE: &str = "send queue";
/// Until the protocol admits the packet, if the whole payload has landed by then.
pub const ADMISSION: &str = "send: admission";
/// Until the payload's last byte is in interface memory.
pub const HOST_TX: &str = "hostTx";
/// Until the last byte has left on the link.
pub const NET_TX: &str = "netTx";
/// Until the last byte is in the receiving interface's memory.
pub const NETWORK: &str = "network";
/// Until the last byte is in host memory.
pub const HOST_RCV: &str = "hostRcv";
/// Until the receiving program has the message.
pub const HOST_RECEIVE: &str = "host receive";
