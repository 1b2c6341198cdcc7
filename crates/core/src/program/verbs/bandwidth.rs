//! The bandwidth test: as many outstanding requests as allowed on each queue pair.

use super::connection::verbs;
use super::measurements::VerbsMeasurements;
use super::operation::VerbsOperation;
use super::poster::{POLL_MAX, Poster};
use std::rc::Rc;

/// Runs the program of one endpoint.
pub async fn run(mut poster: Poster, measurements: Rc<VerbsMeasurements>) {
    let posts_requests = poster.queues.iter().any(|queue| queue.connection.posts_requests);
    let sender = posts_requests.then(|| measurements.add_sender(&poster));
    if let Err(failure) = exchange(&mut poster, &measurements, sender).await {
        return measurements.record_failure(failure);
    }
    await_writes(&poster).await;
}

/// Posts and receives until all requests have completed and all messages have arrived.
async fn exchange(poster: &mut Poster, measurements: &VerbsMeasurements, sender: Option<usize>) -> Result<(), String> {
    loop {
        for index in 0..poster.queues.len() {
            while can_post(poster, index) && post_list(poster, index, measurements, sender).await {}
        }
        if is_done(poster) {
            return Ok(());
        }
        let record_completion = |requests, now| {
            let sender = sender.expect("an endpoint whose requests complete posts requests");
            measurements.record_completion(sender, requests, now);
        };
        poster.poll(POLL_MAX, record_completion).await?;
    }
}

/// Returns the number of requests of the next list of queue `index`.
fn list_length(poster: &Poster, index: usize) -> u64 {
    let remaining = poster.test.total_requests() - poster.queues[index].posted_requests;
    poster.test.post_list.min(poster.depth).min(remaining)
}

/// Returns whether a list of requests may be posted on queue `index`.
fn can_post(poster: &Poster, index: usize) -> bool {
    let (queue, next_requests) = (&poster.queues[index], list_length(poster, index));
    queue.connection.posts_requests
        && next_requests > 0
        && queue.posted_requests + next_requests <= queue.completed_requests + poster.depth
}

/// Posts a list of requests on queue `index`, and rings the doorbell once. Returns whether all entries were free.
async fn post_list(poster: &mut Poster, index: usize, measurements: &VerbsMeasurements, sender: Option<usize>) -> bool {
    let slots = poster.test.incoming_slots().max(1);
    let mut has_capacity = true;
    for _ in 0..list_length(poster, index) {
        let (now, slot) = (poster.endpoint.now(), poster.queues[index].posted_requests % slots);
        has_capacity = poster.post(index, slot).await;
        if !has_capacity {
            break;
        }
        measurements.record_post(sender.expect("an endpoint that posts requests is a sender"), now);
    }
    poster.flush(index).await;
    has_capacity
}

/// Returns whether all requests have completed and all messages have arrived.
fn is_done(poster: &Poster) -> bool {
    let total = poster.test.total_requests();
    let has_receives = poster.test.operation == VerbsOperation::Send;
    poster.queues.iter().all(|queue| {
        let connection = &queue.connection;
        (!connection.posts_requests || queue.completed_requests == total)
            && (!connection.is_target || !has_receives || queue.received_messages == total)
    })
}

/// Waits until the data of the other endpoints' writes are in memory.
async fn await_writes(poster: &Poster) {
    if poster.test.operation != VerbsOperation::Write {
        return;
    }
    let is_target = |index: &usize| poster.queues[*index].connection.is_target;
    for index in (0..poster.queues.len()).filter(is_target) {
        while !poster.holds_writes(index) {
            verbs(&poster.endpoint).written().wait().await;
        }
    }
}
