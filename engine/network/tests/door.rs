//! The server, by raw sockets.

mod servers;

use std::{
    cell::{Cell, RefCell},
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    rc::Rc,
    time::Duration,
};

use servers::{Authority, Pair};
use svc_network::{
    Answer, Answering, Client, Door, DoorError, DoorLimits, DoorOptions, DoorTls, Doorkeeper,
    Entry, HttpClient, HttpError, HttpRequest, HttpResponse, HttpTls, Refusal, RequestHead,
    Service,
};
use svc_secrets::SecretBytes;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    sync::Notify,
    task::{LocalSet, spawn_local},
    time::{sleep, timeout},
};

/// Answers `/head` from the head, and everything else with what was asked.
#[derive(Default)]
struct Echo {
    held: Rc<Notify>,
    gone: Rc<Cell<usize>>,
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

fn text(status: u16, body: &str) -> Answer {
    let headers = vec![("X-Echo".to_owned(), "yes".to_owned())];
    Answer { status, content_type: "text/plain".into(), body: body.into(), headers, on_gone: None }
}

/// Lets a few in; then the oldest that is not being answered goes.
struct Few {
    most: usize,
    inside: RefCell<Vec<(u64, bool)>>,
    addresses: RefCell<Vec<IpAddr>>,
}

impl Few {
    fn new(most: usize) -> Self {
        Self { most, inside: RefCell::default(), addresses: RefCell::default() }
    }
}

impl Doorkeeper for Few {
    fn enter(&self, visit: u64, address: IpAddr) -> Entry {
        let mut inside = self.inside.borrow_mut();
        self.addresses.borrow_mut().push(address);
        let mut entry = Entry::In;
        if inside.len() == self.most {
            let Some(oldest) = inside.iter().position(|(_, is_answering)| !is_answering) else {
                return Entry::Refused;
            };
            entry = Entry::InFor(inside.remove(oldest).0);
        }
        inside.push((visit, false));
        entry
    }

    fn answering(&self, visit: u64, is_answering: bool) {
        let mut inside = self.inside.borrow_mut();
        inside.iter_mut().find(|(number, _)| *number == visit).unwrap().1 = is_answering;
    }

    fn leave(&self, visit: u64) {
        let mut inside = self.inside.borrow_mut();
        let at = inside.iter().position(|(number, _)| *number == visit);
        inside.remove(at.expect("who leaves is inside"));
    }
}

/// A door that stands open, and what it was opened with.
struct Stage {
    door: Rc<Door>,
    keeper: Rc<Few>,
    held: Rc<Notify>,
    gone: Rc<Cell<usize>>,
    port: u16,
}

fn open(host: &str, tls: Option<&DoorTls>, most: usize) -> Stage {
    let echo = Echo::default();
    let (held, gone) = (Rc::clone(&echo.held), Rc::clone(&echo.gone));
    let limits = DoorLimits {
        request: Duration::from_millis(500),
        linger: Duration::from_millis(500),
        ..DoorLimits::default()
    };
    let keeper = Rc::new(Few::new(most));
    let options = DoorOptions { host, port: 0, tls, limits };
    let door = Rc::new(Door::open(&options, Rc::new(echo), keeper.clone()).unwrap());
    let running = Rc::clone(&door);
    spawn_local(async move { running.run().await });
    let port = door.address().port();
    Stage { door, keeper, held, gone, port }
}

async fn with_door(most: usize, test: impl AsyncFnOnce(Stage)) {
    LocalSet::new().run_until(async { test(open("127.0.0.1", None, most)).await }).await;
}

async fn connect(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).await.unwrap()
}

/// A connection that the kernel has handed over, because something was said.
async fn talking(port: u16) -> TcpStream {
    let mut stream = connect(port).await;
    stream.write_all(b"G").await.unwrap();
    stream
}

