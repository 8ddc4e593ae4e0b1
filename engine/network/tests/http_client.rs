//! Requests and answers, on servers of loopback.

mod servers;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use servers::{always, noting, ok, once, read_request, say, serve};
use svc_network::{BodyPart, HttpClient, HttpFault, HttpRequest, HttpResponse};
use svc_secrets::SecretBytes;
use tokio::{io::AsyncWriteExt, sync::oneshot, task::LocalSet, time::timeout};

fn secret(text: &str) -> SecretBytes {
    SecretBytes::copy_of(text.as_bytes())
}

fn header<'a>(response: &'a HttpResponse, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

#[tokio::test]
async fn a_request_arrives_as_it_was_made() {
    let (server, noted) = noting().await;
    let request = HttpRequest::new("PUT", &(server.url("http") + "?a=%20b#c"), 100)
        .and_then(|request| request.header("X-Vault-Request", "true"))
        .and_then(|request| request.secret_header("X-Vault-Token", &secret("s.token")))
        .unwrap()
        .body(&[
            BodyPart::Text("{\"jwt\":\"".to_owned()),
            BodyPart::JsonSecret(secret("a\"b\\c\n")),
            BodyPart::Text("\"}".to_owned()),
        ]);
    let response = HttpClient::new().send(request).await.unwrap();
    assert_eq!((response.status, response.body.equals("noted")), (200, true));
    let request = noted.lock().unwrap().pop().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<_> = head.split("\r\n").collect();
    assert_eq!(lines.remove(0), "PUT /v1/x?a=%20b HTTP/1.1");
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "content-length: 19",
            &format!("host: 127.0.0.1:{}", server.port),
            "x-vault-request: true",
            "x-vault-token: s.token",
        ]
    );
    assert_eq!(body, "{\"jwt\":\"a\\\"b\\\\c\\n\"}");
}

#[tokio::test]
async fn a_long_body_arrives() {
    let (server, noted) = noting().await;
    let text = "0123456789".repeat(30_000);
    let request = HttpRequest::new("POST", &server.url("http"), 100).unwrap();
    let request = request.body(&[BodyPart::Text(text.clone())]);
    HttpClient::new().send(request).await.unwrap();
    assert!(noted.lock().unwrap()[0].ends_with(&text));
}

#[tokio::test]
async fn answers_of_every_framing_are_read() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (answer, status, body) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned(), 200, "hello"),
        ("HTTP/1.1 204 No Content\r\n\r\n".to_owned(), 204, ""),
        ("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n".to_owned(), 404, ""),
        ("HTTP/1.1 503 Sealed\r\n\r\nuntil the end".to_owned(), 503, "until the end"),
        ("HTTP/1.0 200 OK\r\n\r\nold".to_owned(), 200, "old"),
        (format!("{chunked}3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"), 200, "abc0123456789"),
        (format!("{chunked}3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"), 200, "abc"),
        (
            "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                .to_owned(),
            200,
            "ok",
        ),
        // Neither followed nor unpacked.
        ("HTTP/1.1 307 \r\nLocation: /y\r\nContent-Length: 0\r\n\r\n".to_owned(), 307, ""),
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1fab"
                .to_owned(),
            200,
            "\x1fab",
        ),
    ] {
        let server = once(answer.clone()).await;
        let response = HttpClient::new().send(server.get()).await;
        let response = response.unwrap_or_else(|error| panic!("{answer:?}: {error}"));
        assert_eq!(response.status, status);
        assert!(response.body.equals(body), "{answer:?}");
        assert_eq!(server.connections(), 1);
    }
}

