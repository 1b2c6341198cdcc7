//! The boundary between a page and the simulator: a question in, an answer out, both JSON text in UTF-8.
//!
//! A page calls `take` for memory, writes a question into it, and calls `ask`; the answer is then at `answer`, with
//! `answer_length` bytes, until the next question. A panic traps; the instance must then be discarded.

use narrows_web::AnswerEngine;
use std::cell::RefCell;

thread_local! {
    static ENGINE: AnswerEngine = engine();
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the engine of the explorer's module.
#[cfg(not(feature = "studies"))]
fn engine() -> AnswerEngine {
    AnswerEngine::shipped()
}

/// Returns the engine of the module of studies.
#[cfg(feature = "studies")]
fn engine() -> AnswerEngine {
    AnswerEngine::for_studies()
}

/// Returns memory for a question of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn take(length: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; length].into_boxed_slice()).cast()
}

/// Answers the question in the memory at `pointer`, and frees this memory.
///
/// # Safety
///
/// `pointer` is the result of `take(length)` and was not used in another call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ask(pointer: *mut u8, length: usize) {
    // SAFETY: by the contract of this function, `take` allocated these bytes as a boxed slice of this length.
    let question = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) };
    let answer = ENGINE.with(|engine| engine.answer(&question));
    ANSWER.set(answer);
}

/// Returns the memory of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Returns the number of bytes of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    ANSWER.with_borrow(String::len)
}
