//! The server's requests and answers, by raw sockets.

mod stage;

use std::time::Duration;

use stage::{Stage, connect, read_all, send, status, until, with_server};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::sleep,
};

#[tokio::test]
async fn a_request_is_answered_and_the_connection_closed() {
    with_server(9, async |Stage { port, .. }| {
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
    with_server(9, async |Stage { port, .. }| {
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
    with_server(9, async |Stage { port, .. }| {
        for (request, expected) in [
            ("GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "200"),
            ("GET http://a/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "200"),
            ("GET /x HTTP/1.0\r\n\r\n", "200"),
            ("GET /x HTTP/1.1\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nA : c\r\n\r\n", "400"),
            ("GET /x HTTP/3.0\r\nHost: a\r\n\r\n", "505"),
            ("GET /x y HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
            ("GET /x HTTP/1.2\r\nHost: a\r\n\r\n", "505"),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"),
            ("GET /x HTTP/1.1\nHost: a\n\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\rb\r\n\r\n", "400"),
            ("GET /x HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n", "400"),
            ("GET /x\r\n\r\n", "400"),
            ("nonsense\r\n\r\n", "400"),
            ("\x16\x03\x01\x02\0\x01\0\x01\u{7f}\r\n\r\n", "400"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "400"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na", "400"),
            ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na", "400"),
            (
                "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
                "400",
            ),
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
            assert!(answer.contains("connection: close\r\n"), "{start:?}: {answer:?}");
            // Every refusal is the service's.
            assert!(answer.contains("x-echo: yes\r\n"), "{start:?}: {answer:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_length_beside_an_encoding_is_refused_in_every_order() {
    with_server(9, async |Stage { port, .. }| {
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
    with_server(9, async |Stage { port, .. }| {
        let answer = send(port, &b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2)).await;
        assert_eq!(answer.matches("HTTP/1.1 200").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_request_may_come_byte_by_byte_from_a_client_that_then_closes_its_side() {
    with_server(9, async |Stage { port, gone, .. }| {
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
    with_server(9, async |Stage { port, .. }| {
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
    with_server(9, async |Stage { port, .. }| {
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
async fn whatever_bytes_come_it_goes_on() {
    with_server(9, async |Stage { port, .. }| {
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
