use std::{cell::RefCell, rc::Rc};

use hickory_resolver::proto::{
    op::{Message, OpCode, ResponseCode},
    rr::{RData, rdata},
};
use tempfile::TempDir;
use tokio::{net::UdpSocket, task::LocalSet};

use super::*;

const FOUND: Ipv4Addr = Ipv4Addr::new(10, 1, 2, 3);

/// A name server with one name, and the questions it was asked.
struct NameServer {
    port: u16,
    asked: Rc<RefCell<Vec<String>>>,
    known: Rc<RefCell<String>>,
}

async fn name_server(known: &str) -> NameServer {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = socket.local_addr().unwrap().port();
    let server =
        NameServer { port, asked: Rc::default(), known: Rc::new(RefCell::new(known.into())) };
    let (asked, known) = (Rc::clone(&server.asked), Rc::clone(&server.known));
    tokio::task::spawn_local(async move {
        let mut bytes = [0; 512];
        loop {
            let (length, client) = socket.recv_from(&mut bytes).await.unwrap();
            let question = Message::from_vec(&bytes[..length]).unwrap();
            let query = question.queries[0].clone();
            if query.query_type() == RecordType::A {
                asked.borrow_mut().push(query.name().to_string());
            }
            let answer = answer(&question, &known.borrow());
            socket.send_to(&answer.to_vec().unwrap(), client).await.unwrap();
        }
    });
    server
}

fn answer(question: &Message, known: &str) -> Message {
    let query = question.queries[0].clone();
    let mut answer = Message::response(question.metadata.id, OpCode::Query);
    if query.name().to_string() != known {
        answer.metadata.response_code = ResponseCode::NXDomain;
    } else if query.query_type() == RecordType::A {
        let data = RData::A(rdata::A(FOUND));
        answer.add_answer(Record::from_rdata(query.name().clone(), 30, data));
    }
    answer.add_query(query);
    answer
}

struct Sandbox {
    directory: TempDir,
    port: u16,
}

impl Sandbox {
    fn new(resolv_conf: &str, hosts: &str, port: u16) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("resolv.conf"), resolv_conf).unwrap();
        std::fs::write(directory.path().join("hosts"), hosts).unwrap();
        Self { directory, port }
    }

    fn names(&self) -> Names {
        let path = |name| self.directory.path().join(name);
        let (resolv_conf, hosts) = (path("resolv.conf"), path("hosts"));
        Names::of(Sources { resolv_conf, hosts, port: self.port })
    }
}

#[tokio::test]
async fn literals_and_localhost_ask_no_server_and_read_no_file() {
    let names = Names::of(Sources { resolv_conf: "".into(), hosts: "".into(), port: 1 });
    let [v4, v6]: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    for (host, expected) in [
        ("10.1.2.3", vec![FOUND.into()]),
        ("[::1]", vec![v6]),
        ("::1", vec![v6]),
        ("localhost", vec![v4, v6]),
        ("LocalHost.", vec![v4, v6]),
        ("a.localhost", vec![v4, v6]),
    ] {
        assert_eq!(names.addresses(host).await, Ok(expected), "{host}");
    }
    assert!(names.files.get().is_none());
}

#[tokio::test]
async fn names_are_looked_up_as_kubernetes_means_it() {
    let local = LocalSet::new();
    local
        .run_until(async {
            let server = name_server("vault.vault.svc.cluster.test.").await;
            let conf = "nameserver 127.0.0.1\n\
                search shop.svc.cluster.test svc.cluster.test cluster.test\noptions ndots:5\n";
            let sandbox = Sandbox::new(conf, "", server.port);
            let names = sandbox.names();
            assert_eq!(names.addresses("vault.vault.svc").await, Ok(vec![FOUND.into()]));
            assert_eq!(names.addresses("vault.vault").await, Ok(vec![FOUND.into()]));
            let asked = server.asked.take();
            assert_eq!(
                asked[..4],
                [
                    "vault.vault.svc.shop.svc.cluster.test.",
                    "vault.vault.svc.svc.cluster.test.",
                    "vault.vault.svc.cluster.test.",
                    "vault.vault.shop.svc.cluster.test.",
                ]
            );
            let full = names.addresses("vault.vault.svc.cluster.test.").await;
            assert_eq!(full, Ok(vec![FOUND.into()]));
        })
        .await;
}

#[tokio::test]
async fn a_name_that_is_not_there_yet_is_asked_for_again() {
    let local = LocalSet::new();
    local
        .run_until(async {
            let server = name_server("other.test.").await;
            let sandbox = Sandbox::new("nameserver 127.0.0.1\n", "", server.port);
            let names = sandbox.names();
            assert_eq!(names.addresses("vault.test").await, Err(NameNotFound));
            server.known.replace("vault.test.".into());
            assert_eq!(names.addresses("vault.test").await, Ok(vec![FOUND.into()]));
        })
        .await;
}

#[tokio::test]
async fn the_hosts_file_wins_and_a_file_without_a_server_means_this_machine() {
    let local = LocalSet::new();
    local
        .run_until(async {
            let server = name_server("vault.test.").await;
            for conf in ["", "search test\n", "nonsense\noptions ndots:1\n"] {
                let files = Sandbox::new(conf, "10.9.9.9 other vault.hosts # x\n", server.port);
                let names = files.names();
                server.asked.take();
                let hosts = names.addresses("vault.hosts").await;
                assert_eq!(hosts, Ok(vec![Ipv4Addr::new(10, 9, 9, 9).into()]));
                assert!(server.asked.take().is_empty());
                assert_eq!(names.addresses("vault.test").await, Ok(vec![FOUND.into()]));
            }
        })
        .await;
}
