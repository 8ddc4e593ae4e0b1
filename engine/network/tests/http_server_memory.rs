//! The memory of a server after a crowd. Alone in its process: it looks at all of the process's
//! memory.

mod stage;

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use stage::{Stage, open, until};
use tokio::{runtime, task::LocalSet};

const VISITS: usize = 250;

fn main() {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, a_crowd_leaves_no_memory_behind());
    println!("http_server_memory: 1 test passed");
}

async fn a_crowd_leaves_no_memory_behind() {
    let Stage { server, port, .. } = open("127.0.0.1", None, VISITS);
    let before = anonymous_kib();
    let mut clients = Vec::new();
    for _ in 0..VISITS {
        let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        client.write_all(format!("GET / HTTP/1.1\r\nA: {}", "a".repeat(8000)).as_bytes()).unwrap();
        clients.push(client);
    }
    until(|| server.connections() == VISITS).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let crowded = anonymous_kib();
    // Each is sent away when its time is over.
    until(|| server.connections() == 0).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let after = anonymous_kib();
    for mut client in clients {
        assert!(client.read(&mut [0]).is_err(), "a reset");
    }
    assert!(crowded - before > 2000, "{before} KiB became {crowded}: the crowd used too little");
    assert!(after - before < 500, "{before} KiB became {crowded}, and then {after}");
}

fn anonymous_kib() -> i64 {
    let status = fs::read_to_string("/proc/self/status").expect("read /proc/self/status");
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).expect("the line");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
}
