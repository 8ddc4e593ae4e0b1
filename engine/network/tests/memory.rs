//! Where secrets are left in this process once they were sent and received. Alone in its process:
//! it searches all of the process's memory.

mod servers;

use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader},
    os::unix::fs::FileExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use servers::{Authority, Pair, ok, read_request};
use svc_network::{BodyPart, HttpClient, HttpRequest, HttpTls};
use svc_secrets::{SecretBytes, WipingAllocator};
use tokio::{io::AsyncWriteExt, runtime};

#[global_allocator]
static ALLOCATOR: WipingAllocator = WipingAllocator;

fn main() {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if let Some(directory) = env::args().nth(1) {
        runtime.block_on(serve(Path::new(&directory)));
    } else {
        runtime.block_on(nothing_is_left_of_requests_and_answers());
        println!("memory: 1 test passed");
    }
}

async fn nothing_is_left_of_requests_and_answers() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let Pair { certificate, key } = authority.issue(&["127.0.0.1"]);
    fs::write(directory.path().join("certificate"), certificate).unwrap();
    fs::write(directory.path().join("key"), key).unwrap();
    fs::write(directory.path().join("canary"), canary(0)).unwrap();
    let server = Server::start(directory.path());
    let client = HttpClient::new();
    let tls = HttpTls { ca: Some(vec![authority.pem()]), ..HttpTls::default() };
    for (scheme, port) in [("http", server.plain), ("https", server.tls)] {
        let token = SecretBytes::copy_of(&canary(0));
        for _ in 0..3 {
            let request =
                HttpRequest::new("POST", &format!("{scheme}://127.0.0.1:{port}/"), 1 << 20)
                    .and_then(|request| request.secret_header("X-Vault-Token", &token))
                    .unwrap()
                    .tls(tls.clone())
                    .body(&[BodyPart::JsonSecret(token.clone())]);
            let response = client.send(request).await.unwrap();
            let json = response.body.parse_json().unwrap();
            let value = json.member("value").unwrap().bytes();
            assert_eq!(value.expose(), canary(0));
        }
        assert!(occurrences() > 0, "the search finds nothing at all");
        drop(token);
        client.close_idle();
        assert_eq!(occurrences(), 0, "{scheme} leaves secrets behind");
    }
}

/// The canary, moved by so many letters: the executable holds it moved by one.
fn canary(moved: u8) -> Vec<u8> {
    b"dbobsz.pg.uif.ofuxpsl.uftu".iter().map(|byte| byte - 1 + moved).collect()
}

/// How often the canary is in memory that can be written, but for the stack.
fn occurrences() -> usize {
    let canary = canary(0);
    let memory = File::open("/proc/self/mem").expect("open /proc/self/mem");
    let maps = fs::read_to_string("/proc/self/maps").expect("read /proc/self/maps");
    let mut count = 0;
    for line in maps.lines().filter(|line| line.contains(" rw") && !line.contains("[stack]")) {
        let (range, _) = line.split_once(' ').expect("a line has a range");
        let (start, end) = range.split_once('-').expect("a range has an end");
        let [start, end] = [start, end].map(|at| u64::from_str_radix(at, 16).expect("a number"));
        for page in (start..end).step_by(4096) {
            let mut bytes = [0; 4096 + 32];
            let Ok(length) = memory.read_at(&mut bytes, page) else { continue };
            count += bytes[..length].windows(canary.len()).filter(|part| *part == canary).count();
        }
    }
    // The canary that is searched for is on the heap itself.
    count - 1
}

/// A process of its own: it holds the canary.
struct Server {
    process: Child,
    plain: u16,
    tls: u16,
}

impl Server {
    fn start(directory: &Path) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        let mut process = command.arg(directory).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut ports = lines.take(2).map(|line| line.unwrap().parse().unwrap());
        let (plain, tls) = (ports.next().unwrap(), ports.next().unwrap());
        Self { process, plain, tls }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

async fn serve(directory: &Path) {
    let text = |name| fs::read_to_string(directory.join(name)).unwrap();
    let answer = ok(&format!("{{\"value\":\"{}\"}}", text("canary")));
    let pair = Pair { certificate: text("certificate"), key: text("key") };
    let acceptor = tokio_rustls::TlsAcceptor::from(std::sync::Arc::new(pair.server_config(None)));
    let copy = answer.clone();
    let plain = servers::always(answer).await;
    let tls = servers::serve(move |stream, _| {
        let (acceptor, answer) = (acceptor.clone(), copy.clone());
        async move {
            let mut stream = acceptor.accept(stream).await.ok()?;
            loop {
                read_request(&mut stream).await?;
                stream.write_all(&answer).await.ok()?;
            }
        }
    })
    .await;
    println!("{}\n{}", plain.port, tls.port);
    std::future::pending::<()>().await;
}
