//! The stream to the agent, on HTTP/2 servers of loopback and of a unix socket.

mod servers;

use std::{path::PathBuf, rc::Rc, sync::Arc, time::Duration};

use bytes::Bytes;
use h2::{
    Reason, RecvStream,
    server::{self, SendResponse},
};
use http::{HeaderMap, HeaderValue, Request, Response};
use prost::Message;
use servers::{Authority, always, ok};
use svc_network::{
    HttpTls,
    agent::{
        AgentStream, AgentTarget,
        messages::{
            Hello, Refused, RegistrationRequest, RegistrationResponse, Welcome,
            registration_request, registration_response,
        },
        open_agent_stream,
    },
};
use svc_secrets::SecretBytes;
use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, UnixListener},
    task::{LocalSet, spawn_local},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

type Respond = SendResponse<Bytes>;

/// Serves one stream, and goes on moving its connection.
async fn serve_stream<Io, Talk>(io: Io, talk: Talk)
where
    Io: AsyncRead + AsyncWrite + Unpin + 'static,
    Talk: AsyncFnOnce(Request<RecvStream>, Respond) + 'static,
{
    let mut connection = server::handshake(io).await.unwrap();
    let Some(Ok((request, respond))) = connection.accept().await else { return };
    let talking = spawn_local(async move { talk(request, respond).await });
    while let Some(Ok(_)) = connection.accept().await {}
    let _ = talking.await;
}

/// An agent at a socket; the directory goes when it is dropped.
fn at_socket(talk: impl AsyncFnOnce(Request<RecvStream>, Respond) + 'static) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    spawn_local(async move {
        let (stream, _) = listener.accept().await.unwrap();
        serve_stream(stream, talk).await;
    });
    (directory, path)
}

async fn locally(test: impl Future<Output = ()>) {
    let running = LocalSet::new();
    let limited = timeout(Duration::from_secs(10), running.run_until(test));
    limited.await.expect("the test ends");
}

fn framed(message: &impl Message) -> Bytes {
    let encoded = message.encode_to_vec();
    let length = u32::try_from(encoded.len()).unwrap().to_be_bytes();
    Bytes::from([&[0][..], &length, &encoded].concat())
}

fn hello(pod: &str) -> RegistrationRequest {
    let hello = Hello { pod_name: pod.to_owned(), ..Hello::default() };
    RegistrationRequest { message: Some(registration_request::Message::Hello(hello)) }
}

fn welcome(version: &str) -> RegistrationResponse {
    let welcome = Welcome { agent_version: version.to_owned(), ..Welcome::default() };
    RegistrationResponse { message: Some(registration_response::Message::Welcome(welcome)) }
}

fn trailers(status: &'static str, message: &'static str) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static(status));
    trailers.insert("grpc-message", HeaderValue::from_static(message));
    trailers
}

/// The next message, without its frame.
async fn heard(body: &mut RecvStream) -> RegistrationRequest {
    let bytes = body.data().await.expect("a message").unwrap();
    body.flow_control().release_capacity(bytes.len()).unwrap();
    RegistrationRequest::decode(&bytes[5..]).unwrap()
}

async fn reason_of(target: AgentTarget) -> String {
    match open_agent_stream(target).await {
        Err(end) => end.reason,
        Ok((_sender, mut stream)) => end_of(&mut stream).await,
    }
}

async fn end_of(stream: &mut AgentStream) -> String {
    loop {
        if let Err(end) = stream.next().await {
            return end.reason;
        }
    }
}

#[tokio::test]
async fn messages_go_both_ways_over_a_socket() {
    locally(async {
        let (_directory, path) = at_socket(async |request, mut respond| {
            assert_eq!(request.uri().path(), "/svc.agent.v1.AgentService/Registration");
            assert_eq!(request.headers()["content-type"], "application/grpc+proto");
            assert_eq!(request.headers()["te"], "trailers");
            assert!(!request.headers().contains_key("authorization"));
            let mut body = request.into_body();
            let mut answer = respond.send_response(Response::new(()), false).unwrap();
            for index in 0..100 {
                assert_eq!(heard(&mut body).await, hello(&format!("pod {index}")));
                // Two messages in one piece, and one in two.
                let [one, two] = [welcome("one"), welcome("two")].map(|message| framed(&message));
                answer.send_data([one, two.clone()].concat().into(), false).unwrap();
                answer.send_data(two.slice(..3), false).unwrap();
                answer.send_data(two.slice(3..), false).unwrap();
            }
            answer.send_trailers(trailers("0", "")).unwrap();
        });
        let (sender, mut stream) = open_agent_stream(AgentTarget::Socket(path)).await.unwrap();
        for index in 0..100 {
            // While the stream is being listened to.
            let sending = sender.clone();
            spawn_local(async move { sending.send(&hello(&format!("pod {index}"))) });
            for version in ["one", "two", "two"] {
                assert_eq!(stream.next().await, Ok(welcome(version)));
            }
        }
        assert_eq!(end_of(&mut stream).await, "the agent has ended the stream");
    })
    .await;
}