#[tokio::test]
async fn the_answer_to_head_has_no_body() {
    let server = always("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n").await;
    let client = HttpClient::new();
    for _ in 0..2 {
        let request = HttpRequest::new("HEAD", &server.url("http"), 10).unwrap();
        let response = client.send(request).await.unwrap();
        assert!(response.body.is_empty());
        assert_eq!(header(&response, "content-length"), Some("1000"));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn headers_come_by_lower_case_name() {
    let answer = "HTTP/1.1 200 OK\r\nX-A: 1\r\nRetry-After:  7 \r\nx-a: 2\r\nX-B: \u{e4}\r\n\
                  Content-Length: 0\r\n\r\n";
    let answer: Vec<u8> = answer.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let server = once(answer).await;
    let response = HttpClient::new().send(server.get()).await.unwrap();
    assert_eq!(header(&response, "x-a"), Some("1, 2"));
    assert_eq!(header(&response, "retry-after"), Some("7"));
    assert_eq!(header(&response, "x-b"), Some("ä"));
    assert_eq!(header(&response, "X-A"), None);
}

#[tokio::test]
async fn connections_are_kept_but_for_requests_with_one_of_their_own() {
    let server = always(ok("answer")).await;
    let client = HttpClient::new();
    for _ in 0..5 {
        client.send(server.get()).await.unwrap();
    }
    assert_eq!(server.connections(), 1);
    client.send(server.get().own_connection()).await.unwrap();
    assert_eq!(server.connections(), 2);
    client.send(server.get()).await.unwrap();
    assert_eq!(server.connections(), 2);
    client.close_idle();
    client.send(server.get()).await.unwrap();
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn a_server_that_closes_after_each_answer_gets_a_connection_for_each() {
    let server = always("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").await;
    let client = HttpClient::new();
    for _ in 0..3 {
        client.send(server.get()).await.unwrap();
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn five_hundred_requests_go_over_sixteen_connections() {
    let inside = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (now, peak) = (Arc::clone(&inside), Arc::clone(&most));
    let server = serve(move |mut stream, _| {
        let (now, peak) = (Arc::clone(&now), Arc::clone(&peak));
        async move {
            loop {
                read_request(&mut stream).await?;
                peak.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(2)).await;
                now.fetch_sub(1, Ordering::Relaxed);
                stream.write_all(&ok("one of many")).await.ok()?;
            }
        }
    })
    .await;
    let client = std::rc::Rc::new(HttpClient::new());
    let local = LocalSet::new();
    let sending: Vec<_> = (0..500)
        .map(|_| {
            let (client, request) = (std::rc::Rc::clone(&client), server.get());
            local.spawn_local(async move { client.send(request).await.unwrap().body.len() })
        })
        .collect();
    local.await;
    for sent in sending {
        assert_eq!(sent.await.unwrap(), 11);
    }
    assert_eq!(server.connections(), 32);
    assert_eq!(most.load(Ordering::Relaxed), 32);
}

#[tokio::test]
async fn bodies_are_read_up_to_the_limit() {
    for (answer, answered) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n0", false),
        ("HTTP/1.1 200 OK\r\n\r\n0123456789", true),
        ("HTTP/1.1 200 OK\r\n\r\n01234567890", false),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
             6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n",
            true,
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
             6\r\n012345\r\n5\r\n67890\r\n0\r\n\r\n",
            false,
        ),
    ] {
        let server = once(answer).await;
        let request = HttpRequest::new("GET", &server.url("http"), 10).unwrap();
        match HttpClient::new().send(request).await {
            Ok(response) => assert!(answered && response.body.equals("0123456789"), "{answer:?}"),
            Err(error) => {
                assert!(!answered, "{answer:?}");
                assert_eq!((error.fault, error.answered), (HttpFault::BodyTooLarge, true));
            }
        }
    }
}

#[tokio::test]
async fn a_dropped_request_closes_its_connection() {
    let (heard, hearing) = oneshot::channel();
    let (ended, ending) = oneshot::channel();
    let channels = std::sync::Mutex::new(Some((heard, ended)));
    let server = serve(move |mut stream, _| {
        let (heard, ended) = channels.lock().unwrap().take().unwrap();
        async move {
            read_request(&mut stream).await?;
            heard.send(()).unwrap();
            say(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").await;
            ended.send(()).ok()
        }
    })
    .await;
    let client = HttpClient::new();
    let request = server.get();
    let sending = async {
        tokio::select! {
            response = client.send(request) => panic!("there was an answer: {response:?}"),
            () = async { hearing.await.unwrap() } => (),
        }
    };
    sending.await;
    timeout(Duration::from_secs(5), ending).await.expect("the connection closes").unwrap();
}

#[tokio::test]
async fn a_connection_that_closed_while_it_was_kept_is_not_used() {
    let server = once(ok("answer")).await;
    let client = HttpClient::new();
    for sent in 1..=20 {
        let request = HttpRequest::new("POST", &server.url("http"), 100).unwrap();
        client.send(request).await.unwrap();
        assert_eq!(server.connections(), sent);
        // The server's task ends, and with it the connection.
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Answers the first request of the first connection. The second one there it hears, says `last`,
/// and closes. Other connections get answers.
async fn breaking_once(last: &'static str) -> servers::Server {
    serve(move |mut stream, before| async move {
        for sent in 0.. {
            read_request(&mut stream).await?;
            if before == 0 && sent == 1 {
                return stream.write_all(last.as_bytes()).await.ok();
            }
            stream.write_all(&ok("answer")).await.ok()?;
        }
        None
    })
    .await
}

#[tokio::test]
async fn a_request_on_a_kept_connection_that_breaks_is_sent_again_where_it_may_arrive_twice() {
    for (method, last, answered) in [
        ("GET", "", true),
        ("PUT", "", true),
        ("POST", "", false),
        ("PATCH", "", false),
        ("GET", "H", false),
        ("GET", "HTTP/1.1 200 OK\r\n", false),
    ] {
        let server = breaking_once(last).await;
        let client = HttpClient::new();
        client.send(server.get()).await.unwrap();
        let request = HttpRequest::new(method, &server.url("http"), 100).unwrap();
        match client.send(request).await {
            Ok(_) => assert!(answered, "{method} {last:?}"),
            Err(error) => {
                assert!(!answered, "{method} {last:?}");
                assert_eq!((error.fault, error.answered), (HttpFault::Closed, false));
            }
        }
        assert_eq!(server.connections(), if answered { 2 } else { 1 });
    }
}

#[tokio::test]
async fn a_request_on_a_new_connection_is_sent_once() {
    let server =
        serve(|mut stream, _| async move { read_request(&mut stream).await.map(drop) }).await;
    let error = HttpClient::new().send(server.get()).await.unwrap_err();
    assert_eq!((error.fault, server.connections()), (HttpFault::Closed, 1));
}
