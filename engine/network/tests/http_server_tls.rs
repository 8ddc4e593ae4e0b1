//! The server over TLS.

mod servers;
mod stage;

use servers::{Authority, Pair};
use stage::{Stage, connect, open, read_all, until};
use svc_network::{
    HttpClient, HttpError, HttpRequest, HttpResponse, HttpServerError, HttpServerTls, HttpTls,
};
use svc_secrets::SecretBytes;
use tokio::{io::AsyncWriteExt, task::LocalSet};

fn server_tls(pair: &Pair, client_ca: Option<&Authority>) -> HttpServerTls {
    HttpServerTls {
        certificate: pair.certificate.clone(),
        key: SecretBytes::copy_of(pair.key.as_bytes()),
        client_ca: client_ca.map(Authority::pem),
    }
}

async fn ask(
    port: u16,
    authority: &Authority,
    client: Option<&Pair>,
) -> Result<HttpResponse, HttpError> {
    let tls = HttpTls {
        ca: Some(vec![authority.pem()]),
        cert: client.map(|pair| pair.certificate.clone()),
        key: client.map(|pair| SecretBytes::copy_of(pair.key.as_bytes())),
        ..HttpTls::default()
    };
    let request = HttpRequest::new("GET", &format!("https://127.0.0.1:{port}/head"), 100).unwrap();
    HttpClient::new().send(request.tls(tls)).await
}

#[tokio::test]
async fn every_client_is_let_in_and_a_verified_one_has_its_name() {
    let (authority, other) = (Authority::new(), Authority::new());
    let named = |authority: &Authority, name: Option<&str>| {
        authority.issue_with(&[], |parameters| {
            parameters.distinguished_name = rcgen::DistinguishedName::new();
            if let Some(name) = name {
                parameters.distinguished_name.push(rcgen::DnType::CommonName, name);
            }
        })
    };
    let server = authority.issue(&["127.0.0.1"]);
    let verified = named(&authority, Some("prometheus"));
    let nameless = named(&authority, None);
    let foreign = named(&other, Some("prometheus"));
    let local = LocalSet::new();
    local
        .run_until(async {
            let asking = open("127.0.0.1", Some(&server_tls(&server, Some(&authority))), 9);
            let silent = open("127.0.0.1", Some(&server_tls(&server, None)), 9);
            for (stage, client, expected) in [
                (&asking, Some(&verified), "Some(\"prometheus\")"),
                (&asking, Some(&nameless), "Some(\"\")"),
                (&asking, Some(&foreign), "None"),
                (&asking, None, "None"),
                (&silent, Some(&verified), "None"),
            ] {
                let answer = ask(stage.port, &authority, client).await.unwrap();
                assert_eq!(answer.body.open(&[]).as_deref(), Some(expected));
            }
        })
        .await;
}

#[tokio::test]
async fn another_certificate_is_taken_on_the_same_port() {
    let (authority, other) = (Authority::new(), Authority::new());
    let local = LocalSet::new();
    local
        .run_until(async {
            let first = server_tls(&authority.issue(&["127.0.0.1"]), None);
            let second = server_tls(&other.issue(&["127.0.0.1"]), None);
            let Stage { server: https, port, .. } = open("127.0.0.1", Some(&first), 9);
            ask(port, &authority, None).await.unwrap();
            https.change_tls(&second).unwrap();
            ask(port, &authority, None).await.unwrap_err();
            ask(port, &other, None).await.unwrap();
            let mixed = HttpServerTls { key: first.key.clone(), ..second.clone() };
            let empty = HttpServerTls { certificate: String::new(), ..second.clone() };
            let no_ca = HttpServerTls { client_ca: Some(String::new()), ..second.clone() };
            for unusable in [mixed, empty, no_ca] {
                assert!(matches!(
                    https.change_tls(&unusable),
                    Err(HttpServerError::UnusableMaterial)
                ));
                ask(port, &other, None).await.unwrap();
            }
        })
        .await;
}

/// ring, which makes the other pairs, has no P-521: Go made the certificate.
#[tokio::test]
async fn a_key_over_p521_proves_the_server() {
    let certificate = include_str!("../testdata/p521.pem").to_owned();
    let local = LocalSet::new();
    local
        .run_until(async {
            for key in [
                include_str!("../testdata/p521-pkcs8.key"),
                include_str!("../testdata/p521-sec1.key"),
            ] {
                let pair = Pair { certificate: certificate.clone(), key: key.to_owned() };
                let Stage { port, .. } = open("127.0.0.1", Some(&server_tls(&pair, None)), 9);
                let url = format!("https://127.0.0.1:{port}/head");
                let ca = Some(vec![certificate.clone()]);
                let tls = HttpTls { ca, ..HttpTls::default() };
                let request = HttpRequest::new("GET", &url, 100).unwrap().tls(tls);
                HttpClient::new().send(request).await.unwrap();
            }
        })
        .await;
}

#[tokio::test]
async fn a_client_that_speaks_http_to_tls_is_dropped() {
    let authority = Authority::new();
    let local = LocalSet::new();
    local
        .run_until(async {
            let tls = server_tls(&authority.issue(&["127.0.0.1"]), None);
            let Stage { server, port, .. } = open("127.0.0.1", Some(&tls), 9);
            let mut stream = connect(port).await;
            stream.write_all(b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
            let answer = read_all(&mut stream).await.unwrap_or_default();
            assert!(!answer.contains("HTTP"), "{answer}");
            until(|| server.connections() == 0).await;
        })
        .await;
}
