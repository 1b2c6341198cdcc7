//! Requests: each is granted at once, or the block is busy until the copies that conflict with it are recalled.
//!
//! A request is examined twice: before the recalls, and again after all of them were answered, when no conflicting copy
//! is left.

use super::entry::{Busy, DirState, Fetching, PendingRequest};
use super::sharers::{SharerAddition, Sharers};
use super::{AccessMode, CoherenceAction, CoherenceKind, Transaction};
use crate::engine::NodeId;
use crate::protocol::directory::Trap;

impl Transaction<'_> {
    /// Handles the request of another node: serves it, queues it if the block is busy and `may_wait`, or NACKs it.
    pub fn request(&mut self, from: NodeId, kind: CoherenceKind, may_wait: bool) {
        let request = PendingRequest::Node(from, kind);
        if self.entry.busy.is_none() {
            self.serve(request);
            self.serve_waiting();
        } else if may_wait {
            *self.waiting += 1;
            self.entry.waiting_requests.push_back(request);
        } else {
            self.send(from, CoherenceKind::Nack);
        }
    }

    /// Queues a request of the home's processor, unless one is pending already.
    pub fn request_for_home(&mut self, mode: AccessMode) {
        if self.entry.has_own_request {
            return;
        }
        self.entry.has_own_request = true;
        self.entry.waiting_requests.push_back(PendingRequest::Own(mode));
        self.serve_waiting();
    }

    /// Serves waiting requests in order until the block is busy.
    pub fn serve_waiting(&mut self) {
        while self.entry.busy.is_none()
            && let Some(request) = self.entry.waiting_requests.pop_front()
        {
            if matches!(request, PendingRequest::Node(..)) {
                *self.waiting -= 1;
            }
            self.serve(request);
        }
    }

    /// Recalls the copies that conflict with a request, or grants it if no copy does.
    pub fn serve(&mut self, request: PendingRequest) {
        match &self.entry.state {
            DirState::Exclusive(owner) => self.fetch(*owner, request),
            DirState::Shared(sharers) if request.writes() => {
                let requester = match request {
                    PendingRequest::Node(node, _) => Some(node),
                    PendingRequest::Own(_) => None,
                };
                let keeper = requester.filter(|node| sharers.has(*node));
                let (mut others, is_extended) = (sharers.all(), sharers.is_extended());
                keeper.map(|node| others.remove(&node));
                if is_extended {
                    self.actions.push(CoherenceAction::Trap(Trap::Write));
                }
                if others.is_empty() {
                    return self.grant_without_conflict(request);
                }
                let awaited_count = others.len() as u32;
                self.entry.busy = Some(Busy::Invalidating { request, awaited_count, keeper });
                others.into_iter().for_each(|node| self.send(node, CoherenceKind::Invalidate));
            }
            _ => self.grant_without_conflict(request),
        }
    }

    fn fetch(&mut self, owner: NodeId, request: PendingRequest) {
        assert!(
            !matches!(request, PendingRequest::Node(node, _) if node == owner),
            "{owner} already owns the block that it requests"
        );
        let forwarded_to = match request {
            PendingRequest::Node(node, _) if self.forwarding => Some(node),
            _ => None,
        };
        let fetching =
            Fetching { request, forwarded_to, has_crossed: false, is_written_back: false, is_returned: false };
        self.entry.busy = Some(Busy::Fetching(fetching));
        self.report_access();
        let kind = if request.writes() { CoherenceKind::FetchInvalidate } else { CoherenceKind::Fetch };
        self.actions.push(CoherenceAction::send(owner, kind, self.number).with_party(forwarded_to));
    }

    /// Grants a request that conflicts with no copy.
    fn grant_without_conflict(&mut self, request: PendingRequest) {
        match request {
            PendingRequest::Node(node, CoherenceKind::Read) => {
                self.share(node);
                self.send(node, CoherenceKind::Shared);
            }
            PendingRequest::Node(node, kind) => {
                let has_copy = matches!(&self.entry.state, DirState::Shared(sharers) if sharers.has(node));
                self.entry.state = DirState::Exclusive(node);
                self.actions.push(CoherenceAction::Pointer);
                let upgrades = has_copy && kind == CoherenceKind::Upgrade;
                self.send(node, if upgrades { CoherenceKind::Upgraded } else { CoherenceKind::Exclusive });
            }
            PendingRequest::Own(_) => {
                self.entry.has_own_request = false;
                let access = self.entry.access();
                match self.entry.demand {
                    Some(mode) if access.allows(mode) => {
                        self.entry.demand = None;
                        self.entry.busy = Some(Busy::Held);
                        self.report_access();
                        self.actions.push(CoherenceAction::Granted(access));
                    }
                    // The processor meanwhile waits for a stronger access right.
                    Some(mode) => self.request_for_home(mode),
                    None => {}
                }
            }
        }
    }

    /// Records `node` as a sharer.
    pub fn share(&mut self, node: NodeId) {
        let addition = match &mut self.entry.state {
            DirState::Shared(sharers) => sharers.add(node, self.pointer_limit),
            _ => {
                self.entry.state = DirState::Shared(Sharers::one(node));
                SharerAddition::Pointer
            }
        };
        match addition {
            SharerAddition::Present => {}
            SharerAddition::Pointer => self.actions.push(CoherenceAction::Pointer),
            SharerAddition::Overflow => self.actions.push(CoherenceAction::Trap(Trap::Pointers)),
        }
    }

    pub fn send(&mut self, to: NodeId, kind: CoherenceKind) {
        self.report_access();
        self.actions.push(CoherenceAction::send(to, kind, self.number));
    }

    /// Reports the access right of the home's processor, if it changed since the last report.
    pub fn report_access(&mut self) {
        let access = self.entry.access();
        if std::mem::replace(&mut self.reported_access, access) != access {
            self.actions.push(CoherenceAction::Access(access));
        }
    }
}
