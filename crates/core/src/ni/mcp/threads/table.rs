//! Threads, states, guards, deeds, and the rows of transitions.
//!
//! Of a state's rows at most one is open at a time: no order of rows hides in the table, so that PROMELA,
//! which has none, says the same. The checker asserts it.

/// A thread of the firmware.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Thread {
    /// From host memory to a send buffer.
    Sdma,
    /// From a send buffer to the link.
    Send,
    /// From the link to a receive buffer.
    Recv,
    /// From a receive buffer to host memory.
    Rdma,
}

impl Thread {
    /// All of them, in the order in which the dispatcher asks.
    pub const ALL: [Thread; 4] = [Thread::Sdma, Thread::Send, Thread::Recv, Thread::Rdma];
}

/// A state of a thread. A thread's start, and its end of a packet, is `Idle`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadState {
    /// Nothing under way.
    Idle,
    /// SDMA: the host engine fills a send buffer.
    Sdma,
    /// SDMA: it has ended.
    SdmaDone,
    /// SEND: the send engine takes a whole packet.
    CoarseGrainedSend,
    /// SEND: it takes a fragment, after which more will come.
    FineGrainedSend,
    /// SEND: a fragment has gone, its packet has not.
    FineGrainedSendDone,
    /// SEND: it takes the rest of a packet, whatever its size.
    SendLastFragment,
    /// SEND: a packet has gone.
    SendDone,
    /// RECV: the receive engine fills a receive buffer.
    Recv,
    /// RECV: it has ended.
    RecvDone,
    /// RDMA: the host engine takes a whole packet.
    CoarseGrainedRdma,
    /// RDMA: it takes a fragment, after which more will come.
    FineGrainedRdma,
    /// RDMA: a fragment is delivered, its packet is not.
    FineGrainedRdmaDone,
    /// RDMA: it takes the rest of a packet, whatever its size.
    RdmaLastFragment,
    /// RDMA: a packet is delivered.
    RdmaDone,
}

impl ThreadState {
    /// All of them.
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

    /// The name, in the paper's spelling.
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

    /// Whether a thread that reaches it yields the processor, and waits there. In the others it goes on.
    pub fn is_dispatching(self) -> bool {
        !matches!(self, ThreadState::SdmaDone | ThreadState::SendDone | ThreadState::RecvDone | ThreadState::RdmaDone)
    }

    /// Whether the paper's text or formulas name it; the others are ours, as the threads need them.
    pub fn is_of_the_paper(self) -> bool {
        use ThreadState::*;
        let ours = [SdmaDone, FineGrainedSendDone, SendLastFragment, SendDone, RecvDone, RdmaDone];
        !ours.contains(&self)
    }
}

/// What must hold for a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guard {
    /// A descriptor waits in the L2 queue, or some of its message has not been asked for.
    Descriptor,
    /// A send buffer is free.
    SendBuffer,
    /// No packet lies on the sending side, where a direction is serial.
    SenderAlone,
    /// The host engine rests.
    HostFree,
    /// The host engine has ended, which nobody has noticed.
    HostDone,
    /// The first packet to be sent lies there whole.
    SendWhole,
    /// It does not, but enough of it for a fragment does.
    SendEnough,
    /// The send engine has ended.
    SendEnded,
    /// The head of a packet is on the link.
    Comes,
    /// A receive buffer is free.
    ReceiveBuffer,
    /// No packet lies on the receiving side, where a direction is serial.
    ReceiverAlone,
    /// The receive engine has ended.
    ReceiveEnded,
    /// The host has a place for a packet.
    Place,
    /// The first packet to be delivered lies there whole.
    ReceivedWhole,
    /// It does not, but enough of it for a fragment does.
    ReceivedEnough,
    /// Some of it has not been delivered.
    Rest,
    /// All of it has been delivered.
    NoRest,
}

impl Guard {
    /// All of them.
    pub const ALL: [Guard; 17] = [
        Guard::Descriptor,
        Guard::SendBuffer,
        Guard::SenderAlone,
        Guard::HostFree,
        Guard::HostDone,
        Guard::SendWhole,
        Guard::SendEnough,
        Guard::SendEnded,
        Guard::Comes,
        Guard::ReceiveBuffer,
        Guard::ReceiverAlone,
        Guard::ReceiveEnded,
        Guard::Place,
        Guard::ReceivedWhole,
        Guard::ReceivedEnough,
        Guard::Rest,
        Guard::NoRest,
    ];
}

