//! The server: its connections, requests and responses.

use super::admission::{Gate, Refusal, Route};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, header};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The largest number of bytes of a question.
pub const QUESTION_BYTES_MAX: usize = 2 << 20;

/// The largest number of connections at a time.
const CONNECTIONS_MAX: usize = 64;

/// The longest time until the header of a request has arrived, and the longest time from then until its question has.
const REQUEST_TIME: Duration = Duration::from_secs(30);

/// A future answer.
pub type FutureAnswer = Pin<Box<dyn Future<Output = String> + Send>>;

/// A source of answers. A future answer that is dropped, because its client went away, stops its run.
pub trait Answerer: Send + Sync + 'static {
    /// Answers a question.
    fn answer(self: Arc<Self>, question: Bytes) -> FutureAnswer;
}

/// The state that all connections share.
struct Service<A> {
    gate: Gate,
    answerer: Arc<A>,
}

/// The content security policy of every response: scripts come from the page's own files alone.
macro_rules! policy {
    () => {
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         worker-src 'self' blob:; base-uri 'none'; form-action 'none'"
    };
}
const POLICY: &str = policy!();
/// The same policy, under which no other page may frame the page either.
const UNFRAMED_POLICY: &str = concat!(policy!(), "; frame-ancestors 'none'");

/// The other headers of every response.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Serves requests until the process ends.
pub fn serve<A: Answerer>(listener: TcpListener, gate: Gate, answerer: Arc<A>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    // One thread: runs are made by other processes, which the system ends with the thread that started them.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(accept(listener, Arc::new(Service { gate, answerer })))
}

async fn accept<A: Answerer>(listener: TcpListener, service: Arc<Service<A>>) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let permit = connections.clone().acquire_owned().await.expect("the semaphore is never closed");
        // A connection that was closed before it was accepted does not end the server.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let service = service.clone();
        tokio::spawn(async move {
            let respond = service_fn(move |request| service.clone().respond(request));
            let mut server = http1::Builder::new();
            let server = server.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIME);
            // The client sees that the connection is closed.
            let _ = server.serve_connection(TokioIo::new(stream), respond).await;
            drop(permit);
        });
    }
}

impl<A: Answerer> Service<A> {
    async fn respond(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let (parts, body) = request.into_parts();
        let response = match self.gate.admit(&parts) {
            Ok(Route::Answer) => self.answer(body).await,
            Ok(Route::Page(name)) => self.page(&name, &parts),
            Err(refusal) => refusal_response(&refusal),
        };
        Ok(self.with_policy(response))
    }

    /// Adds the content security policy.
    fn with_policy(&self, mut response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
        let policy = if self.gate.is_framed() { POLICY } else { UNFRAMED_POLICY };
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        response
    }

    async fn answer(&self, body: Incoming) -> Response<Full<Bytes>> {
        let too_long = Refusal { status: StatusCode::PAYLOAD_TOO_LARGE, reason: "the question is too long" };
        if body.size_hint().lower() > QUESTION_BYTES_MAX as u64 {
            return refusal_response(&too_long);
        }
        let question = Limited::new(body, QUESTION_BYTES_MAX).collect();
        match tokio::time::timeout(REQUEST_TIME, question).await {
            Ok(Ok(question)) => {
                let answer = self.answerer.clone().answer(question.to_bytes()).await;
                response(StatusCode::OK, "application/json", answer.into())
            }
            Ok(Err(_)) => refusal_response(&too_long),
            Err(_) => refusal_response(&Refusal {
                status: StatusCode::REQUEST_TIMEOUT,
                reason: "the question did not arrive",
            }),
        }
    }

    fn page(&self, name: &str, request: &Parts) -> Response<Full<Bytes>> {
        let Some((media_type, content)) = narrows_web::page::server_file(name) else {
            return refusal_response(&Refusal { status: StatusCode::NOT_FOUND, reason: "the page has no such file" });
        };
        let mut response = response(StatusCode::OK, media_type, content.into());
        if request.uri.query().is_some() && name.ends_with(".html") {
            let cookie = HeaderValue::from_str(&self.gate.cookie()).expect("the token is hexadecimal");
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

fn refusal_response(refusal: &Refusal) -> Response<Full<Bytes>> {
    response(refusal.status, "text/plain; charset=utf-8", Bytes::from(format!("{}\n", refusal.reason)))
}

fn response(status: StatusCode, media_type: &'static str, content: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(content));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

#[cfg(test)]
pub use tests_support::serve_in_test;

#[cfg(test)]
mod tests_support {
    use super::*;

    /// Serves requests in a task of a test's runtime.
    pub fn serve_in_test<A: Answerer>(listener: TcpListener, gate: Gate, answerer: Arc<A>) {
        listener.set_nonblocking(true).expect("the socket can be set to non-blocking");
        tokio::spawn(accept(listener, Arc::new(Service { gate, answerer })));
    }
}
