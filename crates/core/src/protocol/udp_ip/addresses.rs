//! Maps nodes and their endpoints to IPv4 addresses and UDP ports, and back.
//!
//! Node *n* is host *n* + 1 of the private network 10.0.0.0/8 (RFC 1918), whose first and last addresses are the
//! network and the broadcast address. Endpoint *p* of a node has port 49152 + *p*, in the range of dynamic ports (RFC
//! 6335, section 6). Subnets and further addresses of a node are not modelled.

use crate::engine::NodeId;
use std::net::{Ipv4Addr, SocketAddrV4};

const NETWORK: u32 = 10 << 24;
/// Number of nodes that have an address.
pub const NODES_MAX: u32 = (1 << 24) - 2;
/// The port of a node's first endpoint.
pub const PORT_BASE: u16 = 49_152;
/// Number of endpoints of a node that have a port.
pub const ENDPOINTS_MAX: u32 = (u16::MAX - PORT_BASE) as u32 + 1;

/// Returns the address of `node`, or `None` if its number is too large.
pub fn address(node: NodeId) -> Option<Ipv4Addr> {
    (node.0 < NODES_MAX).then(|| Ipv4Addr::from_bits(NETWORK + node.0 + 1))
}

/// Returns the node with `address`, or `None` if no node has it.
pub fn node(address: Ipv4Addr) -> Option<NodeId> {
    let host = address.to_bits().checked_sub(NETWORK + 1)?;
    (host < NODES_MAX).then_some(NodeId(host))
}

/// Returns the port of endpoint `index` of a node, or `None` if the number is too large.
pub fn port(index: u32) -> Option<u16> {
    (index < ENDPOINTS_MAX).then(|| PORT_BASE + index as u16)
}

/// Returns the number, on its node, of the endpoint with `port`, or `None` if no endpoint has it.
pub fn endpoint_index(port: u16) -> Option<u32> {
    port.checked_sub(PORT_BASE).map(u32::from)
}

/// Returns the address and the port of endpoint `index` of `node`.
pub fn socket(node: NodeId, index: u32) -> Option<SocketAddrV4> {
    Some(SocketAddrV4::new(address(node)?, port(index)?))
}

/// Returns the node with the address, and the number on that node of the endpoint with the port.
pub fn endpoint_of(socket: SocketAddrV4) -> Option<(NodeId, u32)> {
    Some((node(*socket.ip())?, endpoint_index(socket.port())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nodes_are_counted_from_the_first_host() {
        let text = |node, index| socket(NodeId(node), index).map(|socket| socket.to_string());
        assert_eq!(text(0, 0).as_deref(), Some("10.0.0.1:49152"));
        assert_eq!(text(255, 1).as_deref(), Some("10.0.1.0:49153"));
        assert_eq!(text(NODES_MAX - 1, ENDPOINTS_MAX - 1).as_deref(), Some("10.255.255.254:65535"));
        assert_eq!([text(NODES_MAX, 0), text(0, ENDPOINTS_MAX)], [None, None]);
    }

    #[test]
    fn other_addresses_and_ports_have_no_node() {
        for (address, port) in [([10, 0, 0, 0], 49_152), ([10, 255, 255, 255], 49_152), ([11, 0, 0, 1], 49_152)] {
            assert_eq!(endpoint_of(SocketAddrV4::new(address.into(), port)), None);
        }
        assert_eq!(endpoint_of(SocketAddrV4::new([10, 0, 0, 1].into(), 49_151)), None);
        assert_eq!(node([9, 255, 255, 255].into()), None);
    }

    proptest! {
        #[test]
        fn the_mapping_inverts(node in any::<u32>(), index in any::<u32>(), bits in any::<u32>(), port in any::<u16>()) {
            for (node, index) in [(node, index), (node % NODES_MAX, index % ENDPOINTS_MAX)] {
                let socket_of_node = socket(NodeId(node), index);
                prop_assert_eq!(socket_of_node.is_some(), node < NODES_MAX && index < ENDPOINTS_MAX);
                prop_assert_eq!(socket_of_node.and_then(endpoint_of), socket_of_node.map(|_| (NodeId(node), index)));
            }
            for bits in [bits, NETWORK | bits >> 8] {
                let address = SocketAddrV4::new(Ipv4Addr::from_bits(bits), port);
                if let Some((node, index)) = endpoint_of(address) {
                    prop_assert_eq!(socket(node, index), Some(address));
                }
            }
        }
    }
}
