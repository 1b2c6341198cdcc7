//! The admission of requests. A page of another site may send requests to the loopback address, but knows neither the
//! token nor a way to send the right `Host` and `Origin`.

use super::super::exit::Failure;
use hyper::header::{COOKIE, HOST, HeaderName, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use narrows_core::text::Problem;

/// The header with the token.
pub const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-narrows-token");

/// The check of requests. It admits requests to `port` that have `token`.
pub struct Gate {
    port: u16,
    token: String,
    is_framed: bool,
}

/// The target of an admitted request.
#[derive(PartialEq, Eq, Debug)]
pub enum Route {
    /// The answer to the question in its body.
    Answer,
    /// A file of the page, by its name.
    Page(String),
}

/// The refusal of a request.
#[derive(PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Status of the response.
    pub status: StatusCode,
    /// Reason, for the reader of the response.
    pub reason: &'static str,
}

const fn refuse<T>(status: StatusCode, reason: &'static str) -> Result<T, Refusal> {
    Err(Refusal { status, reason })
}

impl Gate {
    /// Returns the gate of a port with a token of 128 random bits.
    pub fn new(port: u16) -> Result<Gate, Failure> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| Problem::new(format!("there is no random token: {error}")))?;
        Ok(Gate { port, is_framed: false, token: bytes.iter().map(|byte| format!("{byte:02x}")).collect() })
    }

    /// Returns the gate of a page that other pages may frame if `is_framed`. Browsers send no cookies to a page in a
    /// frame of another site, so the path of every file begins with the token.
    pub fn with_framing(self, is_framed: bool) -> Gate {
        Gate { is_framed, ..self }
    }

    /// Returns whether other pages may frame the page.
    pub fn is_framed(&self) -> bool {
        self.is_framed
    }

    /// Returns the folder of the page's files, with `/` at its end; empty for the root.
    pub fn folder(&self) -> String {
        if self.is_framed { format!("{}/", self.token) } else { String::new() }
    }

    /// Returns the token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the cookie with which the files of the page are loaded after the page itself. Its name contains the
    /// port, because cookies of an address are shared by all its ports.
    pub fn cookie(&self) -> String {
        format!("narrows-{}={}; HttpOnly; SameSite=Strict; Path=/", self.port, self.token)
    }

    /// Admits a request, or returns the reason for its refusal.
    pub fn admit(&self, request: &Parts) -> Result<Route, Refusal> {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let header = |name: &HeaderName| request.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        if !header(&HOST).is_some_and(|host| hosts.iter().any(|allowed_host| allowed_host == host)) {
            return refuse(
                StatusCode::FORBIDDEN,
                "the `Host` header must be 127.0.0.1 or localhost with the port of this server",
            );
        }
        let is_local_origin = |origin: &str| hosts.iter().any(|host| origin.strip_prefix("http://") == Some(host));
        if header(&ORIGIN).is_some_and(|origin| !is_local_origin(origin)) {
            return refuse(StatusCode::FORBIDDEN, "requests from pages of other sites are refused");
        }
        let path = request.uri.path();
        let below_token =
            path[1.min(path.len())..].split_once('/').filter(|(token, _)| self.is_framed && self.is_token(token));
        let path = below_token.map_or(path, |(token, _)| &path[1 + token.len()..]);
        match (&request.method, path) {
            (&Method::POST, "/ask") if self.has_token(request) => Ok(Route::Answer),
            (&Method::GET | &Method::HEAD, _)
                if below_token.is_some() || self.has_token(request) || self.has_cookie(request) =>
            {
                Ok(Route::Page(if path == "/" { "index.html" } else { path.trim_start_matches('/') }.to_owned()))
            }
            (&Method::POST, "/ask") | (&Method::GET | &Method::HEAD, _) => {
                refuse(StatusCode::UNAUTHORIZED, "open the address that `narrows explore` printed: it contains a token")
            }
            _ => refuse(StatusCode::METHOD_NOT_ALLOWED, "there is no such request"),
        }
    }

    /// Returns whether the request has the token in its address or in its header.
    fn has_token(&self, request: &Parts) -> bool {
        let header_token = request.headers.get(TOKEN_HEADER).and_then(|value| value.to_str().ok());
        let query_parameters = request.uri.query().into_iter().flat_map(|query| query.split('&'));
        let address_token = query_parameters.filter_map(|parameter| parameter.strip_prefix("token=")).next();
        header_token.or(address_token).is_some_and(|token| self.is_token(token))
    }

    fn has_cookie(&self, request: &Parts) -> bool {
        let name = format!("narrows-{}=", self.port);
        let cookies = request.headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        cookies
            .flat_map(|list| list.split("; "))
            .any(|cookie| cookie.strip_prefix(&name).is_some_and(|token| self.is_token(token)))
    }

    /// Compares a token in a time that does not depend on where it differs.
    fn is_token(&self, token: &str) -> bool {
        let differences =
            token.bytes().zip(self.token.bytes()).fold(0, |bits, (given, expected)| bits | (given ^ expected));
        token.len() == self.token.len() && differences == 0
    }
}
