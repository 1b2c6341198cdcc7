//! A routed fabric in a simulation: the network of routers behind one task.
//!
//! The task steps the routers cycle by cycle while there is work, and sleeps while there is none.
//! Cycle *n* is simulated one picosecond after it begins (cycle *n* of the clock ends at
//! ⌊n·10¹²/f⌋ ps), so that whatever interfaces do at that instant is seen by it, whatever the order
//! of events. Frames may be lost on their way (`loss`): such a one crosses the fabric and is
//! dropped at its end, and gives back the place it took.

use super::carrier::{Carried, Carrier, Desk, Fate, Listener, Sending, Told};
use super::router::{Event, EventKind, Injection, Network, RouterParameters, Switching};
use super::topology::Shape;
use crate::engine::{Hertz, Mailbox, Signal, Sim, Time, rng};
use crate::text::Table;
use rand::RngExt;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of a routed fabric beside its shape.
#[derive(Clone, Debug)]
pub struct RoutedParameters {
    /// Routers and links.
    pub router: RouterParameters,
    /// Cycles from a frame's coming out of the fabric until the interface has it.
    pub exit_delay: u64,
    /// The part of the frames that is lost, from 0 to 1.
    pub loss: f64,
}

impl RoutedParameters {
    /// The default routers, and no loss.
    pub const DEFAULT: RoutedParameters =
        RoutedParameters { router: RouterParameters::BOOKSIM, exit_delay: 0, loss: 0.0 };

    /// Reads them from the tables beside the shape.
    pub fn read(t: &mut Table<'_>) -> RoutedParameters {
        let (router, exit_delay) = t.table("router", "Routers and links", |t| {
            let doc = "Cycles from a frame's coming out of the fabric until the interface has it";
            let exit_delay = t.count("exit-delay", doc).max(1_000_000).or(0);
            (RouterParameters::read(t), exit_delay)
        });
        RoutedParameters {
            router,
            exit_delay,
            loss: t.fraction("loss", "Part of the frames that is lost on the way").or(0.0),
        }
    }
}

/// A routed fabric that carries frames of type `T`.
pub struct Routed<T> {
    sim: Sim,
    clock: Hertz,
    flit_bytes: u32,
    /// Whether a frame is told of only when all of it is there.
    whole: bool,
    /// What has come out of the fabric, and will be in its interface some cycles later.
    exits: Mailbox<Event>,
    exit_delay: u64,
    network: RefCell<Network>,
    desk: Desk<T>,
    flying: RefCell<Flying<T>>,
    lost: RefCell<Loss>,
    kick: Signal,
    /// Whether the task sleeps until it is kicked.
    asleep: Cell<bool>,
}

/// The frames under way, by the tags the network knows them by.
struct Flying<T> {
    frames: Vec<Option<Rc<Carried<T>>>>,
    free: Vec<u32>,
}

/// Which frames are lost.
struct Loss {
    part: f64,
    random: rng::Stream,
}

