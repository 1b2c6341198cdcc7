//! The peak of a bandwidth: the largest rate over any window from the post of a request to a later completion, as
//! perftest computes it.
//!
//! perftest compares all pairs of a post and a completion. If posts are points of number and time, the best post for a
//! completion lies on their upper hull, so each completion is compared with few posts.

use crate::engine::Time;
use std::collections::VecDeque;

/// The posts so far, and the best window.
#[derive(Clone, Default, Debug)]
pub struct PeakRate {
    /// Posts of requests that have not completed: number and time.
    outstanding_posts: VecDeque<(u64, u64)>,
    /// Upper hull of the posts of completed requests.
    hull: Vec<(u64, u64)>,
    posted_requests: u64,
    completed_requests: u64,
    /// Requests and picoseconds of the best window.
    best_window: Option<(u64, u64)>,
}

impl PeakRate {
    /// Adds the post of the next request at `now`.
    pub fn post(&mut self, now: Time) {
        self.outstanding_posts.push_back((self.posted_requests, now.ps()));
        self.posted_requests += 1;
    }

    /// Adds the completion of the next `count` requests at `now`.
    pub fn complete(&mut self, count: u64, now: Time) {
        self.completed_requests += count;
        while let Some(post) = self.outstanding_posts.pop_front_if(|(number, _)| *number < self.completed_requests) {
            self.add_to_hull(post);
        }
        let completion = (self.completed_requests, now.ps());
        // Along the hull, the slope to the completion falls and then rises.
        let (mut low, mut high) = (0, self.hull.len().saturating_sub(1));
        while low < high {
            let middle = (low + high) / 2;
            let is_flatter =
                !is_faster(window(self.hull[middle], completion), window(self.hull[middle + 1], completion));
            (low, high) = if is_flatter { (middle + 1, high) } else { (low, middle) };
        }
        let Some(&post) = self.hull.get(low) else { return };
        let window = window(post, completion);
        if self.best_window.is_none_or(|best| is_faster(window, best)) {
            self.best_window = Some(window);
        }
    }

    /// Adds a post to the hull.
    fn add_to_hull(&mut self, post: (u64, u64)) {
        while let [.., first, second] = self.hull[..]
            && !is_above(first, second, post)
        {
            self.hull.pop();
        }
        self.hull.push(post);
    }

    /// Returns the requests and the time of the best window, if any has a time.
    pub fn best(&self) -> Option<(u64, Time)> {
        self.best_window.filter(|(_, ps)| *ps > 0).map(|(count, ps)| (count, Time::from_ps(ps)))
    }
}

fn is_faster((count, ps): (u64, u64), (other_count, other_ps): (u64, u64)) -> bool {
    u128::from(count) * u128::from(other_ps) > u128::from(other_count) * u128::from(ps)
}

/// Returns the requests and the time from a post to a completion.
fn window(post: (u64, u64), completion: (u64, u64)) -> (u64, u64) {
    (completion.0 - post.0, completion.1.saturating_sub(post.1))
}

/// Returns whether `second` lies above the line from `first` to `third`.
fn is_above(first: (u64, u64), second: (u64, u64), third: (u64, u64)) -> bool {
    let difference = |from: (u64, u64), to: (u64, u64)| {
        (i128::from(to.0) - i128::from(from.0), i128::from(to.1) - i128::from(from.1))
    };
    let ((x1, t1), (x2, t2)) = (difference(first, second), difference(first, third));
    t1 * x2 > t2 * x1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn peak_is_the_best_of_all_pairs(steps in prop::collection::vec((1u64..5, 0u64..9, 1u64..9), 1..40)) {
            let (mut peak, mut now, mut posts, mut completed) = (PeakRate::default(), 0, Vec::new(), 0);
            let mut best: Option<(u64, u64)> = None;
            for (count, wait, latency) in steps {
                for _ in 0..count {
                    now += wait;
                    posts.push(now);
                    peak.post(Time::from_ps(now));
                }
                now += latency;
                peak.complete(count, Time::from_ps(now));
                completed += count;
                for (number, post) in (0..).zip(&posts) {
                    let window = (completed - number, now - post);
                    if best.is_none_or(|best| is_faster(window, best)) {
                        best = Some(window);
                    }
                }
            }
            let rate = |(count, ps): (u64, u64)| count as f64 / ps as f64;
            let computed_rate = peak.best().map(|(count, time)| rate((count, time.ps())));
            prop_assert_eq!(computed_rate, best.map(rate));
        }
    }
}
