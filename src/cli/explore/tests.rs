//! Tests of the gate, and of the server with answerers that make no runs. No test depends on durations.

use super::admission::{Gate, Refusal, Route};
use super::server::{Answerer, FutureAnswer, QUESTION_BYTES_MAX, serve_in_test};
use hyper::body::Bytes;
use hyper::{Request, StatusCode};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

fn admission(gate: &Gate, method: &str, path: &str, headers: &[(&str, &str)]) -> Result<Route, StatusCode> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, ()) = request.body(()).expect("the request is valid").into_parts();
    gate.admit(&parts).map_err(|Refusal { status, .. }| status)
}

#[test]
fn only_requests_with_host_origin_and_token_are_admitted() {
    let gate = Gate::new(8000).expect("a token can be created");
    let ask = format!("/ask?token={}", gate.token());
    let host = ("host", "127.0.0.1:8000");
    let post = |path: &str, headers: &[(&str, &str)]| admission(&gate, "POST", path, headers);
    assert_eq!(post(&ask, &[host]), Ok(Route::Answer));
    assert_eq!(post(&ask, &[host, ("origin", "http://127.0.0.1:8000")]), Ok(Route::Answer));
    assert_eq!(post("/ask", &[("host", "localhost:8000"), ("x-narrows-token", gate.token())]), Ok(Route::Answer));
    for origin in ["http://127.0.0.1:8001", "https://127.0.0.1:8000", "http://evil.example", "null"] {
        assert_eq!(post(&ask, &[host, ("origin", origin)]), Err(StatusCode::FORBIDDEN), "{origin}");
    }
    for host_name in ["evil.example", "127.0.0.1", "127.0.0.1:8001", "127.0.0.1:8000.evil.example"] {
        assert_eq!(post(&ask, &[("host", host_name)]), Err(StatusCode::FORBIDDEN), "{host_name}");
    }
    assert_eq!(post(&ask, &[]), Err(StatusCode::FORBIDDEN));
    let shortened = &ask[..ask.len() - 1];
    for path in ["/ask", "/ask?token=", shortened, &format!("{shortened}x"), &format!("{ask}0")] {
        assert_eq!(post(path, &[host]), Err(StatusCode::UNAUTHORIZED), "{path}");
    }
    assert_eq!(admission(&gate, "DELETE", &ask, &[host]), Err(StatusCode::METHOD_NOT_ALLOWED));
}

#[test]
fn files_of_a_framed_page_are_below_its_token() {
    let gate = Gate::new(8000).expect("a token can be created").with_framing(true);
    let host = ("host", "127.0.0.1:8000");
    let page_route = |name: &str| Ok(Route::Page(name.to_owned()));
    let path_below = |name: &str| format!("/{}{name}", gate.folder());
    assert_eq!(admission(&gate, "GET", &path_below(""), &[host]), page_route("index.html"));
    assert_eq!(admission(&gate, "GET", &path_below("engine.js"), &[host]), page_route("engine.js"));
    let token = ("x-narrows-token", gate.token());
    assert_eq!(admission(&gate, "POST", &path_below("ask"), &[host, token]), Ok(Route::Answer));
    for path in ["/", "/engine.js", "/0/engine.js", "//engine.js"] {
        assert_eq!(admission(&gate, "GET", path, &[host]), Err(StatusCode::UNAUTHORIZED), "{path}");
    }
    // Without frames, the path holds no token.
    let unframed = Gate::new(8000).expect("a token can be created");
    let path = format!("/{}/engine.js", unframed.token());
    assert_eq!(admission(&unframed, "GET", &path, &[host]), Err(StatusCode::UNAUTHORIZED));
}