#[tokio::test]
async fn what_was_said_before_the_end_is_heard() {
    locally(async {
        let (_directory, path) = at_socket(async |_, mut respond| {
            let refused = Refused { message: "no".to_owned(), ..Refused::default() };
            let message = Some(registration_response::Message::Refused(refused));
            let mut answer = respond.send_response(Response::new(()), false).unwrap();
            answer.send_data(framed(&RegistrationResponse { message }), false).unwrap();
            answer.send_trailers(trailers("7", "not%20a%20descendant: %C3%A4")).unwrap();
        });
        let (_sender, mut stream) = open_agent_stream(AgentTarget::Socket(path)).await.unwrap();
        let first = stream.next().await.unwrap();
        assert!(matches!(first.message, Some(registration_response::Message::Refused(_))));
        assert_eq!(end_of(&mut stream).await, "gRPC status 7: not a descendant: ä");
    })
    .await;
}

#[tokio::test]
async fn every_end_has_its_reason() {
    let answered = |status: u16, headers: HeaderMap| {
        let mut response = Response::new(());
        *response.status_mut() = status.try_into().unwrap();
        *response.headers_mut() = headers;
        response
    };
    locally(async {
        let (_directory, path) = at_socket(async move |_, mut respond| {
            respond.send_response(answered(503, HeaderMap::new()), true).unwrap();
        });
        assert_eq!(reason_of(AgentTarget::Socket(path)).await, "HTTP status 503");
        let (_directory, path) = at_socket(async move |_, mut respond| {
            respond.send_response(answered(200, trailers("16", "who?")), true).unwrap();
        });
        assert_eq!(reason_of(AgentTarget::Socket(path)).await, "gRPC status 16: who?");
        let (_directory, path) = at_socket(async |_, mut respond| {
            respond.send_response(Response::new(()), true).unwrap();
        });
        assert_eq!(reason_of(AgentTarget::Socket(path)).await, "the stream was closed");
        let (_directory, path) =
            at_socket(async |_, mut respond| respond.send_reset(Reason::REFUSED_STREAM));
        assert_eq!(
            reason_of(AgentTarget::Socket(path)).await,
            "the stream was closed: REFUSED_STREAM"
        );
        for bytes in [&[1, 0, 0, 0, 0][..], &[0, 0xff, 0, 0, 0]] {
            let (_directory, path) = at_socket(async move |_, mut respond| {
                let mut answer = respond.send_response(Response::new(()), false).unwrap();
                answer.send_data(Bytes::copy_from_slice(bytes), false).unwrap();
                std::future::pending::<()>().await;
            });
            assert_eq!(
                reason_of(AgentTarget::Socket(path)).await,
                "read an answer: it is compressed, or too long"
            );
        }
        let (_directory, path) = at_socket(async |_, mut respond| {
            let mut answer = respond.send_response(Response::new(()), false).unwrap();
            answer.send_data(Bytes::from_static(&[0, 0, 0, 0, 1, 0xff]), false).unwrap();
            std::future::pending::<()>().await;
        });
        assert_eq!(
            reason_of(AgentTarget::Socket(path)).await,
            "read an answer: it is not a message of the agent"
        );
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_is_not_there_or_goes_is_told() {
    locally(async {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agent.sock");
        let reason = reason_of(AgentTarget::Socket(path.clone())).await;
        assert_eq!(reason, format!("there is no {}", path.display()));

        let listener = UnixListener::bind(&path).unwrap();
        spawn_local(async move {
            for words in ["", "HTTP/1.1 400 Bad Request\r\n\r\n"] {
                let (mut stream, _) = listener.accept().await.unwrap();
                stream.write_all(words.as_bytes()).await.unwrap();
            }
        });
        assert_eq!(reason_of(AgentTarget::Socket(path.clone())).await, "the connection was closed");
        let reason = reason_of(AgentTarget::Socket(path.clone())).await;
        assert!(reason.starts_with("the "), "{reason}");
        let reason = reason_of(AgentTarget::Socket(path)).await;
        assert_eq!(reason, "connect: Connection refused (os error 111)");
    })
    .await;
}

#[tokio::test]
async fn a_dropped_stream_closes_its_connection() {
    locally(async {
        let ended = Rc::new(tokio::sync::Notify::new());
        let told = Rc::clone(&ended);
        let (_directory, path) = at_socket(async move |request, mut respond| {
            let _answer = respond.send_response(Response::new(()), false).unwrap();
            let mut body = request.into_body();
            while let Some(Ok(_)) = body.data().await {}
            told.notify_one();
        });
        let (sender, mut stream) = open_agent_stream(AgentTarget::Socket(path)).await.unwrap();
        let waiting = timeout(Duration::from_millis(50), stream.next()).await;
        assert!(waiting.is_err(), "nothing was said");
        drop(stream);
        ended.notified().await;
        // Into the void.
        sender.send(&hello("late"));
    })
    .await;
}

fn over_tcp(authority: String, ca: &Authority, bearer: &str) -> AgentTarget {
    let tls = HttpTls { ca: Some(vec![ca.pem()]), ..HttpTls::default() };
    AgentTarget::Tcp { authority, tls, bearer: Some(SecretBytes::copy_of(bearer.as_bytes())) }
}

/// Answers each stream with the token that came with it; the port.
async fn over_tls(authority: &Authority, protocol: &[u8]) -> u16 {
    let mut config = authority.issue(&["127.0.0.1"]).server_config(None);
    config.alpn_protocols = vec![protocol.to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    spawn_local(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            spawn_local(serve_stream(stream, async |request, mut respond| {
                let token = request.headers().get("authorization");
                let token = token.map_or("none", |token| token.to_str().unwrap());
                let mut answer = respond.send_response(Response::new(()), false).unwrap();
                answer.send_data(framed(&welcome(token)), false).unwrap();
                answer.send_trailers(trailers("0", "")).unwrap();
            }));
        }
    });
    port
}

#[tokio::test]
async fn over_tls_a_token_is_sent_that_can_be_a_header() {
    locally(async {
        let authority = Authority::new();
        let port = over_tls(&authority, b"h2").await;
        for (token, expected) in [
            ("jwt", "Bearer jwt"),
            (" jwt\n", "Bearer jwt"),
            ("", "none"),
            ("a b", "none"),
            ("a\r\nb: c", "none"),
        ] {
            let target = over_tcp(format!("127.0.0.1:{port}"), &authority, token);
            let (_sender, mut stream) = open_agent_stream(target).await.unwrap();
            assert_eq!(stream.next().await, Ok(welcome(expected)), "{token:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn over_tls_the_server_is_verified_and_must_speak_http2() {
    let test = async {
        let (authority, other) = (Authority::new(), Authority::new());
        let port = over_tls(&authority, b"h2").await;
        let at = |port: u16| format!("127.0.0.1:{port}");
        let reason = reason_of(over_tcp(at(port), &other, "jwt")).await;
        assert_eq!(reason, "connect: unknown authority");
        let old = over_tls(&authority, b"http/1.1").await;
        let reason = reason_of(over_tcp(at(old), &authority, "jwt")).await;
        assert!(reason.starts_with("connect: handshake"), "{reason}");
        let silent = servers::tls_server(authority.issue(&["127.0.0.1"]).server_config(None)).await;
        let reason = reason_of(over_tcp(at(silent.port), &authority, "jwt")).await;
        assert_eq!(reason, "connect: no HTTP/2 is spoken there");
        let plain = always(ok("plain")).await;
        let free = plain.port;
        drop(plain);
        tokio::task::yield_now().await;
        let reason = reason_of(over_tcp(at(free), &authority, "jwt")).await;
        assert!(reason.starts_with("connect: refused"), "{reason}");
        for address in ["", "127.0.0.1", "a b:1", "127.0.0.1:x"] {
            let reason = reason_of(over_tcp(address.to_owned(), &authority, "jwt")).await;
            assert_eq!(reason, "the agent's address cannot be read", "{address:?}");
        }
    };
    locally(Box::pin(test)).await;
}
