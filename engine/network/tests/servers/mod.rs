//! Servers on loopback that answer as a test tells them to.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod http2;

use std::{
    future::Future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    RootCertStore, ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use svc_network::HttpRequest;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// A server that ends with its test.
pub struct Server {
    pub port: u16,
    connections: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}/v1/x", self.port)
    }

    pub fn get(&self) -> HttpRequest {
        HttpRequest::new("GET", &self.url("http"), 1 << 20).unwrap()
    }

    pub fn get_tls(&self) -> HttpRequest {
        HttpRequest::new("GET", &self.url("https"), 1 << 20).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Serves each connection by `talk`, which is told how many came before it.
pub async fn serve<Talk, Talking>(talk: Talk) -> Server
where
    Talk: Fn(TcpStream, usize) -> Talking + Send + 'static,
    Talking: Future<Output = Option<()>> + Send + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let accepting = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, counted.fetch_add(1, Ordering::Relaxed)));
        }
    });
    Server { port, connections, accepting }
}

/// Answers every request of every connection with the same bytes, and keeps the connection.
pub async fn always(answer: impl Into<Vec<u8>>) -> Server {
    let answer: Arc<[u8]> = answer.into().into();
    serve(move |mut stream, _| {
        let answer = Arc::clone(&answer);
        async move {
            loop {
                read_request(&mut stream).await?;
                stream.write_all(&answer).await.ok()?;
            }
        }
    })
    .await
}

/// Answers one request of each connection, and closes it.
pub async fn once(answer: impl Into<Vec<u8>>) -> Server {
    let answer: Arc<[u8]> = answer.into().into();
    serve(move |mut stream, _| {
        let answer = Arc::clone(&answer);
        async move {
            read_request(&mut stream).await?;
            stream.write_all(&answer).await.ok()
        }
    })
    .await
}

/// Answers 200 over TLS.
pub async fn tls_server(config: ServerConfig) -> Server {
    let acceptor = TlsAcceptor::from(Arc::new(config));
    serve(move |stream, _| {
        let acceptor = acceptor.clone();
        async move {
            let mut stream = acceptor.accept(stream).await.ok()?;
            loop {
                read_request(&mut stream).await?;
                stream.write_all(&ok("over TLS")).await.ok()?;
            }
        }
    })
    .await
}

/// Reads a request with its body; `None` at the connection's end.
pub async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).await.ok()?;
    Some(head + &String::from_utf8(body).unwrap())
}

/// An answer with status 200.
pub fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Requests as a server noted them.
pub type Noted = Arc<Mutex<Vec<String>>>;

/// Answers 200 and notes each request.
pub async fn noting() -> (Server, Noted) {
    let noted = Noted::default();
    let kept = Arc::clone(&noted);
    let server = serve(move |mut stream, _| {
        let noted = Arc::clone(&noted);
        async move {
            loop {
                let request = read_request(&mut stream).await?;
                noted.lock().unwrap().push(request);
                stream.write_all(&ok("noted")).await.ok()?;
            }
        }
    })
    .await;
    (server, kept)
}

/// Writes bytes to a stream and leaves it open for the client to end.
pub async fn say(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), bytes: &[u8]) -> Option<()> {
    stream.write_all(bytes).await.ok()?;
    stream.read_u8().await.ok().map(drop)
}

/// An authority of the test's own.
pub struct Authority(pub CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, in PEM.
pub struct Pair {
    pub certificate: String,
    pub key: String,
}

impl Authority {
    pub fn new() -> Self {
        let parameters = authority_parameters("authority of a test");
        Self(CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap())
    }

    /// An authority between this one and servers.
    pub fn intermediate(&self, change: impl FnOnce(&mut CertificateParams)) -> Self {
        let mut parameters = authority_parameters("intermediate of a test");
        change(&mut parameters);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::signed_by(parameters, key, &self.0).unwrap())
    }

    pub fn pem(&self) -> String {
        self.0.pem()
    }

    pub fn issue(&self, names: &[&str]) -> Pair {
        self.issue_with(names, |_| ())
    }

    pub fn issue_with(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Pair {
        let mut parameters = parameters(names);
        change(&mut parameters);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &self.0).unwrap();
        Pair { certificate: certificate.pem(), key: key.serialize_pem() }
    }
}

/// A certificate that is its own authority.
pub fn self_signed(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Pair {
    let mut parameters = parameters(names);
    change(&mut parameters);
    let key = KeyPair::generate().unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    Pair { certificate: certificate.pem(), key: key.serialize_pem() }
}

fn authority_parameters(name: &str) -> CertificateParams {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
    parameters
}

fn parameters(names: &[&str]) -> CertificateParams {
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    CertificateParams::new(names).unwrap()
}

impl Pair {
    /// A server's configuration; with an authority for clients each has to show a certificate.
    pub fn server_config(&self, clients: Option<&Authority>) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.0.der().clone()).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let chain: Result<_, _> =
            CertificateDer::pem_slice_iter(self.certificate.as_bytes()).collect();
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap();
        builder.with_single_cert(chain.unwrap(), key).unwrap()
    }
}

/// Cuts, truncates, adds a piece or doubles a part.
pub fn damage(bytes: &mut Vec<u8>, pieces: &[&[u8]], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(4) {
        0 => drop(bytes.drain(at..(at + random.below(6)).min(bytes.len()))),
        1 => bytes.truncate(at),
        2 => drop(bytes.splice(at..at, pieces[random.below(pieces.len())].iter().copied())),
        _ => {
            let from = random.below(bytes.len() + 1);
            let part = bytes[from..(from + random.below(40)).min(bytes.len())].to_vec();
            bytes.splice(at..at, part);
        }
    }
}

/// xorshift64.
pub struct Random(pub u64);

impl Random {
    /// A number from 0 up to a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }
}
