//! The client with one thread and few descriptors. Alone in its process: it counts both.

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    process::{Child, Command, Stdio},
    rc::Rc,
    time::Duration,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use svc_network::{HttpClient, HttpError, HttpFault, HttpRequest};
use tokio::{runtime, task::LocalSet, time::timeout};

const DESCRIPTORS: u64 = 16;

fn main() {
    if env::args().nth(1).as_deref() == Some("serve") {
        serve();
    } else {
        run(all_requests_are_answered());
        println!("small_limits: 1 test passed");
    }
}

fn run(test: impl Future<Output = ()>) {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, test);
}

async fn all_requests_are_answered() {
    let server = Server::start();
    let port = server.port;
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: Some(DESCRIPTORS), maximum }).unwrap();
    let client = Rc::new(HttpClient::new());
    let sending: Vec<_> = (0..200)
        .map(|index| {
            // Two origins, so that connections of the one stand in the way of the other.
            let host = ["127.0.0.1", "localhost"][index % 2];
            let client = Rc::clone(&client);
            tokio::task::spawn_local(async move { client.send(get(host, port)).await })
        })
        .collect();
    for sent in sending {
        let response = sent.await.unwrap().expect("an answer");
        assert!(response.body.equals("answer"));
    }
    // The resolver starts no thread either.
    let _ = timeout(Duration::from_millis(50), client.send(get("absent.invalid", port))).await;
    client.close_idle();
    let threads = fs::read_dir("/proc/self/task").unwrap().count();
    assert_eq!(threads, 1, "a thread was started");
    without_any_descriptor(&client, port).await;
}

async fn without_any_descriptor(client: &HttpClient, port: u16) {
    let mut taken = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        taken.push(file);
    }
    let HttpError { fault, detail, .. } = client.send(get("127.0.0.1", port)).await.unwrap_err();
    assert_eq!(fault, HttpFault::Unreachable);
    assert_eq!(detail, "Too many open files (os error 24)");
}

fn get(host: &str, port: u16) -> HttpRequest {
    HttpRequest::new("GET", &format!("http://{host}:{port}/"), 100).unwrap()
}

/// A separate process: it has threads, and more descriptors.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        let mut process = command.arg("serve").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, port: line.trim().parse().unwrap() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while stream.read(&mut bytes).is_ok_and(|count| count > 0) {
                std::thread::sleep(Duration::from_millis(1));
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nanswer";
                if stream.write_all(answer).is_err() {
                    break;
                }
            }
        });
    }
}
