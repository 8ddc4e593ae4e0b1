//! Damaged answers: with any bytes, the request ends, with an answer or a fault of it.

mod servers;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use servers::{Random, damage, read_request, serve};
use svc_network::{HttpClient, HttpFault, HttpRequest};
use tokio::{io::AsyncWriteExt, time::timeout};

const ROUNDS: usize = 4000;
const SEEDS: [&str; 6] = [
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
     Content-Length: 13\r\n\r\n{\"data\":null}",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
     5\r\nabcde\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\r\nsealed",
    "HTTP/1.0 404 Not Found\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\n\
     Content-Length: 2\r\n\r\nno",
    "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nConnection: close\r\n\r\nuntil the end",
];
const PIECES: [&[u8]; 18] = [
    b"\r\n",
    b"\r",
    b"\n",
    b"\r\n\r\n",
    b":",
    b" ",
    b"\0",
    b"\xff",
    b"0",
    b"9999999999",
    b"-1",
    b"HTTP/1.1 ",
    b"HTTP/2.0 ",
    b"Content-Length: 3\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Connection: upgrade\r\n",
    b"Upgrade: x\r\n",
    b",",
];

#[tokio::test]
async fn a_damaged_answer_is_an_answer_or_a_fault_of_it() {
    let answer = Arc::new(Mutex::new(Vec::new()));
    let said = Arc::clone(&answer);
    let server = serve(move |mut stream, _| {
        let said = Arc::clone(&said);
        async move {
            read_request(&mut stream).await?;
            let bytes = said.lock().unwrap().clone();
            stream.write_all(&bytes).await.ok()
        }
    })
    .await;
    let client = HttpClient::new();
    let mut random = Random(0x5eed);
    let mut answered = 0;
    for round in 0..ROUNDS {
        let mut bytes = SEEDS[round % SEEDS.len()].as_bytes().to_vec();
        (0..=random.below(3)).for_each(|_| damage(&mut bytes, &PIECES, &mut random));
        bytes.clone_into(&mut answer.lock().unwrap());
        let request = HttpRequest::new("GET", &server.url("http"), 100).unwrap().own_connection();
        let sent = timeout(Duration::from_secs(5), client.send(request)).await;
        let shown = String::from_utf8_lossy(&bytes);
        match sent.unwrap_or_else(|_| panic!("no end: {shown:?}")) {
            Ok(response) => {
                assert!((200..1000).contains(&response.status), "{shown:?}");
                assert!(response.body.len() <= 100, "{shown:?}");
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
                "{error}: {shown:?}"
            ),
        }
    }
    // The damage is neither always fatal nor never.
    assert!((ROUNDS / 10..ROUNDS * 9 / 10).contains(&answered), "{answered} were answers");
}
