//! Every fault, by its cause.

mod servers;

use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, CustomExtension, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, KeyUsagePurpose, NameConstraints, date_time_ymd,
};
use servers::{Authority, Pair, always, ok, once, say, self_signed, serve, tls_server};
use svc_network::{HttpClient, HttpError, HttpFault, HttpRequest, HttpTls};
use svc_secrets::SecretBytes;
use tokio::{net::TcpListener, time::timeout};

fn is_authority(parameters: &mut CertificateParams) {
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
}

async fn fault_of(request: HttpRequest) -> HttpError {
    let client = HttpClient::new();
    let sending = timeout(Duration::from_secs(20), client.send(request));
    sending.await.expect("an answer in time").expect_err("a fault")
}

fn trusting(authority: &Authority) -> HttpTls {
    HttpTls { ca: Some(vec![authority.pem()]), ..HttpTls::default() }
}

fn with_client(authority: &Authority, client: &Pair) -> HttpTls {
    HttpTls {
        cert: Some(client.certificate.clone()),
        key: Some(SecretBytes::copy_of(client.key.as_bytes())),
        ..trusting(authority)
    }
}

#[tokio::test]
async fn of_the_way_to_the_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = listener.local_addr().unwrap().port();
    drop(listener);
    let label = "x".repeat(64);
    for (url, fault) in [
        (format!("http://127.0.0.1:{free}/"), HttpFault::Refused),
        (format!("https://localhost:{free}/"), HttpFault::Refused),
        (format!("http://[::1]:{free}/"), HttpFault::Refused),
        // No machine is at a broadcast address.
        ("http://255.255.255.255/".to_owned(), HttpFault::Unreachable),
        (format!("http://{label}/"), HttpFault::NameNotFound),
    ] {
        let error = fault_of(HttpRequest::new("GET", &url, 1).unwrap()).await;
        assert_eq!((error.fault, error.answered), (fault, false), "{url}: {error}");
    }
}

