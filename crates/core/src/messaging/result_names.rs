//! Names in results that come from the messaging layer, whatever the interface, and resources that every host has.

use crate::part::ResultName;

/// Stages of the messaging layer, and resources of every host.
pub const RESULTS: &[ResultName] = &[
    ResultName::stage(
        "send",
        "Work of the sending processor, from the program's call until the interface has the packet",
    ),
    ResultName::stage(
        "send: backlog",
        "A scheduled message waits in its program, because the program still sends an earlier one",
    ),
    ResultName::stage(
        "receive",
        "Work of the receiving processor, from taking the packet until the program has the message",
    ),
    ResultName::stage("receive: waiting", "The message is complete, and its program has not asked for it yet"),
    ResultName::stage("receive: dispatch", "A run-time system dispatches the message to its handler"),
    ResultName::stage("receive: buffered", "The packet waits in memory, to which the receiving processor moved it"),
    ResultName::stage("receive: copy", "The receiving processor copies the packet from memory"),
    ResultName::stage("loopback queue", "A packet between two endpoints of one node waits in their queue"),
    ResultName::stage("send queue", "The packet waits in the interface until the protocol and the fabric accept it"),
    ResultName::stage("send: admission", "The packet waits until the protocol admits it"),
    ResultName::stage("fabric", "The packet crosses the network, until the receiving interface has its last byte"),
    ResultName::stage("arrivals queue", "The packet waits in the receiving interface until a program polls for it"),
    ResultName::stage("retry", "The sending interface sends a packet again"),
    ResultName::stage("returned", "The packet came back to its sender, because the receiving interface had no space"),
    ResultName::resource("processor", "The processor of a node"),
    ResultName::resource("core NUMBER", "One of several cores of a node"),
    ResultName::resource("memory", "Main memory of a node"),
];
