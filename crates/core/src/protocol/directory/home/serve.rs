//! A request is served at once, or the block is busy with what it needs first.
//!
//! What was asked is looked at twice: before copies are recalled, and again when they are in; then
//! nothing is left to recall.

use super::entry::{Asker, Busy, Stands};
use super::sharers::{Added, Sharers};
use super::{Call, CoherenceAction, CoherenceKind, Want};
use crate::engine::NodeId;
use crate::protocol::directory::Trap;

impl Call<'_> {
    /// A node asks, and there may be room to wait.
    pub fn request(&mut self, from: NodeId, kind: CoherenceKind, room: bool) {
        let asker = Asker::Node(from, kind);
        if self.entry.busy.is_none() {
            self.serve(asker);
            self.serve_waiting();
        } else if room {
            *self.waiting += 1;
            self.entry.waiting.push_back(asker);
        } else {
            self.send(from, CoherenceKind::TurnedAway);
        }
    }

    /// The home's processor asks, unless it has.
    pub fn ask_own(&mut self, want: Want) {
        if self.entry.own_asked {
            return;
        }
        self.entry.own_asked = true;
        self.entry.waiting.push_back(Asker::Own(want));
        self.serve_waiting();
    }

    /// Those who wait, until the block is busy.
    pub fn serve_waiting(&mut self) {
        while self.entry.busy.is_none()
            && let Some(asker) = self.entry.waiting.pop_front()
        {
            if matches!(asker, Asker::Node(..)) {
                *self.waiting -= 1;
            }
            self.serve(asker);
        }
    }

    /// One request: recalls what is in its way, else settles it.
    pub fn serve(&mut self, asker: Asker) {
        match &self.entry.stands {
            Stands::Exclusive(owner) => self.fetch(*owner, asker),
            Stands::Shared(sharers) if asker.writes() => {
                let asks = match asker {
                    Asker::Node(node, _) => Some(node),
                    Asker::Own(_) => None,
                };
                let keeps = asks.filter(|node| sharers.has(*node));
                let (mut others, extended) = (sharers.all(), sharers.is_extended());
                keeps.map(|node| others.remove(&node));
                if extended {
                    self.actions.push(CoherenceAction::Trap(Trap::Write));
                }
                if others.is_empty() {
                    return self.settle(asker);
                }
                let awaited = others.len() as u32;
                self.entry.busy = Some(Busy::Invalidating { asker, awaited, keeps });
                others.into_iter().for_each(|node| self.send(node, CoherenceKind::Invalidate));
            }
            _ => self.settle(asker),
        }
    }

    fn fetch(&mut self, owner: NodeId, asker: Asker) {
        assert!(!matches!(asker, Asker::Node(node, _) if node == owner), "{owner} has what it asks for");
        self.entry.busy = Some(Busy::Fetching { asker, crossed: false, written: false });
        self.send(owner, if asker.writes() { CoherenceKind::FetchInvalidate } else { CoherenceKind::Fetch });
    }

    /// Nothing is in its way.
    fn settle(&mut self, asker: Asker) {
        match asker {
            Asker::Node(node, CoherenceKind::Read) => {
                self.share(node);
                self.send(node, CoherenceKind::Shared);
            }
            Asker::Node(node, kind) => {
                let has = matches!(&self.entry.stands, Stands::Shared(sharers) if sharers.has(node));
                self.entry.stands = Stands::Exclusive(node);
                self.actions.push(CoherenceAction::Pointer);
                let upgrades = has && kind == CoherenceKind::Upgrade;
                self.send(node, if upgrades { CoherenceKind::Upgraded } else { CoherenceKind::Exclusive });
            }
            Asker::Own(_) => {
                self.entry.own_asked = false;
                let access = self.entry.access();
                match self.entry.demand {
                    Some(want) if access.allows(want) => {
                        self.entry.demand = None;
                        self.entry.busy = Some(Busy::Held);
                        self.tell();
                        self.actions.push(CoherenceAction::Granted(access));
                    }
                    // It came to want more.
                    Some(want) => self.ask_own(want),
                    None => {}
                }
            }
        }
    }

    /// One more has a copy to read.
    pub fn share(&mut self, node: NodeId) {
        let added = match &mut self.entry.stands {
            Stands::Shared(sharers) => sharers.add(node, self.limit),
            _ => {
                self.entry.stands = Stands::Shared(Sharers::one(node));
                Added::Pointer
            }
        };
        match added {
            Added::Known => {}
            Added::Pointer => self.actions.push(CoherenceAction::Pointer),
            Added::Overflow => self.actions.push(CoherenceAction::Trap(Trap::Pointers)),
        }
    }

    pub fn send(&mut self, to: NodeId, kind: CoherenceKind) {
        self.tell();
        self.actions.push(CoherenceAction::send(to, kind, self.number));
    }

    /// Says what the home's processor may do, if that is not what was said last.
    pub fn tell(&mut self) {
        let access = self.entry.access();
        if std::mem::replace(&mut self.told, access) != access {
            self.actions.push(CoherenceAction::Access(access));
        }
    }
}
