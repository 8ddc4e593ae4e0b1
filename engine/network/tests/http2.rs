//! Many requests over one connection.

mod servers;

use std::{rc::Rc, sync::Arc, time::Duration};

use servers::{
    Authority, Server,
    http2::{
        DATA, END_STREAM, Frames, GOAWAY, HEADERS, RST_STREAM, answer, answer_frames, answering,
        by_frames, frame, head, with_http2,
    },
    ok, read_request, serve,
};
use svc_network::{BodyPart, HttpClient, HttpError, HttpFault, HttpRequest, HttpResponse, HttpTls};
use svc_secrets::SecretBytes;
use tokio::{
    io::AsyncWriteExt,
    net::TcpListener,
    sync::{Barrier, mpsc, oneshot},
    task::{JoinHandle, LocalSet, spawn_local},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

const MINUTE: Duration = Duration::from_secs(60);

fn request(method: &str, server: &Server) -> HttpRequest {
    let tls = HttpTls { skip_verify: true, ..HttpTls::default() };
    HttpRequest::new(method, &server.url("https"), 1 << 20).unwrap().tls(tls)
}

fn get(server: &Server) -> HttpRequest {
    request("GET", server)
}

async fn send(client: &HttpClient, request: HttpRequest) -> Result<HttpResponse, HttpError> {
    timeout(MINUTE, Box::pin(client.send(request))).await.expect("the request ends")
}

type Sending = JoinHandle<Result<HttpResponse, HttpError>>;

/// Sends requests at once.
fn send_all(client: &Rc<HttpClient>, count: usize, make: impl Fn() -> HttpRequest) -> Vec<Sending> {
    (0..count)
        .map(|_| {
            let (client, request) = (Rc::clone(client), make());
            spawn_local(async move { send(&client, request).await })
        })
        .collect()
}

async fn all_are_answered(sending: Vec<Sending>, body: &str) {
    for sent in sending {
        assert!(sent.await.unwrap().expect("an answer").body.equals(body));
    }
}

async fn locally(test: impl Future<Output = ()>) {
    timeout(MINUTE, LocalSet::new().run_until(test)).await.expect("the test ends");
}

/// Answers when that many requests are there at the same time.
async fn gathering(count: usize, most: u32) -> Server {
    let all = Arc::new(Barrier::new(count));
    answering(most, move |(_, respond)| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            answer(respond, "together")
        }
    })
    .await
}

