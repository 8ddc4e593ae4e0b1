//! Hostile servers of HTTP/2: every request ends, with an answer or a fault of it.

mod servers;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use servers::{
    Random, Server, damage,
    http2::{
        ACK, DATA, END_HEADERS, END_STREAM, HEADERS, PUSH_PROMISE, RST_STREAM, SETTINGS,
        STATUS_200, answer_frames, by_frames, frame, head, header,
    },
};
use svc_network::{HttpClient, HttpError, HttpFault, HttpRequest, HttpResponse, HttpTls};
use tokio::time::timeout;

const ROUNDS: usize = 400;

async fn send(client: &HttpClient, server: &Server) -> Result<HttpResponse, HttpError> {
    let tls = HttpTls { skip_verify: true, ..HttpTls::default() };
    let request = HttpRequest::new("GET", &server.url("https"), 100).unwrap().tls(tls);
    timeout(Duration::from_secs(60), Box::pin(client.send(request))).await.expect("it ends")
}

/// Answers the first request with the same bytes, and says nothing more.
async fn saying(bytes: Vec<u8>) -> Server {
    by_frames(move |mut frames, _| {
        let bytes = bytes.clone();
        async move {
            frames.settings().await?;
            frames.request().await?;
            frames.write(&bytes).await?;
            frames.end().await;
            Some(())
        }
    })
    .await
}

#[tokio::test]
async fn of_the_answer() {
    let long = header("x-a", &"a".repeat(20_000));
    let longest = header("x-a", &"a".repeat(200_000));
    let many = header("x-a", "a").repeat(200);
    let upper_case = header("X-A", "a");
    let mut lying = head(1, &header("content-length", "5"));
    lying.extend(frame(DATA, END_STREAM, 1, b"four"));
    let mut pushing = frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, 0x82]);
    pushing.extend(answer_frames(1, "answer"));
    let no_status = frame(HEADERS, END_HEADERS | END_STREAM, 1, &header("x-a", "a"));
    for (name, bytes, fault, answered) in [
        ("long", head(1, &long), HttpFault::HeadersTooLarge, false),
        ("longest", head(1, &longest), HttpFault::HeadersTooLarge, false),
        ("many", head(1, &many), HttpFault::HeadersTooLarge, true),
        ("upper case", head(1, &upper_case), HttpFault::NotHttp, false),
        ("no status", no_status, HttpFault::HeadersTooLarge, false),
        ("no HPACK", frame(HEADERS, END_HEADERS, 1, &[0xff; 9]), HttpFault::NotHttp, false),
        ("a wrong length", lying, HttpFault::NotHttp, true),
        ("a push", pushing, HttpFault::NotHttp, false),
        ("no frame", b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), HttpFault::NotHttp, false),
        ("a body first", frame(DATA, 0, 1, b"x"), HttpFault::NotHttp, false),
        ("acknowledged settings", frame(SETTINGS, ACK, 0, &[1]), HttpFault::NotHttp, false),
    ] {
        let server = saying(bytes).await;
        let error = send(&HttpClient::new(), &server).await.expect_err(name);
        assert_eq!((error.fault, error.answered), (fault, answered), "{name}: {error}");
    }
}

#[tokio::test]
async fn floods_end() {
    let empty = [head(1, &[]), frame(DATA, 0, 1, &[]).repeat(10_000)].concat();
    let first = frame(HEADERS, 0, 1, &[STATUS_200]);
    let continued = frame(servers::http2::CONTINUATION, 0, 1, &header("x-a", "a"));
    let endless_head = [first, continued.repeat(10_000)].concat();
    for (name, bytes) in [("empty frames", empty), ("CONTINUATION", endless_head)] {
        let server = saying(bytes).await;
        let error = send(&HttpClient::new(), &server).await.expect_err(name);
        assert!(
            matches!(error.fault, HttpFault::NotHttp | HttpFault::HeadersTooLarge),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn a_flood_before_an_answer_is_passed_over() {
    // `:status: 103` with many headers, which are one index each once they are in the table.
    let mut early = [&[0x08, 3][..], b"103", &[0x40, 1, b'a', 1, b'b']].concat();
    early.extend([0xbe; 400]);
    let mut bytes = frame(HEADERS, END_HEADERS, 1, &early).repeat(5_000);
    bytes.extend(frame(SETTINGS, 0, 0, &[]).repeat(5_000));
    bytes.extend(frame(servers::http2::PING, 0, 0, &[1; 8]).repeat(5_000));
    bytes.extend(answer_frames(1, "answer"));
    let server = by_frames(move |mut frames, _| {
        let bytes = bytes.clone();
        async move {
            frames.settings().await?;
            frames.request().await?;
            frames.write(&bytes).await?;
            frames.end().await;
            Some(())
        }
    })
    .await;
    assert!(send(&HttpClient::new(), &server).await.unwrap().body.equals("answer"));
}

#[tokio::test]
async fn a_damaged_answer_is_an_answer_or_a_fault_of_it() {
    let seeds = [
        answer_frames(1, "answer"),
        [
            frame(HEADERS, END_HEADERS, 1, &[&[0x08, 3][..], b"103"].concat()),
            head(1, &[header("content-length", "6"), header("x-a", "b")].concat()),
            frame(DATA, 0, 1, b"ans"),
            frame(servers::http2::PING, 0, 0, &[1; 8]),
            frame(DATA, END_STREAM, 1, b"wer"),
        ]
        .concat(),
        [head(1, &[]), frame(DATA, 0, 1, b"half"), frame(RST_STREAM, 0, 1, &[0, 0, 0, 2])].concat(),
        [frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1]), answer_frames(1, "answer")].concat(),
    ];
    let pieces: Vec<Vec<u8>> = vec![
        vec![0],
        vec![0xff],
        vec![0, 0, 0],
        frame(SETTINGS, ACK, 0, &[]),
        frame(DATA, END_STREAM, 1, b""),
        frame(servers::http2::GOAWAY, 0, 0, &[0; 8]),
        frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]),
        frame(8, 0, 0, &[0x7f, 0xff, 0xff, 0xff]),
    ];
    let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
    let said = Arc::new(Mutex::new(Vec::new()));
    let saying = Arc::clone(&said);
    let server = by_frames(move |mut frames, _| {
        let said = Arc::clone(&saying);
        async move {
            frames.settings().await?;
            frames.request().await?;
            let bytes = said.lock().unwrap().clone();
            frames.write(&bytes).await
        }
    })
    .await;
    let mut random = Random(0x5eed);
    let mut answered = 0;
    for round in 0..ROUNDS {
        let mut bytes = seeds[round % seeds.len()].clone();
        damage(&mut bytes, &pieces, &mut random);
        bytes.clone_into(&mut said.lock().unwrap());
        match send(&HttpClient::new(), &server).await {
            Ok(response) => {
                assert!((200..1000).contains(&response.status), "{bytes:?}");
                assert!(response.body.len() <= 100, "{bytes:?}");
                answered += 1;
            }
            Err(error) => assert!(
                matches!(
                    error.fault,
                    HttpFault::Closed
                        | HttpFault::NotHttp
                        | HttpFault::HeadersTooLarge
                        | HttpFault::BodyTooLarge
                ),
                "{error}: {bytes:?}"
            ),
        }
    }
    // The damage is neither always fatal nor never.
    assert!((ROUNDS / 20..ROUNDS * 9 / 10).contains(&answered), "{answered} were answers");
}
