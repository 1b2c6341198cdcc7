//! Choosing some of many without a branch, where nothing foretells which: every item is written where the next one
//! chosen goes, and written over if it was not.

use super::state::PORTS;

/// Room for an item of each port of a sector, and for those that are not chosen.
const ROOM: usize = 2 * PORTS;

/// Of the bits of a word so many are added before it is asked whether there are more.
const AT_ONCE: usize = 3;

/// Where they are written.
pub type Items = [u16; ROOM + AT_ONCE];

/// None yet.
pub const NO_ITEMS: Items = [0; ROOM + AT_ONCE];

/// The items chosen, of a port each.
pub struct Sieve<'a> {
    items: &'a mut Items,
    chosen: usize,
}

impl Sieve<'_> {
    /// An empty one, whose items are written here.
    #[inline]
    pub fn new(items: &mut Items) -> Sieve<'_> {
        Sieve { items, chosen: 0 }
    }

    /// Adds an item, if so.
    #[inline(always)]
    pub fn add_if(&mut self, is_so: bool, item: u16) {
        self.items[self.chosen % ROOM] = item;
        self.chosen += usize::from(is_so);
    }

    /// Adds the number of each bit of a word, of which the lowest has the number `first`.
    #[inline(always)]
    pub fn add_bits(&mut self, first: usize, mut bits: u64) {
        loop {
            // None is chosen behind one that is not, so that each has its place.
            let at = self.chosen % ROOM;
            for place in 0..AT_ONCE {
                self.items[at + place] = (first + bits.trailing_zeros() as usize) as u16;
                self.chosen += usize::from(bits != 0);
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                break;
            }
        }
    }

    /// How many were chosen.
    #[inline]
    pub fn len(&self) -> usize {
        self.chosen
    }

    /// The item chosen at this place.
    #[inline]
    pub fn get(&self, place: usize) -> u16 {
        self.items[place % ROOM]
    }

    /// Of the items chosen, keeps those for which it is so.
    #[inline]
    pub fn retain(&mut self, mut is_so: impl FnMut(u16) -> bool) {
        for place in 0..std::mem::take(&mut self.chosen) {
            let item = self.get(place);
            self.add_if(is_so(item), item);
        }
    }
}