#[tokio::test]
async fn two_hundred_requests_are_open_at_once_on_one_connection() {
    locally(async {
        let server = gathering(200, 250).await;
        let client = Rc::new(HttpClient::new());
        all_are_answered(send_all(&client, 200, || get(&server)), "together").await;
        assert_eq!(server.connections(), 1);
        all_are_answered(send_all(&client, 200, || get(&server)), "together").await;
        assert_eq!(server.connections(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_server_that_takes_few_at_a_time_gets_more_connections() {
    locally(async {
        let server = gathering(200, 20).await;
        let client = Rc::new(HttpClient::new());
        all_are_answered(send_all(&client, 200, || get(&server)), "together").await;
        assert_eq!(server.connections(), 10);
    })
    .await;
}

#[tokio::test]
async fn there_are_sixteen_connections_at_most() {
    locally(async {
        let server = gathering(50, 4).await;
        let client = Rc::new(HttpClient::new());
        all_are_answered(send_all(&client, 200, || get(&server)), "together").await;
        assert!((13..=16).contains(&server.connections()), "{}", server.connections());
    })
    .await;
}

#[tokio::test]
async fn a_request_arrives_as_it_was_made() {
    let (noting, mut noted) = mpsc::unbounded_channel();
    let server = answering(100, move |(request, respond)| {
        let noting = noting.clone();
        async move {
            let (head, mut body) = request.into_parts();
            let mut bytes = Vec::new();
            while let Some(part) = body.data().await {
                let part = part.ok()?;
                bytes.extend(&part);
                body.flow_control().release_capacity(part.len()).ok()?;
            }
            noting.send((head, bytes)).ok()?;
            answer(respond, "noted")
        }
    })
    .await;
    let client = HttpClient::new();
    let long = "0123456789".repeat(30_000);
    for text in ["", "x", &long] {
        let made = HttpRequest::new("PUT", &(server.url("https") + "?a=%20b#c"), 100)
            .and_then(|request| request.header("X-Vault-Request", "true"))
            .and_then(|request| {
                request.secret_header("X-Vault-Token", &SecretBytes::copy_of(b"s.token"))
            })
            .unwrap()
            .tls(HttpTls { skip_verify: true, ..HttpTls::default() })
            .body(&[BodyPart::Text(text.to_owned())]);
        assert!(send(&client, made).await.unwrap().body.equals("noted"));
        let (head, body) = noted.recv().await.unwrap();
        assert_eq!((head.method.as_str(), body), ("PUT", text.as_bytes().to_vec()));
        let uri = format!("https://127.0.0.1:{}/v1/x?a=%20b", server.port);
        assert_eq!(head.uri.to_string(), uri);
        assert_eq!(head.headers["x-vault-request"], "true");
        assert_eq!(head.headers["x-vault-token"], "s.token");
        assert_eq!(head.headers["content-length"], text.len().to_string());
        assert!(!head.headers.contains_key("host"));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_token_is_in_no_table() {
    let (noting, mut noted) = mpsc::unbounded_channel();
    let server = by_frames(move |mut frames, _| {
        let noting = noting.clone();
        async move {
            frames.settings().await?;
            loop {
                let asked = frames.next_of(HEADERS).await?;
                noting.send(asked.payload).ok()?;
                frames.write(&answer_frames(asked.stream, "answer")).await?;
            }
        }
    })
    .await;
    let client = HttpClient::new();
    // Letters that Huffman's code leaves at their length, or makes longer.
    let token = "~^}<".repeat(20);
    for _ in 0..2 {
        let token = SecretBytes::copy_of(token.as_bytes());
        send(&client, get(&server).secret_header("X-Vault-Token", &token).unwrap()).await.unwrap();
        let block = noted.recv().await.unwrap();
        assert!(block.len() > token.len(), "an index has a byte or two");
        // RFC 7541 section 6.2.3: never indexed, with its own name.
        assert!(block.contains(&0x10));
    }
}

#[tokio::test]
async fn an_answer_larger_than_the_windows_arrives() {
    let body = "x".repeat(1 << 20);
    let sent = body.clone();
    let server = answering(100, move |(_, respond)| {
        let sent = sent.clone();
        async move { answer(respond, &sent) }
    })
    .await;
    let response = send(&HttpClient::new(), get(&server)).await.unwrap();
    assert!(response.body.equals(&body));
}

/// Speaks HTTP/1.1, and offers the protocols.
async fn speaking_http1(protocols: &'static [&'static [u8]]) -> Server {
    let mut config = Authority::new().issue(&["127.0.0.1"]).server_config(None);
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    serve(move |stream, _| {
        let acceptor = acceptor.clone();
        async move {
            let mut stream = acceptor.accept(stream).await.ok()?;
            while read_request(&mut stream).await.is_some() {
                stream.write_all(&ok("HTTP/1.1")).await.ok()?;
            }
            Some(())
        }
    })
    .await
}

#[tokio::test]
async fn a_server_without_http2_is_asked_by_http1() {
    locally(async {
        let none: &[&[u8]] = &[];
        for protocols in [none, &[b"http/1.1"]] {
            let server = speaking_http1(protocols).await;
            let client = Rc::new(HttpClient::new());
            send(&client, get(&server)).await.unwrap();
            assert_eq!(server.connections(), 1);
            send(&client, get(&server)).await.unwrap();
            assert_eq!(server.connections(), 1);
            let client = Rc::new(HttpClient::new());
            all_are_answered(send_all(&client, 200, || get(&server)), "HTTP/1.1").await;
            assert!((3..=33).contains(&server.connections()), "{}", server.connections());
        }
    })
    .await;
}

#[tokio::test]
async fn where_memory_is_short_or_a_connection_is_its_own_only_http1_is_offered() {
    let server = speaking_http1(&[b"h2", b"http/1.1"]).await;
    for client in [HttpClient::with_connections(1), HttpClient::with_connections(32)] {
        assert!(send(&client, get(&server)).await.unwrap().body.equals("HTTP/1.1"));
    }
    let client = HttpClient::new();
    for connections in [3, 4] {
        let own = get(&server).own_connection();
        assert!(send(&client, own).await.unwrap().body.equals("HTTP/1.1"));
        assert_eq!(server.connections(), connections);
    }
}

#[tokio::test]
async fn all_requests_hear_why_there_is_no_connection() {
    locally(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
        drop(listener);
        let client = Rc::new(HttpClient::new());
        for sent in send_all(&client, 50, || HttpRequest::new("GET", &url, 100).unwrap()) {
            assert_eq!(sent.await.unwrap().unwrap_err().fault, HttpFault::Refused);
        }
    })
    .await;
}

#[tokio::test]
async fn others_try_themselves_where_the_first_gives_up() {
    locally(async {
        let acceptor = TlsAcceptor::from(Arc::new(with_http2(
            Authority::new().issue(&["127.0.0.1"]).server_config(None),
        )));
        let (hung, hanging) = oneshot::channel();
        let hung = Arc::new(std::sync::Mutex::new(Some(hung)));
        let server = serve(move |stream, before| {
            let (acceptor, hung) = (acceptor.clone(), Arc::clone(&hung));
            async move {
                if before == 0 {
                    hung.lock().unwrap().take().unwrap().send(()).unwrap();
                    std::future::pending::<()>().await;
                }
                let stream = acceptor.accept(stream).await.ok()?;
                let mut connection = h2::server::handshake(stream).await.ok()?;
                while let Some(Ok((_, respond))) = connection.accept().await {
                    answer(respond, "later");
                }
                Some(())
            }
        })
        .await;
        let client = Rc::new(HttpClient::new());
        let mut sending = send_all(&client, 20, || get(&server));
        hanging.await.unwrap();
        sending.remove(0).abort();
        all_are_answered(sending, "later").await;
        assert_eq!(server.connections(), 2);
    })
    .await;
}

#[tokio::test]
async fn requests_above_the_last_stream_of_goaway_are_sent_again() {
    locally(async {
        let server = by_frames(|mut frames, before| async move {
            frames.settings().await?;
            if before == 0 {
                for stream in [1, 3, 5] {
                    assert_eq!(frames.request().await?, stream);
                }
                let last = 1_u32.to_be_bytes();
                frames.write(&frame(GOAWAY, 0, 0, &[last, [0; 4]].concat())).await?;
                frames.write(&answer_frames(1, "answer")).await?;
                frames.end().await;
                return Some(());
            }
            loop {
                let stream = frames.request().await?;
                frames.write(&answer_frames(stream, "answer")).await?;
            }
        })
        .await;
        let client = Rc::new(HttpClient::new());
        let sending = send_all(&client, 3, || request("POST", &server));
        all_are_answered(sending, "answer").await;
        assert_eq!(server.connections(), 2);
    })
    .await;
}

/// Resets the first request of that many connections with a code. Others are answered.
async fn resetting(connections: usize, code: u32) -> Server {
    by_frames(move |mut frames, before| async move {
        frames.settings().await?;
        let mut may_reset = before < connections;
        loop {
            let stream = frames.request().await?;
            if may_reset {
                frames.write(&frame(RST_STREAM, 0, stream, &code.to_be_bytes())).await?;
            } else {
                frames.write(&answer_frames(stream, "answer")).await?;
            }
            may_reset = false;
        }
    })
    .await
}

const REFUSED_STREAM: u32 = 7;
const INTERNAL_ERROR: u32 = 2;

#[tokio::test]
async fn a_refused_request_is_sent_again_once() {
    let server = resetting(1, REFUSED_STREAM).await;
    let response = send(&HttpClient::new(), request("POST", &server)).await.unwrap();
    assert!(response.body.equals("answer"));
    assert_eq!(server.connections(), 2);

    let server = resetting(usize::MAX, REFUSED_STREAM).await;
    let error = send(&HttpClient::new(), get(&server)).await.unwrap_err();
    assert_eq!((error.fault, error.detail.as_str()), (HttpFault::Closed, "REFUSED_STREAM"));
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_reset_ends_one_request_alone() {
    let server = resetting(1, INTERNAL_ERROR).await;
    let client = HttpClient::new();
    let error = send(&client, get(&server)).await.unwrap_err();
    assert_eq!((error.fault, error.detail.as_str()), (HttpFault::Closed, "INTERNAL_ERROR"));
    assert!(send(&client, get(&server)).await.unwrap().body.equals("answer"));
    assert_eq!(server.connections(), 1);
}

/// Answers the first request of the first connection, hears the second one, and closes.
async fn breaking_once() -> Server {
    by_frames(|mut frames, before| async move {
        frames.settings().await?;
        for sent in 0.. {
            let stream = frames.request().await?;
            if before == 0 && sent == 1 {
                return None;
            }
            frames.write(&answer_frames(stream, "answer")).await?;
        }
        None
    })
    .await
}

#[tokio::test]
async fn a_request_on_a_kept_connection_that_breaks_is_sent_again_where_it_may_arrive_twice() {
    for (method, answered) in [("GET", true), ("PUT", true), ("POST", false), ("PATCH", false)] {
        let server = breaking_once().await;
        let client = HttpClient::new();
        send(&client, get(&server)).await.unwrap();
        let sent = send(&client, request(method, &server)).await;
        assert_eq!(sent.is_ok(), answered, "{method}");
        if let Err(error) = sent {
            assert_eq!((error.fault, error.answered), (HttpFault::Closed, false));
        }
        assert_eq!(server.connections(), if answered { 2 } else { 1 });
    }
}

#[tokio::test]
async fn a_request_on_a_new_connection_is_sent_once() {
    let server = by_frames(|mut frames, _| async move {
        frames.settings().await?;
        frames.request().await.map(drop)
    })
    .await;
    let error = send(&HttpClient::new(), get(&server)).await.unwrap_err();
    assert_eq!((error.fault, server.connections()), (HttpFault::Closed, 1));
}

#[tokio::test]
async fn a_connection_that_closed_while_it_was_kept_is_not_used() {
    let (ended, mut ending) = mpsc::unbounded_channel();
    let server = by_frames(move |mut frames, _| {
        let ended = ended.clone();
        async move {
            frames.settings().await?;
            let stream = frames.request().await?;
            frames.write(&answer_frames(stream, "answer")).await?;
            drop(frames);
            ended.send(()).ok()
        }
    })
    .await;
    let client = HttpClient::new();
    for sent in 1..=10 {
        send(&client, request("POST", &server)).await.unwrap();
        assert_eq!(server.connections(), sent);
        ending.recv().await.unwrap();
    }
}

#[tokio::test]
async fn one_request_is_sent_before_the_server_s_settings() {
    locally(async {
        let server = by_frames(|mut frames, _| async move {
            let first = frames.request().await?;
            assert_eq!(frames.ping().await?, 0, "others wait");
            frames.settings().await?;
            let mut streams = vec![first];
            for _ in 0..4 {
                streams.push(frames.request().await?);
            }
            for stream in streams {
                frames.write(&answer_frames(stream, "answer")).await?;
            }
            frames.end().await;
            Some(())
        })
        .await;
        let client = Rc::new(HttpClient::new());
        all_are_answered(send_all(&client, 5, || get(&server)), "answer").await;
        assert_eq!(server.connections(), 1);
    })
    .await;
}

/// Reports resets, and answers a request when it is told to.
async fn held(
    resets: mpsc::UnboundedSender<u32>,
    requests: mpsc::UnboundedSender<u32>,
    count: usize,
) -> Server {
    by_frames(move |mut frames: Frames, _| {
        let (resets, requests) = (resets.clone(), requests.clone());
        async move {
            frames.settings().await?;
            let mut streams = Vec::new();
            while streams.len() < count {
                streams.push(frames.request().await?);
                requests.send(streams.len().try_into().unwrap()).ok()?;
            }
            let reset = frames.next_of(RST_STREAM).await?.stream;
            resets.send(reset).ok()?;
            for stream in streams.into_iter().filter(|stream| *stream != reset) {
                frames.write(&answer_frames(stream, "answer")).await?;
            }
            frames.end().await;
            Some(())
        }
    })
    .await
}

#[tokio::test]
async fn a_dropped_request_resets_its_stream_alone() {
    for count in [1, 2, 20] {
        locally(async {
            let (resets, mut reset) = mpsc::unbounded_channel();
            let (requests, mut requested) = mpsc::unbounded_channel();
            let server = held(resets, requests, count).await;
            let client = Rc::new(HttpClient::new());
            let mut sending = send_all(&client, count, || get(&server));
            for _ in 0..count {
                requested.recv().await.unwrap();
            }
            // The first one is woken for all others.
            sending.remove(0).abort();
            assert_eq!(reset.recv().await, Some(1));
            all_are_answered(sending, "answer").await;
            assert_eq!(server.connections(), 1);
        })
        .await;
    }
}

#[tokio::test]
async fn a_connection_on_which_a_server_said_nothing_is_left() {
    let (requests, mut requested) = mpsc::unbounded_channel();
    let server = by_frames(move |mut frames, before| {
        let requests = requests.clone();
        async move {
            frames.settings().await?;
            for sent in 0.. {
                let stream = frames.request().await?;
                if before == 0 && sent == 1 {
                    requests.send(()).ok()?;
                    frames.end().await;
                    return None;
                }
                frames.write(&answer_frames(stream, "answer")).await?;
            }
            None
        }
    })
    .await;
    let client = HttpClient::new();
    send(&client, get(&server)).await.unwrap();
    tokio::select! {
        sent = Box::pin(client.send(get(&server))) => panic!("there was an answer: {sent:?}"),
        _ = requested.recv() => (),
    }
    send(&client, get(&server)).await.unwrap();
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn idle_connections_close_and_so_do_those_of_a_dropped_client() {
    let (ended, mut ending) = mpsc::unbounded_channel();
    let server = by_frames(move |mut frames, _| {
        let ended = ended.clone();
        async move {
            frames.settings().await?;
            let stream = frames.request().await?;
            frames.write(&answer_frames(stream, "answer")).await?;
            frames.end().await;
            ended.send(()).ok()
        }
    })
    .await;
    let client = HttpClient::new();
    send(&client, get(&server)).await.unwrap();
    client.close_idle();
    timeout(MINUTE, ending.recv()).await.expect("the connection closes");
    send(&client, get(&server)).await.unwrap();
    drop(client);
    timeout(MINUTE, ending.recv()).await.expect("the connection closes");
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn bodies_are_read_up_to_the_limit() {
    for (length, body, answered) in [
        (Some("10"), "0123456789", true),
        (Some("11"), "01234567890", false),
        (Some("9223372036854775807"), "0", false),
        (None, "0123456789", true),
        (None, "01234567890", false),
    ] {
        let server = by_frames(move |mut frames, _| async move {
            frames.settings().await?;
            let stream = frames.request().await?;
            let fields = length.map(|length| servers::http2::header("content-length", length));
            frames.write(&head(stream, &fields.unwrap_or_default())).await?;
            frames.write(&frame(DATA, END_STREAM, stream, body.as_bytes())).await?;
            let stream = frames.request().await?;
            frames.write(&answer_frames(stream, "next")).await?;
            frames.end().await;
            Some(())
        })
        .await;
        let client = HttpClient::new();
        let tls = HttpTls { skip_verify: true, ..HttpTls::default() };
        let few = HttpRequest::new("GET", &server.url("https"), 10).unwrap().tls(tls);
        match send(&client, few).await {
            Ok(response) => assert!(answered && response.body.equals(body), "{length:?}"),
            Err(error) => {
                assert!(!answered, "{length:?} {body}");
                assert_eq!((error.fault, error.answered), (HttpFault::BodyTooLarge, true));
            }
        }
        assert!(send(&client, get(&server)).await.unwrap().body.equals("next"));
        assert_eq!(server.connections(), 1);
    }
}

#[tokio::test]
async fn the_answer_to_head_has_no_body_and_answers_before_it_are_passed_over() {
    let server = by_frames(|mut frames, _| async move {
        frames.settings().await?;
        let stream = frames.request().await?;
        // `:status: 103`, by the name of the status in the table.
        let early = [&[0x08, 3][..], b"103"].concat();
        for _ in 0..1000 {
            frames.write(&frame(servers::http2::HEADERS, 4, stream, &early)).await?;
        }
        let mut block = vec![servers::http2::STATUS_200];
        block.extend(servers::http2::header("content-length", "10000000"));
        frames.write(&frame(servers::http2::HEADERS, 5, stream, &block)).await?;
        frames.end().await;
        Some(())
    })
    .await;
    let response = send(&HttpClient::new(), request("HEAD", &server)).await.unwrap();
    assert_eq!((response.status, response.body.len()), (200, 0));
}

#[tokio::test]
async fn a_connection_lost_in_the_middle_of_a_body_is_a_fault() {
    locally(async {
        let server = by_frames(|mut frames, _| async move {
            frames.settings().await?;
            for _ in 0..3 {
                let stream = frames.request().await?;
                frames.write(&head(stream, &[])).await?;
                frames.write(&frame(DATA, 0, stream, b"half")).await?;
            }
            None
        })
        .await;
        let client = Rc::new(HttpClient::new());
        for sent in send_all(&client, 3, || get(&server)) {
            let error = sent.await.unwrap().unwrap_err();
            assert_eq!((error.fault, error.answered), (HttpFault::Closed, true), "{error}");
        }
        assert_eq!(server.connections(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_certificate_that_the_server_wants_is_told() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let pair = authority.issue(&["127.0.0.1"]);
    let acceptor = TlsAcceptor::from(Arc::new(with_http2(pair.server_config(Some(&clients)))));
    let server = serve(move |stream, _| {
        let acceptor = acceptor.clone();
        async move { acceptor.accept(stream).await.map(drop).ok() }
    })
    .await;
    let error = send(&HttpClient::new(), get(&server)).await.unwrap_err();
    assert_eq!(error.fault, HttpFault::Handshake, "{error}");
    assert_eq!(error.detail, "alert CertificateRequired");
}

#[tokio::test]
async fn one_request_may_be_waited_for_beside_another() {
    let server = answering(100, |(_, respond)| async move { answer(respond, "answer") }).await;
    let client = HttpClient::new();
    let sending = [(); 2].map(|()| Box::pin(send(&client, get(&server))));
    let [first, second] = sending;
    let (first, second) = tokio::join!(first, second);
    assert!(first.unwrap().body.equals("answer") && second.unwrap().body.equals("answer"));
    assert_eq!(server.connections(), 1);
}
