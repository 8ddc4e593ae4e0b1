//! A server that stands open, and clients of raw bytes.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::{cell::Cell, io, rc::Rc, time::Duration};

use svc_network::{
    Answer, Answering, Client, HttpServer, HttpServerLimits, HttpServerOptions, HttpServerTls,
    Refusal, RequestHead, Service,
};
use svc_secrets::SecretBytes;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::Notify,
    task::{LocalSet, spawn_local},
    time::{sleep, timeout},
};

/// Answers `/head` from the head, and everything else with the request.
#[derive(Default)]
pub struct Echo {
    pub held: Rc<Notify>,
    pub gone: Rc<Cell<usize>>,
}

impl Service for Echo {
    fn answer_head(&self, head: &RequestHead, client: &Client) -> Option<Answer> {
        (head.path == "/head").then(|| text(200, &format!("{:?}", client.certificate_name)))
    }

    fn answer_body(&self, head: RequestHead, body: SecretBytes, _: Client) -> Answering {
        let body = body.open(&[]).unwrap_or_default();
        let (release, gone) = (Rc::clone(&self.held), Rc::clone(&self.gone));
        Box::pin(async move {
            if head.path == "/hold" {
                release.notified().await;
            }
            let mut answer = text(200, &format!("{} {} {body}", head.method, head.path));
            answer.on_gone = Some(Box::new(move || gone.set(gone.get() + 1)));
            answer
        })
    }

    fn refuse(&self, refusal: &Refusal) -> Answer {
        text(refusal.status, refusal.code)
    }
}

pub fn text(status: u16, body: &str) -> Answer {
    let headers = vec![("X-Echo".to_owned(), "yes".to_owned())];
    Answer { status, content_type: "text/plain".into(), body: body.into(), headers, on_gone: None }
}

/// A server that stands open, and the hands of its test.
pub struct Stage {
    pub server: Rc<HttpServer>,
    pub held: Rc<Notify>,
    pub gone: Rc<Cell<usize>>,
    pub port: u16,
}

pub fn open(host: &str, tls: Option<&HttpServerTls>, most: usize) -> Stage {
    let echo = Echo::default();
    let (held, gone) = (Rc::clone(&echo.held), Rc::clone(&echo.gone));
    let limits = HttpServerLimits {
        request: Duration::from_millis(500),
        linger: Duration::from_millis(500),
        ..HttpServerLimits::default()
    };
    let options = HttpServerOptions {
        limits,
        takes_secrets: true,
        most_connections: most,
        tls,
        ..standing_at(host, 0)
    };
    let server = Rc::new(HttpServer::open(&options, Rc::new(echo)).unwrap());
    let running = Rc::clone(&server);
    spawn_local(async move { running.run().await });
    let port = server.address().port();
    Stage { server, held, gone, port }
}

/// A server without TLS.
pub fn standing_at(host: &str, port: u16) -> HttpServerOptions<'_> {
    HttpServerOptions {
        host,
        port,
        tls: None,
        limits: HttpServerLimits::default(),
        takes_secrets: false,
        most_connections: 9,
        spared: &[],
    }
}

pub async fn with_server(most: usize, test: impl AsyncFnOnce(Stage)) {
    LocalSet::new().run_until(async { test(open("127.0.0.1", None, most)).await }).await;
}

pub async fn connect(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).await.unwrap()
}

/// A connection that the kernel has handed over, because something was said.
pub async fn talking(port: u16) -> TcpStream {
    let mut stream = connect(port).await;
    stream.write_all(b"G").await.unwrap();
    stream
}

/// All that comes until the end.
pub async fn read_all(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    let reading = timeout(Duration::from_secs(5), stream.read_to_end(&mut bytes));
    reading.await.expect("the connection ends")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub async fn send(port: u16, request: &[u8]) -> String {
    let mut stream = connect(port).await;
    stream.write_all(request).await.unwrap();
    read_all(&mut stream).await.unwrap()
}

pub fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

pub async fn until(condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(5), waiting).await.expect("the condition comes true");
}
