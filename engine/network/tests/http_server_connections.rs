//! The clients that a server lets in and sends away, by raw sockets.

mod stage;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    rc::Rc,
    time::Duration,
};

use stage::{
    Echo, Stage, connect, open, read_all, send, standing_at, status, talking, until, with_server,
};
use svc_network::{HttpServer, HttpServerError};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpSocket, TcpStream},
    task::LocalSet,
};

#[tokio::test]
async fn a_client_that_does_not_go_on_is_sent_away() {
    with_server(9, async |Stage { server, port, .. }| {
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
        until(|| server.connections() == 0).await;
    })
    .await;
}

#[tokio::test]
async fn the_admission_decides_who_goes() {
    with_server(2, async |Stage { server, port, held, .. }| {
        let mut answered = connect(port).await;
        answered.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| server.answering() > 0).await;
        let mut silent = talking(port).await;
        until(|| server.connections() == 2).await;
        assert_eq!(status(&send(port, b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await), "200");
        assert!(read_all(&mut silent).await.is_err(), "the silent one goes");
        held.notify_one();
        assert!(read_all(&mut answered).await.unwrap().ends_with("GET /hold "));
        drop(answered);
        until(|| server.connections() == 0).await;
    })
    .await;
}

#[tokio::test]
async fn where_all_are_being_answered_a_new_one_is_refused() {
    with_server(1, async |Stage { server, port, held, .. }| {
        let mut answered = connect(port).await;
        answered.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| server.answering() > 0).await;
        let mut refused = talking(port).await;
        assert!(read_all(&mut refused).await.unwrap_or_default().is_empty());
        held.notify_one();
        assert!(read_all(&mut answered).await.unwrap().ends_with("GET /hold "));
    })
    .await;
}

#[tokio::test]
async fn a_client_that_resets_is_forgotten_at_once() {
    with_server(9, async |Stage { server, port, held, .. }| {
        let strong = Rc::strong_count(&held);
        let mut stream = connect(port).await;
        stream.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| server.answering() > 0).await;
        rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
        drop(stream);
        until(|| server.connections() == 0).await;
        assert_eq!(Rc::strong_count(&held), strong, "the answer is not looked for any more");
    })
    .await;
}

#[tokio::test]
async fn a_closed_server_lets_no_client_in_and_answers_those_inside() {
    with_server(9, async |Stage { server, port, held, .. }| {
        let mut inside = connect(port).await;
        inside.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| server.connections() > 0).await;
        server.close();
        let refused = TcpStream::connect(("127.0.0.1", port)).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        held.notify_one();
        assert!(read_all(&mut inside).await.unwrap().ends_with("GET /hold "));
    })
    .await;
}

#[tokio::test]
async fn a_stopped_server_closes_everything() {
    with_server(9, async |Stage { server, port, .. }| {
        let mut inside = connect(port).await;
        inside.write_all(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        until(|| server.connections() > 0).await;
        server.stop();
        assert!(read_all(&mut inside).await.is_err());
        until(|| server.connections() == 0).await;
    })
    .await;
}

#[tokio::test]
async fn without_a_host_it_stands_at_every_address() {
    let local = LocalSet::new();
    local
        .run_until(async {
            let Stage { port, .. } = open("", None, 9);
            for address in ["127.0.0.1", "127.0.0.2", "::1"] {
                let address = SocketAddr::new(address.parse().unwrap(), port);
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
                assert_eq!(status(&read_all(&mut stream).await.unwrap()), "200");
            }
        })
        .await;
}

#[tokio::test]
async fn no_other_process_can_listen_at_its_port() {
    with_server(9, async |Stage { port, .. }| {
        let options = standing_at("127.0.0.1", port);
        let second = HttpServer::open(&options, Rc::new(Echo::default()));
        match second.err() {
            Some(HttpServerError::Listen(error)) => {
                assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
            }
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
