//! Threads, states, guards, actions, and the rows of transitions.
//!
//! At most one row of a state is enabled at a time, so the order of the rows has no meaning. The PROMELA model, whose
//! choices are unordered, therefore behaves the same. The checker asserts this.

/// A thread of the firmware, which moves packets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Thread {
    /// Moves packets from host memory to a send buffer.
    Sdma,
    /// Moves packets from a send buffer to the link.
    Send,
    /// Moves packets from the link to a receive buffer.
    Recv,
    /// Moves packets from a receive buffer to host memory.
    Rdma,
}

impl Thread {
    /// All threads, in the order in which the dispatcher tries them.
    pub const ALL: [Thread; 4] = [Thread::Sdma, Thread::Send, Thread::Recv, Thread::Rdma];
}

/// A state of a thread. A thread starts in `Idle` and returns to it after each packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadState {
    /// No packet is under way.
    Idle,
    /// SDMA: the host engine fills a send buffer.
    Sdma,
    /// SDMA: the host engine has ended.
    SdmaDone,
    /// SEND: the send engine takes a whole packet.
    CoarseGrainedSend,
    /// SEND: the send engine takes a fragment that is not the packet's last.
    FineGrainedSend,
    /// SEND: a fragment has been sent, but not yet the whole packet.
    FineGrainedSendDone,
    /// SEND: the send engine takes the rest of a packet, whatever its size.
    SendLastFragment,
    /// SEND: a packet has been sent.
    SendDone,
    /// RECV: the receive engine fills a receive buffer.
    Recv,
    /// RECV: the receive engine has ended.
    RecvDone,
    /// RDMA: the host engine takes a whole packet.
    CoarseGrainedRdma,
    /// RDMA: the host engine takes a fragment that is not the packet's last.
    FineGrainedRdma,
    /// RDMA: a fragment has been delivered, but not yet the whole packet.
    FineGrainedRdmaDone,
    /// RDMA: the host engine takes the rest of a packet, whatever its size.
    RdmaLastFragment,
    /// RDMA: a packet is delivered.
    RdmaDone,
}

impl ThreadState {
    /// All states.
    pub const ALL: [ThreadState; 15] = [
        ThreadState::Idle,
        ThreadState::Sdma,
        ThreadState::SdmaDone,
        ThreadState::CoarseGrainedSend,
        ThreadState::FineGrainedSend,
        ThreadState::FineGrainedSendDone,
        ThreadState::SendLastFragment,
        ThreadState::SendDone,
        ThreadState::Recv,
        ThreadState::RecvDone,
        ThreadState::CoarseGrainedRdma,
        ThreadState::FineGrainedRdma,
        ThreadState::FineGrainedRdmaDone,
        ThreadState::RdmaLastFragment,
        ThreadState::RdmaDone,
    ];

    /// Returns the name, in the paper's spelling.
    pub fn name(self) -> &'static str {
        match self {
            ThreadState::Idle => "Idle",
            ThreadState::Sdma => "Sdma",
            ThreadState::SdmaDone => "Sdma_Done",
            ThreadState::CoarseGrainedSend => "Coarse_Grained_Send",
            ThreadState::FineGrainedSend => "Fine_Grained_Send",
            ThreadState::FineGrainedSendDone => "Fine_Grained_Send_Done",
            ThreadState::SendLastFragment => "Send_Last_Fragment",
            ThreadState::SendDone => "Send_Done",
            ThreadState::Recv => "Recv",
            ThreadState::RecvDone => "Recv_Done",
            ThreadState::CoarseGrainedRdma => "Coarse_Grained_Rdma",
            ThreadState::FineGrainedRdma => "Fine_Grained_Rdma",
            ThreadState::FineGrainedRdmaDone => "Fine_Grained_Rdma_Done",
            ThreadState::RdmaLastFragment => "Rdma_Last_Fragment",
            ThreadState::RdmaDone => "Rdma_Done",
        }
    }

    /// Returns whether a thread that enters this state yields the processor and waits. In the other states it
    /// continues.
    pub fn is_dispatching(self) -> bool {
        !matches!(self, ThreadState::SdmaDone | ThreadState::SendDone | ThreadState::RecvDone | ThreadState::RdmaDone)
    }

    /// Returns whether the paper's text or formulas name this state; the threads need some states that the paper does
    /// not name.
    pub fn is_named_in_paper(self) -> bool {
        use ThreadState::*;
        let added_states = [SdmaDone, FineGrainedSendDone, SendLastFragment, SendDone, RecvDone, RdmaDone];
        !added_states.contains(&self)
    }
}

