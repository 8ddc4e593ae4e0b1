//! The places in which secrets are left in this process once they were sent and received. Alone in
//! its process: it searches all of the process's memory.

mod servers;

use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader},
    os::unix::fs::FileExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use servers::{
    Authority, Pair,
    http2::{Asked, answering_as, with_http2},
    ok, read_request,
};
use svc_network::{BodyPart, HttpClient, HttpRequest, HttpTls};
use svc_secrets::{SecretBytes, WipingAllocator, guarded};
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
    let [plain, tls_port, http2] = server.ports;
    for (name, scheme, port) in
        [("HTTP", "http", plain), ("HTTPS", "https", tls_port), ("HTTP/2", "https", http2)]
    {
        let token = SecretBytes::copy_of(&canary(0));
        for _ in 0..3 {
            let request =
                HttpRequest::new("POST", &format!("{scheme}://127.0.0.1:{port}/"), 1 << 20)
                    .and_then(|request| request.secret_header("X-Vault-Token", &token))
                    .unwrap()
                    .tls(tls.clone())
                    .body(&[BodyPart::JsonSecret(token.clone())]);
            let response = client.send(request).await.unwrap();
            let by_http2 = response.headers.iter().any(|(name, _)| name == "x-http2");
            assert_eq!(by_http2, name == "HTTP/2");
            let json = response.body.parse_json().unwrap();
            let value = json.member("value").unwrap().bytes();
            assert_eq!(value.expose(), canary(0));
        }
        assert!(occurrences(every) > 0, "the search finds nothing at all");
        assert_eq!(occurrences(unguarded), 0, "{name} has secrets in pages that are not locked");
        drop(token);
        client.close_idle();
        assert_eq!(occurrences(every), 0, "{name} leaves secrets behind");
    }
}

/// The canary, moved by that many letters: the executable holds it moved by one.
fn canary(moved: u8) -> Vec<u8> {
    b"dbobsz.pg.uif.ofuxpsl.uftu".iter().map(|byte| byte - 1 + moved).collect()
}

/// Every mapping that can be written.
fn every(_flags: &str) -> bool {
    true
}

/// One that may be swapped, or dumped.
fn unguarded(flags: &str) -> bool {
    !["lo", "dd"].iter().all(|wanted| flags.split(' ').any(|flag| flag == *wanted))
}

/// How often the canary is in mappings of such flags; `proc_pid_smaps(5)`.
fn occurrences(is_searched: fn(&str) -> bool) -> usize {
    let canary = guarded(|| canary(0));
    let memory = File::open("/proc/self/mem").expect("open /proc/self/mem");
    let maps = fs::read_to_string("/proc/self/smaps").expect("read /proc/self/smaps");
    let mut count = 0;
    let mut range = 0..0;
    for line in maps.lines() {
        if let Some(flags) = line.strip_prefix("VmFlags: ") {
            if is_searched(flags) {
                count += count_in(&memory, range.clone(), &canary);
            }
        } else if let Some(found) = range_of(line) {
            range = found;
        }
    }
    // The canary that is searched for is in locked memory itself.
    count - usize::from(is_searched("lo dd"))
}

/// The range that a mapping's first line begins with; an empty one if it cannot be written.
fn range_of(line: &str) -> Option<std::ops::Range<u64>> {
    let (limits, rest) = line.split_once(' ')?;
    let (start, end) = limits.split_once('-')?;
    let start = u64::from_str_radix(start, 16).ok()?;
    let end = u64::from_str_radix(end, 16).ok()?;
    Some(if rest.starts_with("rw") { start..end } else { 0..0 })
}

fn count_in(memory: &File, range: std::ops::Range<u64>, canary: &[u8]) -> usize {
    let mut count = 0;
    for page in range.step_by(4096) {
        let mut bytes = [0; 4096];
        let Ok(length) = memory.read_at(&mut bytes, page) else { continue };
        count += bytes[..length].windows(canary.len()).filter(|part| *part == canary).count();
        bytes.fill(0);
        std::hint::black_box(&mut bytes);
    }
    count
}

/// A separate process: it holds the canary.
struct Server {
    process: Child,
    /// The ports of HTTP, of HTTP/1.1 over TLS, and of HTTP/2.
    ports: [u16; 3],
}

impl Server {
    fn start(directory: &Path) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        let mut process = command.arg(directory).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let ports: Vec<u16> = lines.take(3).map(|line| line.unwrap().parse().unwrap()).collect();
        Self { process, ports: ports.try_into().unwrap() }
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
    let body = format!("{{\"value\":\"{}\"}}", text("canary"));
    let answer = ok(&body);
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
    // So long that buffers grow while it is read.
    let more = text("canary").repeat(1_000);
    let body = format!("{{\"value\":\"{}\",\"more\":\"{more}\"}}", text("canary"));
    let http2 = answering_as(with_http2(pair.server_config(None)), 10, move |asked| {
        let body = body.clone();
        async move { answer_http2(asked, body).await }
    })
    .await;
    println!("{}\n{}\n{}", plain.port, tls.port, http2.port);
    std::future::pending::<()>().await;
}

/// Reads the request's body, and sends an answer that says by which protocol.
async fn answer_http2((request, mut respond): Asked, body: String) -> Option<()> {
    let mut sent = request.into_body();
    while let Some(part) = sent.data().await {
        sent.flow_control().release_capacity(part.ok()?.len()).ok()?;
    }
    let head = http::Response::builder().header("x-http2", "yes").body(()).ok()?;
    respond.send_response(head, false).ok()?.send_data(body.into(), true).ok()
}
