//! Of things in a row, the first, and an even sample of those after them: memory has a bound, whatever their number.
//!
//! Models: after the first 2¹⁴, each thing is kept until there are 2¹² of them; then every other one goes, and
//! from there on each second is kept; and so on. Nothing is random.

/// How many of the first are kept.
const FIRST: usize = if cfg!(test) { 8 } else { 1 << 14 };
/// How many of the later ones, at most.
const LATER_MAX: usize = if cfg!(test) { 4 } else { 1 << 12 };

/// The things kept.
#[derive(Debug)]
pub struct Sampled<T> {
    kept: Vec<T>,
    /// How many there were in all.
    count: u64,
    /// Of the later ones each so-manieth is kept.
    stride: u64,
    /// Later ones kept, at most.
    later_max: usize,
}

impl<T> Default for Sampled<T> {
    fn default() -> Sampled<T> {
        Sampled { kept: Vec::new(), count: 0, stride: 1, later_max: LATER_MAX }
    }
}

impl<T> Sampled<T> {
    /// One that keeps all, as somebody asked for each.
    pub fn all() -> Sampled<T> {
        Sampled { later_max: usize::MAX - FIRST, ..Sampled::default() }
    }

    /// One more.
    pub fn add(&mut self, thing: T) {
        let later = self.count.checked_sub(FIRST as u64);
        self.count += 1;
        if later.is_some_and(|later| !later.is_multiple_of(self.stride)) {
            return;
        }
        if self.kept.len() == FIRST + self.later_max {
            self.thin();
            if later.is_some_and(|later| !later.is_multiple_of(self.stride)) {
                return;
            }
        }
        self.kept.push(thing);
    }

    /// Lets every other one of the later ones go.
    fn thin(&mut self) {
        let mut place = 0;
        self.kept.retain(|_| {
            place += 1;
            place <= FIRST || (place - FIRST) % 2 == 1
        });
        self.stride *= 2;
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