impl<T: 'static> Routed<T> {
    /// The fabric, its task started.
    pub fn start(sim: &Sim, shape: Shape, parameters: &RoutedParameters, seed: u64) -> Rc<Routed<T>> {
        let router = &parameters.router;
        let nodes = shape.wiring.nodes() as usize;
        let fabric = Rc::new(Routed {
            sim: sim.clone(),
            clock: router.clock,
            flit_bytes: router.flit_bits / 8,
            whole: router.switching == Switching::StoreAndForward,
            exits: Mailbox::new(sim, "frames that come out of the fabric"),
            exit_delay: parameters.exit_delay,
            network: RefCell::new(Network::new(shape, router, seed)),
            desk: Desk::new(nodes),
            flying: RefCell::new(Flying { frames: Vec::new(), free: Vec::new() }),
            lost: RefCell::new(Loss { part: parameters.loss, random: rng::stream(seed, "loss") }),
            kick: Signal::new(sim, "work for the fabric"),
            asleep: Cell::new(false),
        });
        sim.spawn_server("fabric", fabric.clone().run());
        if parameters.exit_delay > 0 {
            sim.spawn_server("fabric exits", fabric.clone().come_out());
        }
        fabric
    }

    async fn run(self: Rc<Self>) {
        let mut events = Vec::new();
        loop {
            let work = self.network.borrow().next_work();
            let at = work.map_or(Time::MAX, |cycle| self.instant(cycle));
            if at > self.sim.now() {
                self.asleep.set(true);
                let kicked = self.kick.wait_until(at).await;
                self.asleep.set(false);
                if kicked {
                    continue;
                }
            }
            self.step(work.expect("only work has an instant"), &mut events);
        }
    }

    /// Tells of what comes out late.
    async fn come_out(self: Rc<Self>) {
        loop {
            let event = self.exits.receive().await;
            self.out(event);
        }
    }

    /// When cycle `cycle` is simulated.
    fn instant(&self, cycle: u64) -> Time {
        self.clock.end_of_cycle(cycle) + Time::from_ps(1)
    }

    fn step(&self, cycle: u64, events: &mut Vec<Event>) {
        {
            let mut network = self.network.borrow_mut();
            network.skip_to(cycle);
            network.step();
            network.take_events(events);
        }
        for event in events.drain(..) {
            self.tell(event);
        }
    }

    fn tell(&self, event: Event) {
        match event.kind {
            EventKind::Entered => self.desk.tell(event.node as usize, Told::Free { network: event.network }),
            _ if self.exit_delay > 0 => self.exits.send_at(self.instant(event.cycle + self.exit_delay), event),
            _ => self.out(event),
        }
    }

    /// A frame's header, or all of it, is at its interface.
    fn out(&self, event: Event) {
        match event.kind {
            EventKind::Entered => unreachable!("what enters does not come out"),
            EventKind::Header if !self.whole => self.arrived(event),
            EventKind::Header => {}
            EventKind::Delivered => {
                if self.whole {
                    self.arrived(event);
                }
                let frame = self.flying.borrow_mut().take(event.tag);
                if let Some(frame) = frame {
                    frame.whole.set(true);
                    self.desk.tell(event.node as usize, Told::Whole { frame });
                }
            }
        }
    }

    /// The header, or all, of a frame is there, unless the frame is lost.
    fn arrived(&self, event: Event) {
        let lost = self.lost.borrow_mut().next();
        let frame = match lost {
            true => self.flying.borrow_mut().lose(event.tag),
            false => self.flying.borrow().frames[event.tag as usize].clone().expect("a frame under way has its tag"),
        };
        if self.whole {
            frame.whole.set(true);
        }
        if !lost {
            self.desk.count(|fate| fate.delivered += 1);
            self.desk.tell(event.node as usize, Told::Header { frame });
            return;
        }
        self.desk.count(|fate| fate.dropped += 1);
        if frame.sending.takes_place {
            self.add_place(event.node, event.network);
        }
    }

    /// Has the task look again, for there may be work before the cycle it waits for.
    fn wake(&self) {
        if self.asleep.get() {
            self.kick.notify();
        }
    }
}

impl<T: 'static> Carrier<T> for Routed<T> {
    fn attach(&self, node: u32, listener: Listener<T>) {
        self.desk.attach(node, listener);
    }

    fn send(&self, sending: Sending<T>) {
        let flits = sending.bytes.div_ceil(self.flit_bytes) as u16;
        let Sending { source, destination, network, takes_place, .. } = sending;
        let tag = self.flying.borrow_mut().put(Rc::new(Carried { sending, whole: Cell::new(false) }));
        self.desk.count(|fate| fate.injected += 1);
        self.catch_up();
        self.network.borrow_mut().offer(Injection { source, destination, flits, network, tag, takes_place });
        self.wake();
    }

    fn set_places(&self, node: u32, network: u8, places: u32) {
        self.network.borrow_mut().set_places(node, network, places);
    }

    fn add_place(&self, node: u32, network: u8) {
        self.catch_up();
        self.network.borrow_mut().add_place(node, network);
        self.wake();
    }

    fn fate(&self) -> Fate {
        self.desk.fate()
    }
}

impl<T: 'static> Routed<T> {
    /// Has the network know what cycle it is before it is given something.
    fn catch_up(&self) {
        let now = self.sim.now();
        // The first cycle whose instant is not over.
        let cycle = self.clock.cycle_at(now.since(Time::from_ps(1)));
        let mut network = self.network.borrow_mut();
        if cycle > network.cycle() {
            let work = network.next_work().unwrap_or(u64::MAX);
            network.skip_to(cycle.min(work));
        }
    }
}

impl<T> Flying<T> {
    fn put(&mut self, frame: Rc<Carried<T>>) -> u32 {
        let tag = self.free.pop().unwrap_or_else(|| {
            self.frames.push(None);
            self.frames.len() as u32 - 1
        });
        self.frames[tag as usize] = Some(frame);
        tag
    }

    /// Takes a frame out that has arrived; none if it was lost.
    fn take(&mut self, tag: u32) -> Option<Rc<Carried<T>>> {
        self.free.push(tag);
        self.frames[tag as usize].take()
    }

    /// Takes a frame out that is lost; its tag is in use until its end has passed.
    fn lose(&mut self, tag: u32) -> Rc<Carried<T>> {
        self.frames[tag as usize].take().expect("a frame is lost once")
    }
}

impl Loss {
    fn next(&mut self) -> bool {
        self.part > 0.0 && self.random.random::<f64>() < self.part
    }
}