/// All that comes until the end.
async fn read_all(stream: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    let reading = timeout(Duration::from_secs(5), stream.read_to_end(&mut bytes));
    reading.await.expect("the connection ends")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

async fn send(port: u16, request: &[u8]) -> String {
    let mut stream = connect(port).await;
    stream.write_all(request).await.unwrap();
    read_all(&mut stream).await.unwrap()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

async fn until(condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(5), waiting).await.expect("the condition comes true");
}

#[tokio::test]
async fn a_request_is_answered_and_the_connection_closed() {
    with_door(9, async |Stage { port, .. }| {
        let request = b"POST /v1/token?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\ntoken";
        let answer = send(port, request).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, "POST /v1/token token");
        let mut lines: Vec<_> = head.split("\r\n").collect();
        assert_eq!(lines.remove(0), "HTTP/1.1 200 OK");
        lines.retain(|line| !line.starts_with("date: "));
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                "cache-control: no-store",
                "connection: close",
                "content-length: 20",
                "content-type: text/plain",
                "x-content-type-options: nosniff",
                "x-echo: yes",
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn the_answer_to_head_has_its_length_and_no_body() {
    with_door(9, async |Stage { port, .. }| {
        let answer = send(port, b"HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert!(
            answer.contains("content-length: 8\r\n") && answer.ends_with("\r\n\r\n"),
            "{answer}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_request_that_could_be_taken_two_ways_is_refused() {
    let long = format!("GET / HTTP/1.1\r\nHost: a\r\nA: {}\r\n\r\n", "a".repeat(9000));
    let target = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(9000));
    let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "A: b\r\n".repeat(64));
    with_door(9, async |Stage { port, .. }| {
        for (request, expected) in [
            ("GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "200"),
            ("GET http://a/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "200"),
            ("GET /x HTTP/1.0\r\n\r\n", "200"),
            ("GET /x HTTP/1.1\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nA : c\r\n\r\n", "400"),
            ("GET /x HTTP/3.0\r\nHost: a\r\n\r\n", "400"),
            ("GET /x y HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
            // hyper closes it without a word.
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ""),
            ("nonsense\r\n\r\n", "400"),
            ("\x16\x03\x01\x02\0\x01\0\x01\u{7f}\r\n\r\n", "400"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "400"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na", "400"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na", "400"),
            (
                "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
                "400",
            ),
            ("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "411"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "400"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 8193\r\n\r\n", "413"),
            (&long, "431"),
            (&target, "431"),
            (&many, "431"),
        ] {
            let answer = send(port, request.as_bytes()).await;
            let start = request.get(..60).unwrap_or(request);
            assert_eq!(status(&answer), expected, "{start:?}: {answer:?}");
            let is_old = answer.starts_with("HTTP/1.0");
            assert!(
                is_old || answer.is_empty() || answer.contains("connection: close\r\n"),
                "{start:?}: {answer:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_length_beside_an_encoding_is_refused_in_every_order() {
    with_door(9, async |Stage { port, .. }| {
        for framing in [
            "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 3",
        ] {
            let request = format!("POST /x HTTP/1.1\r\nHost: a\r\n{framing}\r\n\r\n0\r\n\r\n");
            let answer = send(port, request.as_bytes()).await;
            assert!(["400", "411"].contains(&status(&answer)), "{answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_second_request_is_not_answered() {
    with_door(9, async |Stage { port, .. }| {
        let answer = send(port, &b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2)).await;
        assert_eq!(answer.matches("HTTP/1.1 200").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_request_may_come_byte_by_byte_from_a_client_that_then_closes_its_side() {
    with_door(9, async |Stage { port, gone, .. }| {
        let mut stream = connect(port).await;
        for byte in b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" {
            stream.write_all(&[*byte]).await.unwrap();
            tokio::task::yield_now().await;
        }
        stream.shutdown().await.unwrap();
        assert!(read_all(&mut stream).await.unwrap().ends_with("POST /x ab"));
        until(|| gone.get() == 1).await;
    })
    .await;
}

#[tokio::test]
async fn the_answer_is_not_lost_to_a_client_that_still_sends() {
    with_door(9, async |Stage { port, .. }| {
        for _ in 0..20 {
            let mut stream = connect(port).await;
            let head = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
            stream.write_all(head).await.unwrap();
            for _ in 0..10 {
                stream.write_all(&[b'x'; 10_000]).await.unwrap();
                sleep(Duration::from_millis(1)).await;
            }
            stream.shutdown().await.unwrap();
            assert_eq!(status(&read_all(&mut stream).await.unwrap()), "413");
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_is_told_to_continue_only_where_its_body_is_wanted() {
    with_door(9, async |Stage { port, .. }| {
        let head = "HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
        let mut stream = connect(port).await;
        stream.write_all(format!("POST /x {head}").as_bytes()).await.unwrap();
        let mut first = [0; 25];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(b"ab").await.unwrap();
        assert!(read_all(&mut stream).await.unwrap().ends_with("POST /x ab"));
        assert_eq!(status(&send(port, format!("POST /head {head}").as_bytes()).await), "200");
    })
    .await;
}

#[tokio::test]
async fn a_client_that_does_not_go_on_is_sent_away() {
    with_door(9, async |Stage { port, keeper, .. }| {
        for part in [
            "G",
            "GET /x HTTP/1.1\r\n",
            "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na",
        ] {
            let mut stream = connect(port).await;
            stream.write_all(part.as_bytes()).await.unwrap();
            let error = read_all(&mut stream).await.expect_err("a reset");
            assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        }
        // This one stays after its answer.
        let mut stream = connect(port).await;
        stream.write_all(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        read_all(&mut stream).await.unwrap();
        until(|| keeper.inside.borrow().is_empty()).await;
    })
    .await;
}

#[tokio::test]
async fn the_doorkeeper_decides_who_goes() {
    with_door(2, async |Stage { port, keeper, held, .. }| {
        let mut answered = connect(port).await;
        answered.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| keeper.inside.borrow().iter().any(|(_, is_answering)| *is_answering)).await;
        let mut silent = talking(port).await;
        until(|| keeper.inside.borrow().len() == 2).await;
        assert_eq!(status(&send(port, b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await), "200");
        assert!(read_all(&mut silent).await.is_err(), "the silent one goes");
        held.notify_one();
        assert!(read_all(&mut answered).await.unwrap().ends_with("GET /hold "));
        assert_eq!(keeper.addresses.borrow()[0], IpAddr::V4(Ipv4Addr::LOCALHOST));
        drop(answered);
        until(|| keeper.inside.borrow().is_empty()).await;
    })
    .await;
}

#[tokio::test]
async fn where_all_are_being_answered_a_new_one_is_refused() {
    with_door(1, async |Stage { port, keeper, held, .. }| {
        let mut answered = connect(port).await;
        answered.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| keeper.inside.borrow().iter().any(|(_, is_answering)| *is_answering)).await;
        let mut refused = talking(port).await;
        assert!(read_all(&mut refused).await.unwrap_or_default().is_empty());
        held.notify_one();
        assert!(read_all(&mut answered).await.unwrap().ends_with("GET /hold "));
    })
    .await;
}

#[tokio::test]
async fn a_client_that_resets_is_forgotten_at_once() {
    with_door(9, async |Stage { port, keeper, held, .. }| {
        let strong = Rc::strong_count(&held);
        let mut stream = connect(port).await;
        stream.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| keeper.inside.borrow().iter().any(|(_, is_answering)| *is_answering)).await;
        rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
        drop(stream);
        until(|| keeper.inside.borrow().is_empty()).await;
        assert_eq!(Rc::strong_count(&held), strong, "the answer is not looked for any more");
    })
    .await;
}

#[tokio::test]
async fn a_closed_door_lets_nobody_in_and_answers_who_is_inside() {
    with_door(9, async |Stage { door, port, keeper, held, .. }| {
        let mut inside = connect(port).await;
        inside.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| !keeper.inside.borrow().is_empty()).await;
        door.close();
        let refused = TcpStream::connect(("127.0.0.1", port)).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        held.notify_one();
        assert!(read_all(&mut inside).await.unwrap().ends_with("GET /hold "));
    })
    .await;
}

#[tokio::test]
async fn a_stopped_door_closes_everything() {
    with_door(9, async |Stage { door, port, keeper, .. }| {
        let mut inside = connect(port).await;
        inside.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| !keeper.inside.borrow().is_empty()).await;
        door.stop();
        assert!(read_all(&mut inside).await.is_err());
        until(|| keeper.inside.borrow().is_empty()).await;
    })
    .await;
}

#[tokio::test]
async fn without_a_host_it_stands_at_every_address() {
    let local = LocalSet::new();
    local
        .run_until(async {
            let Stage { port, keeper, .. } = open("", None, 9);
            for address in ["127.0.0.1", "127.0.0.2", "::1"] {
                let address = SocketAddr::new(address.parse().unwrap(), port);
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
                assert_eq!(status(&read_all(&mut stream).await.unwrap()), "200");
            }
            assert!(keeper.addresses.borrow()[0].is_ipv4());
        })
        .await;
}

#[tokio::test]
async fn no_other_process_can_listen_at_its_port() {
    with_door(9, async |Stage { port, .. }| {
        let options =
            DoorOptions { host: "127.0.0.1", port, tls: None, limits: DoorLimits::default() };
        let second = Door::open(&options, Rc::new(Echo::default()), Rc::new(Few::new(1)));
        match second.err() {
            Some(DoorError::Listen(error)) => assert_eq!(error.kind(), io::ErrorKind::AddrInUse),
            other => panic!("{other:?}"),
        }
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseport(true).unwrap();
        socket.set_reuseaddr(true).unwrap();
        let bound = socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let taken = bound.and_then(|()| socket.listen(1)).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
    })
    .await;
}

#[tokio::test]
async fn whatever_bytes_come_it_goes_on() {
    with_door(9, async |Stage { port, .. }| {
        let seed = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
        for round in 0..600 {
            let mut bytes = seed.to_vec();
            let at = round * 7 % bytes.len();
            match round % 3 {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = u8::try_from(round % 256).unwrap(),
                _ => bytes.insert(at, b"\r\n\0: ,x9\xff"[round % 9]),
            }
            let mut stream = connect(port).await;
            stream.write_all(&bytes).await.unwrap();
            stream.shutdown().await.unwrap();
            let answer = read_all(&mut stream).await.unwrap_or_default();
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 "), "{answer:?}");
        }
        assert_eq!(status(&send(port, b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await), "200");
    })
    .await;
}

fn door_tls(pair: &Pair, client_ca: Option<&Authority>) -> DoorTls {
    DoorTls {
        certificate: pair.certificate.clone(),
        key: SecretBytes::copy_of(pair.key.as_bytes()),
        client_ca: client_ca.map(Authority::pem),
    }
}

async fn ask(
    port: u16,
    authority: &Authority,
    client: Option<&Pair>,
) -> Result<HttpResponse, HttpError> {
    let tls = HttpTls {
        ca: Some(vec![authority.pem()]),
        cert: client.map(|pair| pair.certificate.clone()),
        key: client.map(|pair| SecretBytes::copy_of(pair.key.as_bytes())),
        ..HttpTls::default()
    };
    let request = HttpRequest::new("GET", &format!("https://127.0.0.1:{port}/head"), 100).unwrap();
    HttpClient::new().send(request.tls(tls)).await
}

#[tokio::test]
async fn every_client_is_let_in_and_a_verified_one_has_its_name() {
    let (authority, other) = (Authority::new(), Authority::new());
    let named = |authority: &Authority, name: Option<&str>| {
        authority.issue_with(&[], |parameters| {
            parameters.distinguished_name = rcgen::DistinguishedName::new();
            if let Some(name) = name {
                parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
            }
        })
    };
    let server = authority.issue(&["127.0.0.1"]);
    let verified = named(&authority, Some("prometheus"));
    let nameless = named(&authority, None);
    let foreign = named(&other, Some("prometheus"));
    let local = LocalSet::new();
    local
        .run_until(async {
            let asking = open("127.0.0.1", Some(&door_tls(&server, Some(&authority))), 9);
            let silent = open("127.0.0.1", Some(&door_tls(&server, None)), 9);
            for (stage, client, expected) in [
                (&asking, Some(&verified), "Some(\"prometheus\")"),
                (&asking, Some(&nameless), "Some(\"\")"),
                (&asking, Some(&foreign), "None"),
                (&asking, None, "None"),
                (&silent, Some(&verified), "None"),
            ] {
                let answer = ask(stage.port, &authority, client).await.unwrap();
                assert_eq!(answer.body.open(&[]).as_deref(), Some(expected));
            }
        })
        .await;
}

#[tokio::test]
async fn another_certificate_is_taken_on_the_same_port() {
    let (authority, other) = (Authority::new(), Authority::new());
    let local = LocalSet::new();
    local
        .run_until(async {
            let first = door_tls(&authority.issue(&["127.0.0.1"]), None);
            let second = door_tls(&other.issue(&["127.0.0.1"]), None);
            let Stage { door, port, .. } = open("127.0.0.1", Some(&first), 9);
            ask(port, &authority, None).await.unwrap();
            door.change_tls(&second).unwrap();
            ask(port, &authority, None).await.unwrap_err();
            ask(port, &other, None).await.unwrap();
            let mixed = DoorTls { key: first.key.clone(), ..second.clone() };
            let empty = DoorTls { certificate: String::new(), ..second.clone() };
            let no_ca = DoorTls { client_ca: Some(String::new()), ..second.clone() };
            for unusable in [mixed, empty, no_ca] {
                assert!(matches!(door.change_tls(&unusable), Err(DoorError::UnusableMaterial)));
                ask(port, &other, None).await.unwrap();
            }
        })
        .await;
}

#[tokio::test]
async fn a_client_that_speaks_http_to_tls_is_dropped() {
    let authority = Authority::new();
    let local = LocalSet::new();
    local
        .run_until(async {
            let tls = door_tls(&authority.issue(&["127.0.0.1"]), None);
            let Stage { port, keeper, .. } = open("127.0.0.1", Some(&tls), 9);
            let mut stream = connect(port).await;
            stream.write_all(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
            let answer = read_all(&mut stream).await.unwrap_or_default();
            assert!(!answer.contains("HTTP"), "{answer}");
            until(|| keeper.inside.borrow().is_empty()).await;
        })
        .await;
}
