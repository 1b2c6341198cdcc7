//! Tests of the bus as a coherent port: the effect of each transaction on the copies of a block and on its home.

use super::*;
use crate::host::{Address, AnyCoherentPort, Block};
use std::cell::Cell;

/// An agent with a copy of one block.
#[derive(Default)]
struct OneBlock {
    state: Cell<MoesiState>,
    data: Cell<Option<Block>>,
}

impl Agent for OneBlock {
    fn snoop(&self, kind: TransactionKind, _: Address, data: &mut Block) -> SnoopEffect {
        let snooped = moesi::snoop(self.state.get(), kind);
        if snooped.supplies {
            *data = self.data.get().expect("an owner has the block");
        }
        self.state.set(snooped.next_state);
        snooped
    }

    fn state(&self, _: Address) -> MoesiState {
        self.state.get()
    }

    fn peek(&self, _: Address) -> Option<Block> {
        self.data.get().filter(|_| self.state.get().owns())
    }
}

impl OneBlock {
    fn set(&self, state: MoesiState, data: Block) {
        self.state.set(state);
        self.data.set(Some(data));
    }
}

fn block_of_word(value: u64) -> Block {
    let mut block = Block::ZERO;
    block.write(0, 8, value);
    block
}

const BLOCK_ADDRESS: Address = 0x1000;

#[test]
fn transactions_of_a_port_move_the_only_writable_copy() {
    let simulation = simulation();
    let bus = bus_with_memory(&simulation);
    let port = AnyCoherentPort::memory_bus(bus.clone());
    let copies = [(); 2].map(|()| Rc::new(OneBlock::default()));
    let [first, second] = [0, 1].map(|copy| port.attach(copies[copy].clone(), None));
    let observed_bus = bus.clone();
    simulation.sim().spawn("two agents", async move {
        let states = || copies.clone().map(|copy| copy.state.get());
        assert_eq!(port.read_exclusive(first, BLOCK_ADDRESS).await, Block::ZERO, "the home has the block");
        copies[0].set(MoesiState::Modified, block_of_word(7));
        // The owner supplies the block and remains its owner.
        assert_eq!(port.read_shared(second, BLOCK_ADDRESS, || None).await.read(0, 8), 7);
        copies[1].set(MoesiState::Shared, block_of_word(7));
        assert_eq!(states(), [MoesiState::Owned, MoesiState::Shared]);
        // A block that another task of the agent has fetched in the meantime is not fetched again.
        let counts_before = observed_bus.counts();
        assert_eq!(port.read_shared(second, BLOCK_ADDRESS, || copies[1].data.get()).await.read(0, 8), 7);
        assert_eq!(observed_bus.counts(), counts_before, "no transaction ran");
        port.upgrade(second, &[BLOCK_ADDRESS], |_| copies[1].set(MoesiState::Modified, block_of_word(9))).await;
        assert_eq!(states(), [MoesiState::Invalid, MoesiState::Modified]);
        port.write_back(second, BLOCK_ADDRESS, block_of_word(9)).await;
        copies[1].state.set(MoesiState::Invalid);
        assert_eq!(observed_bus.peek(BLOCK_ADDRESS).read(0, 8), 9, "the home has the block again");
        assert_eq!(port.read_exclusive(first, BLOCK_ADDRESS).await.read(0, 8), 9);
        copies[0].set(MoesiState::Modified, block_of_word(10));
        port.write_through(second, BLOCK_ADDRESS, block_of_word(11), || {}).await;
        assert_eq!(states(), [MoesiState::Invalid; 2], "no copy is left");
        assert_eq!(observed_bus.peek(BLOCK_ADDRESS).read(0, 8), 11);
    });
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
}
