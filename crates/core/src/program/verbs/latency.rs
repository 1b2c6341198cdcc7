//! The latency test: one request at a time.
//!
//! A side of a ping-pong takes the completion of its request, and then polls for the answer: the last byte of a write,
//! whose value counts the writes, or the completion of a receive.

use super::connection::verbs;
use super::measurements::VerbsMeasurements;
use super::operation::VerbsOperation;
use super::poster::{POLL_MAX, Poster};
use crate::host::Processor;
use std::rc::Rc;

/// Runs the program of one endpoint. The one that begins measures.
pub async fn run(mut poster: Poster, measurements: Rc<VerbsMeasurements>, is_initiator: bool) {
    let posts_requests = is_initiator || poster.test.is_mutual();
    let total = if posts_requests { poster.test.total_requests() } else { 0 };
    if is_initiator {
        measurements.add_flow();
    }
    for number in 0..total {
        let start = poster.endpoint.now();
        let result = match is_initiator {
            true => ping(&mut poster, number).await,
            false => pong(&mut poster, number).await,
        };
        if let Err(failure) = result {
            return measurements.record_failure(failure);
        }
        if is_initiator {
            measurements.record_latency(number, start, poster.endpoint.now());
        }
    }
}

/// Posts request `number`, and waits for the answer.
async fn ping(poster: &mut Poster, number: u64) -> Result<(), String> {
    post_and_complete(poster, number).await?;
    if poster.test.is_mutual() { await_arrival(poster, number).await } else { Ok(()) }
}

/// Waits for request `number` of the other endpoint, and posts the answer.
async fn pong(poster: &mut Poster, number: u64) -> Result<(), String> {
    await_arrival(poster, number).await?;
    post_and_complete(poster, number).await
}

/// Returns the queue of request `number`, and the number of the request on this queue.
fn queue_index_and_count(poster: &Poster, number: u64) -> (usize, u64) {
    let queues = poster.queues.len() as u64;
    ((number % queues) as usize, number / queues)
}

/// Returns the last byte of write `count` of a queue.
fn last_byte(count: u64) -> u8 {
    (count + 1) as u8
}

/// Posts request `number` and takes its completion.
async fn post_and_complete(poster: &mut Poster, number: u64) -> Result<(), String> {
    let (index, count) = queue_index_and_count(poster, number);
    if poster.test.operation == VerbsOperation::Write {
        let cpu = poster.endpoint.cpu();
        let _lease = cpu.acquire("store the last byte").await;
        let last_byte_address = poster.source_buffer(count) + poster.size().get() - 1;
        cpu.store_word(last_byte_address, 1, last_byte(count).into()).await;
    }
    // The interface may still hold an entry of an earlier request whose completion was taken.
    while !poster.post(index, 0).await {
        poster.flush(index).await;
        poster.poll(POLL_MAX, |_, _| ()).await?;
    }
    poster.flush(index).await;
    while poster.queues[index].completed_requests <= count {
        poster.poll(1, |_, _| ()).await?;
    }
    Ok(())
}

/// Waits until request `number` of the other endpoint has arrived, and checks its bytes.
async fn await_arrival(poster: &mut Poster, number: u64) -> Result<(), String> {
    let (index, count) = queue_index_and_count(poster, number);
    if poster.test.operation == VerbsOperation::Write {
        await_write(poster, index, count).await;
        return Ok(());
    }
    while poster.queues[index].received_messages <= count {
        poster.poll(1, |_, _| ()).await?;
    }
    Ok(())
}

/// Polls the last byte of the buffer of queue `index` until write `count` has arrived. One event simulates the polls
/// that find the earlier byte.
async fn await_write(poster: &Poster, index: usize, count: u64) {
    let (endpoint, buffer) = (&poster.endpoint, poster.queues[index].connection.incoming_buffers);
    let (cpu, length) = (endpoint.cpu(), poster.size().len());
    let (last_byte_address, expected_byte) = (buffer + length as u64 - 1, last_byte(count));
    loop {
        let lease = cpu.acquire("poll the last byte").await;
        let value = cpu.load_word(last_byte_address, 1).await;
        cpu.sync().await;
        drop(lease);
        if value == u64::from(expected_byte) {
            break;
        }
        if endpoint.host().peek(last_byte_address, 1) != [expected_byte] {
            verbs(endpoint).written().wait().await;
        }
    }
    let arrived_bytes = endpoint.host().peek(buffer, length);
    let pattern = poster.expected_payload(count);
    assert!(arrived_bytes[..length - 1] == pattern[..length - 1], "the bytes before the last one arrived before it");
}
