//! Of things in a row, the first, and an even sample of those after them: memory has a bound, whatever their number.
//!
//! Models: after the first 2¹⁴, each thing is kept until there are 2¹² of them; then every other one goes, and
//! from there on each second is kept; and so on. Nothing is random.

/// How many of the first are kept.
const FIRST: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// How many of the later ones, at most.
const LATER_MAX: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// The things kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sampled<T> {
    kept: Vec<T>,
    /// How many there were in all.
    count: u64,
    /// Of the later ones each so-manieth is kept.
    stride: u64,
    /// How many of the first are all kept.
    first: usize,
    /// Later ones kept, at most.
    later_max: usize,
}

impl<T> Default for Sampled<T> {
    fn default() -> Sampled<T> {
        Sampled::keeping(FIRST, LATER_MAX)
    }
}

impl<T> Sampled<T> {
    /// None yet; of so many first ones all will be kept, and of the later ones so many at most.
    pub fn keeping(first: usize, later_max: usize) -> Sampled<T> {
        Sampled { kept: Vec::new(), count: 0, stride: 1, first, later_max }
    }

    /// One that keeps all, as somebody asked for each.
    pub fn all() -> Sampled<T> {
        Sampled::keeping(0, usize::MAX)
    }

    /// One more.
    pub fn add(&mut self, thing: T) {
        let later = self.count.saturating_sub(self.first as u64);
        self.count += 1;
        if later.is_multiple_of(self.stride) && self.kept.len().checked_sub(self.first) == Some(self.later_max) {
            self.thin();
        }
        if later.is_multiple_of(self.stride) {
            self.kept.push(thing);
        }
    }

    /// Lets every other one of the later ones go.
    fn thin(&mut self) {
        let mut place = 0;
        self.kept.retain(|_| {
            place += 1;
            place <= self.first || (place - self.first) % 2 == 1
        });
        self.stride *= 2;
    }

    /// How many there were in all.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Of the later ones each so-manieth is kept.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Those kept, in their order.
    pub fn kept(&self) -> &[T] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_and_an_even_sample_of_the_later_ones() {
        let mut sample = Sampled::default();
        let mut expected: Vec<u64> = Vec::new();
        for number in 0..1_000 {
            sample.add(number);
            expected.push(number);
            let later = |stride: u64| expected[8.min(expected.len())..].iter().copied().step_by(stride as usize);
            let stride = (0..).map(|power| 1 << power).find(|stride| later(*stride).count() <= 4).expect("some");
            let kept: Vec<u64> = expected.iter().copied().take(8).chain(later(stride)).collect();
            assert_eq!((sample.kept(), sample.stride), (&kept[..], stride), "of {}", number + 1);
        }
        assert!(sample.stride > 100);
    }
}
