//! The authorities that the client trusts, and the certificate that it shows.

mod servers;

use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa};
use servers::{Authority, Server, self_signed, tls_server};
use svc_network::{HttpClient, HttpFault, HttpRequest, HttpTls};
use svc_secrets::SecretBytes;

async fn is_answered(server: &Server, host: &str, tls: HttpTls) -> bool {
    let url = format!("https://{host}:{}/v1/x", server.port);
    let request = HttpRequest::new("GET", &url, 100).unwrap().tls(tls);
    match HttpClient::new().send(request).await {
        Ok(response) => response.body.equals("over TLS"),
        Err(error) => panic!("{error}"),
    }
}

fn trusting(pem: String) -> HttpTls {
    HttpTls { ca: Some(vec![pem]), ..HttpTls::default() }
}

#[tokio::test]
async fn a_given_authority_is_trusted() {
    let (authority, other) = (Authority::new(), Authority::new());
    let pair = authority.issue(&["127.0.0.1", "localhost"]);
    let server = tls_server(pair.server_config(None)).await;
    for ca in [
        vec![authority.pem()],
        vec![other.pem(), authority.pem()],
        vec![other.pem() + &authority.pem()],
    ] {
        let tls = HttpTls { ca: Some(ca), ..HttpTls::default() };
        assert!(is_answered(&server, "127.0.0.1", tls.clone()).await);
        assert!(is_answered(&server, "localhost", tls.clone()).await);
        assert!(is_answered(&server, "LOCALHOST.", tls).await);
    }
}

#[tokio::test]
async fn a_server_s_own_certificate_is_trusted_where_it_is_given() {
    for is_ca in [IsCa::NoCa, IsCa::ExplicitNoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let pair = self_signed(&["127.0.0.1"], |parameters| parameters.is_ca = is_ca);
        let server = tls_server(pair.server_config(None)).await;
        assert!(is_answered(&server, "127.0.0.1", trusting(pair.certificate)).await);
    }
}

#[tokio::test]
async fn a_server_name_replaces_the_host() {
    let authority = Authority::new();
    let pair = authority.issue(&["vault.example"]);
    let server = tls_server(pair.server_config(None)).await;
    let name = Some("vault.example".to_owned());
    let tls = HttpTls { server_name: name, ..trusting(authority.pem()) };
    assert!(is_answered(&server, "127.0.0.1", tls.clone()).await);
    assert!(is_answered(&server, "localhost", tls).await);
}

#[tokio::test]
async fn without_verification_every_certificate_will_do() {
    for pair in [Authority::new().issue(&["vault.example"]), self_signed(&["x"], |_| ())] {
        let server = tls_server(pair.server_config(None)).await;
        let tls = HttpTls { skip_verify: true, ..HttpTls::default() };
        assert!(is_answered(&server, "127.0.0.1", tls).await);
    }
}

#[tokio::test]
async fn a_client_certificate_is_shown_to_a_server_that_asks() {
    let authority = Authority::new();
    let pair = authority.issue(&["127.0.0.1"]);
    let server = tls_server(pair.server_config(Some(&authority))).await;
    let client = authority.issue(&["client"]);
    let key = Some(SecretBytes::copy_of(client.key.as_bytes()));
    let tls = HttpTls { cert: Some(client.certificate), key, ..trusting(authority.pem()) };
    assert!(is_answered(&server, "127.0.0.1", tls).await);
}

#[tokio::test]
async fn connections_are_kept_for_the_same_settings_alone() {
    let authority = Authority::new();
    let server = tls_server(authority.issue(&["127.0.0.1"]).server_config(None)).await;
    let client = HttpClient::new();
    let trusting = trusting(authority.pem());
    let unverified = HttpTls { skip_verify: true, ..HttpTls::default() };
    for (tls, connections) in
        [(&trusting, 1), (&trusting, 1), (&unverified, 2), (&trusting, 2), (&unverified, 2)]
    {
        client.send(server.get_tls().tls(tls.clone())).await.unwrap();
        assert_eq!(server.connections(), connections);
    }
}

#[tokio::test]
async fn a_server_needs_a_purpose_that_allows_servers() {
    use ExtendedKeyUsagePurpose::{Any, ClientAuth, ServerAuth};
    let authority = Authority::new();
    for (purposes, is_accepted) in [
        (vec![], true),
        (vec![ServerAuth], true),
        (vec![ClientAuth, ServerAuth], true),
        (vec![Any], true),
        (vec![ClientAuth, Any], true),
        (vec![ClientAuth], false),
    ] {
        let pair = authority
            .issue_with(&["127.0.0.1"], |leaf| leaf.extended_key_usages.clone_from(&purposes));
        let server = tls_server(pair.server_config(None)).await;
        let asked = HttpClient::new().send(server.get_tls().tls(trusting(authority.pem()))).await;
        assert_eq!(asked.is_ok(), is_accepted, "{purposes:?}");
        // Another purpose makes no other name good.
        let name = Some("vault.example".to_owned());
        let tls = HttpTls { server_name: name, ..trusting(authority.pem()) };
        assert!(HttpClient::new().send(server.get_tls().tls(tls)).await.is_err(), "{purposes:?}");
    }
}

#[tokio::test]
async fn any_purpose_needs_a_trusted_authority() {
    let (authority, other) = (Authority::new(), Authority::new());
    let pair = authority.issue_with(&["127.0.0.1"], |leaf| {
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::Any];
    });
    let server = tls_server(pair.server_config(None)).await;
    let asked = HttpClient::new().send(server.get_tls().tls(trusting(other.pem()))).await;
    assert_eq!(asked.err().map(|error| error.fault), Some(HttpFault::UnknownAuthority));
}