/// A condition of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guard {
    /// A descriptor is in the L2 queue, or part of its message has not been read.
    Descriptor,
    /// A send buffer is free.
    SendBuffer,
    /// With serial pipelining, no packet is on the send side.
    NoPacketToSend,
    /// The host engine is idle.
    HostFree,
    /// The host engine has ended, and no thread has noticed that yet.
    HostDone,
    /// All of the first packet to be sent has landed.
    SendWhole,
    /// Not all of the first packet to be sent has landed, but enough for a fragment.
    SendEnough,
    /// The send engine has ended.
    SendEnded,
    /// The head of a packet is on the link.
    PacketAnnounced,
    /// A receive buffer is free.
    ReceiveBuffer,
    /// With serial pipelining, no packet is on the receive side.
    NoPacketReceived,
    /// The receive engine has ended.
    ReceiveEnded,
    /// The host has a receive buffer for a packet.
    HostBuffer,
    /// All of the first packet to be delivered has landed.
    ReceivedWhole,
    /// Not all of the first packet to be delivered has landed, but enough for a fragment.
    ReceivedEnough,
    /// Some units that have landed have not been delivered.
    Undelivered,
    /// All units that have landed have been delivered.
    AllDelivered,
}

impl Guard {
    /// All guards.
    pub const ALL: [Guard; 17] = [
        Guard::Descriptor,
        Guard::SendBuffer,
        Guard::NoPacketToSend,
        Guard::HostFree,
        Guard::HostDone,
        Guard::SendWhole,
        Guard::SendEnough,
        Guard::SendEnded,
        Guard::PacketAnnounced,
        Guard::ReceiveBuffer,
        Guard::NoPacketReceived,
        Guard::ReceiveEnded,
        Guard::HostBuffer,
        Guard::ReceivedWhole,
        Guard::ReceivedEnough,
        Guard::Undelivered,
        Guard::AllDelivered,
    ];
}

/// An action of a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// Takes a send buffer and starts the host engine to fill it.
    Read,
    /// Marks the send buffer as filled.
    Filled,
    /// Starts the send engine on the units that have landed.
    Send,
    /// Marks the send engine as idle.
    SendEngineIdle,
    /// Frees the buffer of the packet that was sent; after the last packet of a message, notifies the host.
    Sent,
    /// Takes a receive buffer and starts the receive engine to fill it.
    Receive,
    /// Marks the receive engine as idle.
    ReceiveEngineIdle,
    /// Marks the receive buffer as filled.
    Received,
    /// Takes a receive buffer of the host for the first packet.
    TakeHostBuffer,
    /// Starts the host engine on the units that have landed.
    Write,
    /// Marks the host engine as idle.
    HostEngineIdle,
    /// Frees the buffer of the delivered packet and notifies the host.
    Delivered,
}

/// A transition from one state to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    pub thread: Thread,
    pub from: ThreadState,
    /// The conditions, all of which must hold.
    pub guards: &'static [Guard],
    /// The actions, in the order in which they are performed.
    pub actions: &'static [Action],
    pub to: ThreadState,
}

const fn row(
    thread: Thread,
    from: ThreadState,
    guards: &'static [Guard],
    actions: &'static [Action],
    to: ThreadState,
) -> Transition {
    Transition { thread, from, guards, actions, to }
}