/// What is done on the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Deed {
    /// Takes a send buffer, and has the host engine fill it.
    Read,
    /// The buffer is filled.
    Filled,
    /// Has the send engine take what lies there.
    Send,
    /// The send engine rests.
    SendRests,
    /// The packet has gone: its buffer is free, and after a message's last the host is told.
    Sent,
    /// Takes a receive buffer, and has the receive engine fill it.
    Receive,
    /// The receive engine rests.
    ReceiveRests,
    /// The buffer is filled.
    Received,
    /// Takes a place of the host for the first packet.
    TakePlace,
    /// Has the host engine take what lies there.
    Write,
    /// The host engine rests.
    HostRests,
    /// The packet is delivered: its buffer is free, and the host is told.
    Delivered,
}

/// A way from a state to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Whose.
    pub thread: Thread,
    /// From where.
    pub from: ThreadState,
    /// What must hold, all of it.
    pub guards: &'static [Guard],
    /// What is done, in this order.
    pub deeds: &'static [Deed],
    /// To where.
    pub to: ThreadState,
}

const fn row(
    thread: Thread,
    from: ThreadState,
    guards: &'static [Guard],
    deeds: &'static [Deed],
    to: ThreadState,
) -> Transition {
    Transition { thread, from, guards, deeds, to }
}

/// The firmware.
///
/// Where the paper would send another fragment before it looks whether the source has ended, these rows look
/// first: else a last fragment of nothing could be left.
pub static TRANSITIONS: [Transition; 23] = {
    use Deed::*;
    use Guard::*;
    use Thread::{Rdma, Recv, Sdma, Send};
    use ThreadState as S;
    const START_READ: &[Guard] = &[Descriptor, SendBuffer, SenderAlone, HostFree];
    const START_WRITE: &[Guard] = &[ReceivedWhole, Place, HostFree];
    [
        row(Sdma, S::Idle, START_READ, &[Read], S::Sdma),
        row(Sdma, S::Sdma, &[HostDone], &[HostRests], S::SdmaDone),
        row(Sdma, S::SdmaDone, &[], &[Filled], S::Idle),
        row(Send, S::Idle, &[SendWhole], &[Deed::Send], S::CoarseGrainedSend),
        row(Send, S::Idle, &[SendEnough], &[Deed::Send], S::FineGrainedSend),
        row(Send, S::CoarseGrainedSend, &[SendEnded], &[SendRests], S::SendDone),
        row(Send, S::FineGrainedSend, &[SendEnded], &[SendRests], S::FineGrainedSendDone),
        row(Send, S::FineGrainedSendDone, &[SendEnough], &[Deed::Send], S::FineGrainedSend),
        row(Send, S::FineGrainedSendDone, &[SendWhole], &[Deed::Send], S::SendLastFragment),
        row(Send, S::SendLastFragment, &[SendEnded], &[SendRests], S::SendDone),
        row(Send, S::SendDone, &[], &[Sent], S::Idle),
        row(Recv, S::Idle, &[Comes, ReceiveBuffer, ReceiverAlone], &[Receive], S::Recv),
        row(Recv, S::Recv, &[ReceiveEnded], &[ReceiveRests], S::RecvDone),
        row(Recv, S::RecvDone, &[], &[Received], S::Idle),
        row(Rdma, S::Idle, START_WRITE, &[TakePlace, Write], S::CoarseGrainedRdma),
        row(Rdma, S::Idle, &[ReceivedEnough, Place, HostFree], &[TakePlace, Write], S::FineGrainedRdma),
        row(Rdma, S::CoarseGrainedRdma, &[HostDone], &[HostRests], S::RdmaDone),
        row(Rdma, S::FineGrainedRdma, &[HostDone], &[HostRests], S::FineGrainedRdmaDone),
        row(Rdma, S::FineGrainedRdmaDone, &[ReceivedEnough, HostFree], &[Write], S::FineGrainedRdma),
        row(Rdma, S::FineGrainedRdmaDone, &[ReceivedWhole, Rest, HostFree], &[Write], S::RdmaLastFragment),
        row(Rdma, S::FineGrainedRdmaDone, &[ReceivedWhole, NoRest], &[], S::RdmaDone),
        row(Rdma, S::RdmaLastFragment, &[HostDone], &[HostRests], S::RdmaDone),
        row(Rdma, S::RdmaDone, &[], &[Delivered], S::Idle),
    ]
};