#[tokio::test]
async fn of_the_answer() {
    let long = format!("HTTP/1.1 200 OK\r\nX-A: {}\r\n\r\n", "a".repeat(20_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-A: a\r\n".repeat(200));
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_owned();
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (answer, fault, answered) in [
        (String::new(), HttpFault::Closed, false),
        ("HTTP/1.1 200".to_owned(), HttpFault::Closed, false),
        (cut, HttpFault::Closed, true),
        (format!("{chunked}5\r\nabc"), HttpFault::Closed, true),
        (format!("{chunked}x\r\nabc\r\n"), HttpFault::NotHttp, true),
        (format!("{chunked}ffffffffffffffffff\r\n"), HttpFault::NotHttp, true),
        ("SSH-2.0-OpenSSH_9.2\r\n".to_owned(), HttpFault::NotHttp, false),
        ("HTTP/2.0 200 OK\r\n\r\n".to_owned(), HttpFault::NotHttp, false),
        ("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n".to_owned(), HttpFault::NotHttp, false),
        ("HTTP/1.1 99 X\r\n\r\n".to_owned(), HttpFault::NotHttp, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n".to_owned(), HttpFault::NotHttp, false),
        (long, HttpFault::HeadersTooLarge, false),
        (many, HttpFault::HeadersTooLarge, false),
    ] {
        let server = once(answer.clone()).await;
        let error = fault_of(server.get()).await;
        let start = answer.get(..40).unwrap_or(&answer);
        assert_eq!((error.fault, error.answered), (fault, answered), "{start:?}: {error}");
    }
}

#[tokio::test]
async fn of_the_server_s_certificate() {
    let (authority, other) = (Authority::new(), Authority::new());
    let names = ["127.0.0.1", "localhost"];
    let of_time = |from: i32, until: i32| {
        move |parameters: &mut CertificateParams| {
            parameters.not_before = date_time_ymd(from, 1, 1);
            parameters.not_after = date_time_ymd(until, 1, 1);
        }
    };
    for (pair, fault) in [
        (other.issue(&names), HttpFault::UnknownAuthority),
        (self_signed(&names, |_| ()), HttpFault::UnknownAuthority),
        (self_signed(&names, is_authority), HttpFault::UnknownAuthority),
        (authority.issue(&["vault.example", "10.1.2.3", "fe80::1"]), HttpFault::WrongName),
        (authority.issue_with(&names, of_time(2001, 2002)), HttpFault::Expired),
        (authority.issue_with(&names, of_time(2901, 2902)), HttpFault::NotYetValid),
    ] {
        let server = tls_server(pair.server_config(None)).await;
        let error = fault_of(server.get_tls().tls(trusting(&authority))).await;
        assert_eq!((error.fault, error.answered), (fault, false), "{error}");
        let names: &[&str] = match fault {
            HttpFault::WrongName => &["vault.example", "10.1.2.3", "fe80::1"],
            _ => &[],
        };
        assert_eq!(error.names, names);
    }
}

#[tokio::test]
async fn of_a_certificate_with_its_reason() {
    type Change = fn(&mut CertificateParams);
    let names = ["127.0.0.1"];
    let none: Change = |_| ();
    let rows: [(Change, Option<Change>, &str); 7] = [
        (is_for_clients, None, "its extended key usage does not allow servers"),
        (is_authority, None, "it is the certificate of an authority, not of a server"),
        (none, Some(is_no_authority), "the certificate that signed it is not of an authority"),
        (none, Some(may_not_sign), "an authority of its chain may not sign certificates"),
        (
            none,
            Some(has_unknown_extension),
            "an authority of its chain has the critical extension 1.3.6.1.4.1.1, which is not known",
        ),
        (none, Some(is_for_clients), "an authority's extended key usage does not allow servers"),
        (none, Some(is_for_other_names), "a name constraint of an authority forbids its names"),
    ];
    let authority = Authority::new();
    for (change, between, reason) in rows {
        let pair = match between {
            None => authority.issue_with(&names, change),
            Some(of_intermediate) => {
                let intermediate = authority.intermediate(of_intermediate);
                let Pair { certificate, key } = intermediate.issue_with(&names, change);
                Pair { certificate: certificate + &intermediate.pem(), key }
            }
        };
        let server = tls_server(pair.server_config(None)).await;
        let error = fault_of(server.get_tls().tls(trusting(&authority))).await;
        assert_eq!((error.fault, error.detail.as_str()), (HttpFault::BadCertificate, reason));
    }
    let intermediate = authority.intermediate(|_| ());
    let Pair { certificate, key } = intermediate.issue(&names);
    let pair = Pair { certificate: certificate + &intermediate.pem(), key };
    let server = tls_server(pair.server_config(None)).await;
    let client = HttpClient::new();
    client.send(server.get_tls().tls(trusting(&authority))).await.expect("a good chain");
}

fn is_for_clients(parameters: &mut CertificateParams) {
    parameters.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
}

fn is_no_authority(parameters: &mut CertificateParams) {
    parameters.is_ca = IsCa::ExplicitNoCa;
}

fn may_not_sign(parameters: &mut CertificateParams) {
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
}

fn is_for_other_names(parameters: &mut CertificateParams) {
    parameters.name_constraints = Some(NameConstraints {
        permitted_subtrees: vec![GeneralSubtree::IpAddress(CidrSubnet::from_v4_prefix(
            [10, 0, 0, 0],
            8,
        ))],
        excluded_subtrees: Vec::new(),
    });
}

fn has_unknown_extension(parameters: &mut CertificateParams) {
    let mut extension = CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 1], vec![5, 0]);
    extension.set_criticality(true);
    parameters.custom_extensions = vec![extension];
}

#[tokio::test]
async fn of_a_certificate_that_was_given_itself() {
    for (names, years, fault) in [
        (["127.0.0.1", "localhost"], (2001, 2002), HttpFault::Expired),
        (["127.0.0.1", "localhost"], (2901, 2902), HttpFault::NotYetValid),
        (["vault.example", "localhost"], (2001, 2902), HttpFault::WrongName),
    ] {
        let pair = self_signed(&names, |parameters| {
            is_authority(parameters);
            parameters.not_before = date_time_ymd(years.0, 1, 1);
            parameters.not_after = date_time_ymd(years.1, 1, 1);
        });
        let server = tls_server(pair.server_config(None)).await;
        let ca = Some(vec![pair.certificate.clone()]);
        let error = fault_of(server.get_tls().tls(HttpTls { ca, ..HttpTls::default() })).await;
        assert_eq!(error.fault, fault, "{error}");
    }
}

#[tokio::test]
async fn of_the_public_authorities() {
    let authority = Authority::new();
    let server = tls_server(authority.issue(&["127.0.0.1"]).server_config(None)).await;
    assert_eq!(fault_of(server.get_tls()).await.fault, HttpFault::UnknownAuthority);
}

#[tokio::test]
async fn of_the_handshake() {
    let (authority, other) = (Authority::new(), Authority::new());
    let plain = always(ok("plain")).await;
    let request = plain.get_tls().tls(trusting(&authority));
    let noise = serve(|mut stream, _| async move { say(&mut stream, b"220 smtp\r\n").await }).await;
    assert_eq!(fault_of(noise.get_tls()).await.fault, HttpFault::Handshake);
    // This one waits for the end of a head that never comes.
    let client = HttpClient::new();
    assert!(timeout(Duration::from_millis(50), client.send(request)).await.is_err());

    let pair = authority.issue(&["127.0.0.1"]);
    let server = tls_server(pair.server_config(Some(&authority))).await;
    let none = fault_of(server.get_tls().tls(trusting(&authority))).await;
    assert_eq!((none.fault, none.answered), (HttpFault::Handshake, false), "{none}");
    assert_eq!(none.detail, "alert CertificateRequired");
    let foreign = other.issue(&["client"]);
    let error = fault_of(server.get_tls().tls(with_client(&authority, &foreign))).await;
    assert_eq!(error.fault, HttpFault::Handshake, "{error}");

    let silent = serve(|stream, _| async move {
        drop(stream);
        Some(())
    })
    .await;
    assert_eq!(fault_of(silent.get_tls()).await.fault, HttpFault::Closed);
}

#[tokio::test]
async fn of_the_scheme() {
    let authority = Authority::new();
    let server = tls_server(authority.issue(&["127.0.0.1"]).server_config(None)).await;
    // The server's TLS sends an alert.
    let error = fault_of(server.get()).await;
    assert_eq!(error.fault, HttpFault::NotHttp, "{error}");
}

#[tokio::test]
async fn of_the_material() {
    let authority = Authority::new();
    let (client, other) = (authority.issue(&["client"]), authority.issue(&["other"]));
    let mixed = Pair { certificate: client.certificate.clone(), key: other.key.clone() };
    let garbage = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n".to_owned();
    let ca = |text: &str| HttpTls { ca: Some(vec![text.to_owned()]), ..HttpTls::default() };
    let keyless = HttpTls { key: None, ..with_client(&authority, &client) };
    let named = HttpTls { server_name: Some("a b".to_owned()), ..trusting(&authority) };
    let none = HttpTls { ca: Some(Vec::new()), ..HttpTls::default() };
    let server = tls_server(authority.issue(&["127.0.0.1"]).server_config(None)).await;
    for (tls, name) in [
        (ca(""), "an empty text"),
        (ca(&garbage), "a damaged certificate"),
        (none, "no authority"),
        (with_client(&authority, &mixed), "a key of another certificate"),
        (
            with_client(&authority, &Pair { certificate: garbage.clone(), key: other.key.clone() }),
            "a damaged client certificate",
        ),
        (
            with_client(
                &authority,
                &Pair { certificate: client.certificate.clone(), key: garbage },
            ),
            "no key",
        ),
        (keyless, "a certificate without a key"),
        (named, "a server name that no host can have"),
    ] {
        let error = fault_of(server.get_tls().tls(tls)).await;
        assert_eq!(error.fault, HttpFault::UnusableMaterial, "{name}: {error}");
    }
}