#[test]
fn files_of_the_page_need_the_token_or_its_cookie() {
    let gate = Gate::new(8000).expect("a token can be created");
    let host = ("host", "127.0.0.1:8000");
    let cookie = gate.cookie();
    let (value, attributes) = cookie.split_once("; ").expect("the cookie has attributes");
    assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Strict"));
    let page_route = |name: &str| Ok(Route::Page(name.to_owned()));
    assert_eq!(admission(&gate, "GET", &format!("/?token={}", gate.token()), &[host]), page_route("index.html"));
    assert_eq!(
        admission(&gate, "GET", "/engine.js", &[host, ("cookie", &format!("a=b; {value}"))]),
        page_route("engine.js")
    );
    assert_eq!(admission(&gate, "GET", "/engine.js", &[host]), Err(StatusCode::UNAUTHORIZED));
    // A cookie alone does not admit a question.
    assert_eq!(admission(&gate, "POST", "/ask", &[host, ("cookie", value)]), Err(StatusCode::UNAUTHORIZED));
    assert_ne!(Gate::new(8000).expect("a token can be created").token(), gate.token());
}

/// An answerer whose answers never come: it sends 1 when a question arrives, and 0 when its answer is dropped.
struct PendingAnswerer(mpsc::UnboundedSender<u8>);

struct DropNotice(mpsc::UnboundedSender<u8>);

impl Drop for DropNotice {
    fn drop(&mut self) {
        let _ = self.0.send(0);
    }
}

impl Answerer for PendingAnswerer {
    fn answer(self: Arc<Self>, _: Bytes) -> FutureAnswer {
        let _ = self.0.send(1);
        let dropped = DropNotice(self.0.clone());
        Box::pin(async move {
            let _dropped = dropped;
            std::future::pending().await
        })
    }
}

/// An answerer that repeats the question.
struct Echo;

impl Answerer for Echo {
    fn answer(self: Arc<Self>, question: Bytes) -> FutureAnswer {
        Box::pin(async move { String::from_utf8_lossy(&question).into_owned() })
    }
}

/// Serves on a free port, and returns the port and the token.
fn serve_on_free_port<A: Answerer>(answerer: A) -> (u16, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    let port = listener.local_addr().expect("the listener has an address").port();
    let gate = Gate::new(port).expect("a token can be created");
    let token = gate.token().to_owned();
    serve_in_test(listener, gate, Arc::new(answerer));
    (port, token)
}

async fn send_request(port: u16, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("the server accepts the connection");
    stream.write_all(request.as_bytes()).await.expect("the request is sent");
    stream
}

fn question_request(port: u16, token: &str, body: &str) -> String {
    format!(
        "POST /ask?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

async fn response(mut stream: TcpStream) -> String {
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.expect("the response can be read");
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test]
async fn client_that_goes_away_stops_its_run() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let (port, token) = serve_on_free_port(PendingAnswerer(sender));
    let stream = send_request(port, &question_request(port, &token, "{}")).await;
    assert_eq!(events.recv().await, Some(1));
    drop(stream);
    assert_eq!(events.recv().await, Some(0));
}

#[tokio::test]
async fn answers_and_pages_have_the_security_headers() {
    let (port, token) = serve_on_free_port(Echo);
    let answer = response(send_request(port, &question_request(port, &token, "{\"ask\":\"about\"}")).await).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("{\"ask\":\"about\"}"), "{answer}");
    let page = format!("GET /?token={token} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    let page = response(send_request(port, &page).await).await;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("set-cookie: narrows-"), "{page}");
    for text in [&answer, &page] {
        assert!(text.contains("content-security-policy: default-src 'none'; script-src 'self';"), "{text}");
        assert!(text.contains("referrer-policy: no-referrer") && text.contains("nosniff"), "{text}");
        assert!(!text.contains("unsafe-inline") && !text.contains("access-control-allow-origin"), "{text}");
    }
    let foreign_request = "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    assert!(response(send_request(port, foreign_request).await).await.starts_with("HTTP/1.1 403"));
}

#[tokio::test]
async fn question_that_is_too_long_is_refused() {
    let (port, token) = serve_on_free_port(Echo);
    let length = format!("Content-Length: {}", QUESTION_BYTES_MAX + 1);
    let long_request = question_request(port, &token, "").replace("Content-Length: 0", &length);
    assert!(response(send_request(port, &long_request).await).await.starts_with("HTTP/1.1 413"));
}