/// The firmware as a table of transitions.
///
/// The paper sends another fragment before it checks whether the source has ended. These rows check first, because an
/// empty last fragment could be left otherwise.
pub static TRANSITIONS: [Transition; 23] = {
    use Action::*;
    use Guard::*;
    use Thread::{Rdma, Recv, Sdma, Send};
    use ThreadState as S;
    const START_READ: &[Guard] = &[Descriptor, SendBuffer, NoPacketToSend, HostFree];
    const START_WRITE: &[Guard] = &[ReceivedWhole, HostBuffer, HostFree];
    [
        row(Sdma, S::Idle, START_READ, &[Read], S::Sdma),
        row(Sdma, S::Sdma, &[HostDone], &[HostEngineIdle], S::SdmaDone),
        row(Sdma, S::SdmaDone, &[], &[Filled], S::Idle),
        row(Send, S::Idle, &[SendWhole], &[Action::Send], S::CoarseGrainedSend),
        row(Send, S::Idle, &[SendEnough], &[Action::Send], S::FineGrainedSend),
        row(Send, S::CoarseGrainedSend, &[SendEnded], &[SendEngineIdle], S::SendDone),
        row(Send, S::FineGrainedSend, &[SendEnded], &[SendEngineIdle], S::FineGrainedSendDone),
        row(Send, S::FineGrainedSendDone, &[SendEnough], &[Action::Send], S::FineGrainedSend),
        row(Send, S::FineGrainedSendDone, &[SendWhole], &[Action::Send], S::SendLastFragment),
        row(Send, S::SendLastFragment, &[SendEnded], &[SendEngineIdle], S::SendDone),
        row(Send, S::SendDone, &[], &[Sent], S::Idle),
        row(Recv, S::Idle, &[PacketAnnounced, ReceiveBuffer, NoPacketReceived], &[Receive], S::Recv),
        row(Recv, S::Recv, &[ReceiveEnded], &[ReceiveEngineIdle], S::RecvDone),
        row(Recv, S::RecvDone, &[], &[Received], S::Idle),
        row(Rdma, S::Idle, START_WRITE, &[TakeHostBuffer, Write], S::CoarseGrainedRdma),
        row(Rdma, S::Idle, &[ReceivedEnough, HostBuffer, HostFree], &[TakeHostBuffer, Write], S::FineGrainedRdma),
        row(Rdma, S::CoarseGrainedRdma, &[HostDone], &[HostEngineIdle], S::RdmaDone),
        row(Rdma, S::FineGrainedRdma, &[HostDone], &[HostEngineIdle], S::FineGrainedRdmaDone),
        row(Rdma, S::FineGrainedRdmaDone, &[ReceivedEnough, HostFree], &[Write], S::FineGrainedRdma),
        row(Rdma, S::FineGrainedRdmaDone, &[ReceivedWhole, Undelivered, HostFree], &[Write], S::RdmaLastFragment),
        row(Rdma, S::FineGrainedRdmaDone, &[ReceivedWhole, AllDelivered], &[], S::RdmaDone),
        row(Rdma, S::RdmaLastFragment, &[HostDone], &[HostEngineIdle], S::RdmaDone),
        row(Rdma, S::RdmaDone, &[], &[Delivered], S::Idle),
    ]
};

/// The first row of each thread and state, and the one after its last: the rows of a thread in a state are adjacent.
static ROWS: [[(usize, usize); ThreadState::ALL.len()]; Thread::ALL.len()] = {
    let mut rows = [[(0, 0); ThreadState::ALL.len()]; Thread::ALL.len()];
    let mut index = 0;
    while index < TRANSITIONS.len() {
        let of_state = &mut rows[TRANSITIONS[index].thread as usize][TRANSITIONS[index].from as usize];
        if of_state.1 == 0 {
            of_state.0 = index;
        }
        of_state.1 = index + 1;
        index += 1;
    }
    rows
};

impl Transition {
    /// Returns the rows of a thread that is in a state.
    pub fn of_state(thread: Thread, state: ThreadState) -> &'static [Transition] {
        let (first, end) = ROWS[thread as usize][state as usize];
        &TRANSITIONS[first..end]
    }
}
