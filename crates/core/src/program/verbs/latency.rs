//! The latency test: one request at a time.
//!
//! A side of a ping-pong takes the completion of its request, and then polls for the answer: the last byte of a write,
//! whose value counts the writes, or the completion of a receive.

use super::connection::verbs;
use super::measured::Measured;
use super::operation::VerbsOperation;
use super::poster::{POLL_MAX, Poster};
use crate::host::Processor;
use std::rc::Rc;

/// Runs the program of one endpoint. The one that begins measures.
pub async fn run(mut poster: Poster, measured: Rc<Measured>, is_initiator: bool) {
    let posts = is_initiator || poster.test.is_mutual();
    let total = if posts { poster.test.total() } else { 0 };
    if is_initiator {
        measured.join();
    }
    for number in 0..total {
        let start = poster.endpoint.now();
        let attempt = match is_initiator {
            true => ping(&mut poster, number).await,
            false => pong(&mut poster, number).await,
        };
        if let Err(failure) = attempt {
            return measured.fail(failure);
        }
        if is_initiator {
            measured.record_latency(number, start, poster.endpoint.now());
        }
    }
}

/// Posts request `number`, and waits for the answer.
async fn ping(poster: &mut Poster, number: u64) -> Result<(), String> {
    post(poster, number).await?;
    if poster.test.is_mutual() { arrival(poster, number).await } else { Ok(()) }
}

/// Waits for request `number` of the other endpoint, and posts the answer.
async fn pong(poster: &mut Poster, number: u64) -> Result<(), String> {
    arrival(poster, number).await?;
    post(poster, number).await
}

/// Returns the queue of request `number`, and the number of the request on this queue.
fn queue_and_count(poster: &Poster, number: u64) -> (usize, u64) {
    let queues = poster.queues.len() as u64;
    ((number % queues) as usize, number / queues)
}

/// Returns the last byte of write `count` of a queue.
fn last_byte(count: u64) -> u8 {
    (count + 1) as u8
}

/// Posts request `number` and takes its completion.
async fn post(poster: &mut Poster, number: u64) -> Result<(), String> {
    let (index, count) = queue_and_count(poster, number);
    if poster.test.operation == VerbsOperation::Write {
        let cpu = poster.endpoint.cpu();
        let _lease = cpu.acquire("store the last byte").await;
        let at = poster.source(count) + poster.size().get() - 1;
        cpu.store_word(at, 1, last_byte(count).into()).await;
    }
    // The interface may still hold an entry of an earlier request whose completion was taken.
    while !poster.post(index, 0).await {
        poster.flush(index).await;
        poster.poll(POLL_MAX, |_, _| ()).await?;
    }
    poster.flush(index).await;
    while poster.queues[index].completed <= count {
        poster.poll(1, |_, _| ()).await?;
    }
    Ok(())
}

/// Waits until request `number` of the other endpoint has arrived, and checks its bytes.
async fn arrival(poster: &mut Poster, number: u64) -> Result<(), String> {
    let (index, count) = queue_and_count(poster, number);
    if poster.test.operation == VerbsOperation::Write {
        await_write(poster, index, count).await;
        return Ok(());
    }
    while poster.queues[index].received <= count {
        poster.poll(1, |_, _| ()).await?;
    }
    Ok(())
}

/// Polls the last byte of the buffer of queue `index` until write `count` has arrived. One event simulates the polls
/// that find the earlier byte.
async fn await_write(poster: &Poster, index: usize, count: u64) {
    let (endpoint, first) = (&poster.endpoint, poster.queues[index].connection.incoming);
    let (cpu, length) = (endpoint.cpu(), poster.size().len());
    let (last, expected) = (first + length as u64 - 1, last_byte(count));
    loop {
        let lease = cpu.acquire("poll the last byte").await;
        let value = cpu.load_word(last, 1).await;
        cpu.sync().await;
        drop(lease);
        if value == u64::from(expected) {
            break;
        }
        if endpoint.host().peek(last, 1) != [expected] {
            verbs(endpoint).written().wait().await;
        }
    }
    let arrived = endpoint.host().peek(first, length);
    let pattern = poster.expected(count);
    assert!(arrived[..length - 1] == pattern[..length - 1], "the bytes before the last one arrived before it");
}
