//! Host names, as /etc/hosts and /etc/resolv.conf of the container have them; resolv.conf(5).

use std::{
    cell::OnceCell,
    fs::File,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::PathBuf,
    time::Duration,
};

use hickory_resolver::{
    Hosts, TokioResolver,
    config::{LookupIpStrategy, NameServerConfigGroup, ResolveHosts, ResolverConfig, ResolverOpts},
    name_server::TokioConnectionProvider,
    proto::{
        op::Query,
        rr::{Name, RData, RecordType},
    },
    system_conf::parse_resolv_conf,
};
use tokio::sync::Mutex;

/// Where no server is named, the one of this machine is asked; resolv.conf(5).
const DEFAULT_SERVER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const DNS_PORT: u16 = 53;

/// Finds the addresses of names. It reads its files when the first name is asked for.
pub(crate) struct Names {
    sources: Sources,
    files: OnceCell<Files>,
    /// One question at a time: requests in a wave ask for the same name.
    asking: Mutex<()>,
}

/// What the files say.
struct Files {
    hosts: Hosts,
    resolver: TokioResolver,
}

/// Where names are read from.
struct Sources {
    resolv_conf: PathBuf,
    hosts: PathBuf,
    /// Of every name server.
    port: u16,
}

/// No address is known for a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NameNotFound;

impl Default for Names {
    fn default() -> Self {
        Self::of(Sources {
            resolv_conf: "/etc/resolv.conf".into(),
            hosts: "/etc/hosts".into(),
            port: DNS_PORT,
        })
    }
}

impl Names {
    fn of(sources: Sources) -> Self {
        Self { sources, files: OnceCell::new(), asking: Mutex::default() }
    }

    /// The addresses of a host, at least one. An IP address and `localhost` ask nobody.
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, NameNotFound> {
        if let Some(address) = literal(host) {
            return Ok(vec![address]);
        }
        if is_localhost(host) {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let files = self.files.get_or_init(|| Files::read(&self.sources));
        let mut addresses = files.listed(host);
        if addresses.is_empty() {
            let _asking = self.asking.lock().await;
            let found = files.resolver.lookup_ip(host).await.map_err(|_| NameNotFound)?;
            addresses.extend(found.iter());
        }
        // The two families' answers come in any order.
        addresses.sort_by_key(IpAddr::is_ipv6);
        if addresses.is_empty() { Err(NameNotFound) } else { Ok(addresses) }
    }
}

/// The address that a host of a URL is, with brackets if it is of IPv6.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    let inside = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.unwrap_or(host).parse().ok()
}

/// RFC 6761 section 6.3.
fn is_localhost(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

impl Files {
    fn read(sources: &Sources) -> Self {
        let (config, options) = read_resolv_conf(sources);
        let provider = TokioConnectionProvider::default();
        let mut builder = TokioResolver::builder_with_config(config, provider);
        *builder.options_mut() = options;
        Self { hosts: read_hosts(sources), resolver: builder.build() }
    }

    /// The addresses of a name in /etc/hosts, where it stands as it is asked for.
    fn listed(&self, host: &str) -> Vec<IpAddr> {
        let Ok(mut name) = Name::from_str_relaxed(host) else { return Vec::new() };
        name.set_fqdn(true);
        [RecordType::A, RecordType::AAAA]
            .into_iter()
            .filter_map(|kind| self.hosts.lookup_static_host(&Query::query(name.clone(), kind)))
            .flat_map(|found| found.iter().filter_map(RData::ip_addr).collect::<Vec<_>>())
            .collect()
    }
}

fn read_resolv_conf(sources: &Sources) -> (ResolverConfig, ResolverOpts) {
    let text = std::fs::read(&sources.resolv_conf).unwrap_or_default();
    let parsed = parse_resolv_conf(&text).or_else(|_| {
        // A file without a name server; its other lines count.
        let named = [b"nameserver 127.0.0.1\n", text.as_slice()].concat();
        parse_resolv_conf(named)
    });
    let (config, mut options) = parsed.unwrap_or_else(|_| {
        let servers = NameServerConfigGroup::from_ips_clear(&[DEFAULT_SERVER], DNS_PORT, false);
        (ResolverConfig::from_parts(None, Vec::new(), servers), ResolverOpts::default())
    });
    let mut servers = NameServerConfigGroup::new();
    for server in config.name_servers() {
        let mut server = server.clone();
        server.socket_addr.set_port(sources.port);
        servers.push(server);
    }
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.use_hosts_file = ResolveHosts::Never;
    // Two sockets at a time: descriptors may be few.
    options.num_concurrent_reqs = 1;
    // A name that is not there yet is asked for again when the caller tries again, as by
    // getaddrinfo(3).
    options.negative_max_ttl = Some(Duration::ZERO);
    // The domain of the host's own name is no part of a search; resolv.conf(5).
    (ResolverConfig::from_parts(None, config.search().to_vec(), servers), options)
}

fn read_hosts(sources: &Sources) -> Hosts {
    let mut hosts = Hosts::default();
    // A container may have no such file.
    let _ = File::open(&sources.hosts).and_then(|file| hosts.read_hosts_conf(file));
    hosts
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use hickory_resolver::proto::{
        op::{Message, MessageType, ResponseCode},
        rr::{Record, rdata},
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
                let query = question.queries()[0].clone();
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
        let query = question.queries()[0].clone();
        let mut answer = Message::new();
        answer.set_id(question.id()).set_message_type(MessageType::Response);
        if query.name().to_string() != known {
            answer.set_response_code(ResponseCode::NXDomain);
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
    async fn literals_and_localhost_ask_nobody_and_read_nothing() {
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
}
