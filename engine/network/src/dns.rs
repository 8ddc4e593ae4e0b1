//! Host names, as /etc/hosts and /etc/resolv.conf of the container have them; resolv.conf(5).

use std::{
    cell::OnceCell,
    fs::File,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use hickory_resolver::{
    Hosts, TokioResolver,
    config::{LookupIpStrategy, NameServerConfigGroup, ResolveHosts, ResolverConfig, ResolverOpts},
    name_server::TokioConnectionProvider,
    system_conf::parse_resolv_conf,
};
use tokio::sync::Mutex;

/// Where no server is named, the one of this machine is asked; resolv.conf(5).
const DEFAULT_SERVER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const DNS_PORT: u16 = 53;

/// Finds the addresses of names. It reads its files when the first name is asked for.
pub(crate) struct Names {
    sources: Sources,
    resolver: OnceCell<TokioResolver>,
    /// One question at a time: requests in a wave ask for the same name.
    asking: Mutex<()>,
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
        Self { sources, resolver: OnceCell::new(), asking: Mutex::default() }
    }

    /// The addresses of a host, at least one. An IP address and `localhost` ask nobody.
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, NameNotFound> {
        if let Some(address) = literal(host) {
            return Ok(vec![address]);
        }
        if is_localhost(host) {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let _asking = self.asking.lock().await;
        let resolver = self.resolver.get_or_init(|| build(&self.sources));
        let found = resolver.lookup_ip(host).await.map_err(|_| NameNotFound)?;
        let addresses: Vec<IpAddr> = found.iter().collect();
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

fn build(sources: &Sources) -> TokioResolver {
    let (config, mut options) = read_resolv_conf(sources);
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    // Two sockets at a time: descriptors may be few.
    options.num_concurrent_reqs = 1;
    // A name that is not there yet is asked for again when the caller tries again, as by
    // getaddrinfo(3).
    options.negative_max_ttl = Some(Duration::ZERO);
    options.use_hosts_file = ResolveHosts::Never;
    let mut builder =
        TokioResolver::builder_with_config(config, TokioConnectionProvider::default());
    *builder.options_mut() = options;
    let mut resolver = builder.build();
    resolver.set_hosts(Arc::new(read_hosts(sources)));
    resolver
}

fn read_resolv_conf(sources: &Sources) -> (ResolverConfig, ResolverOpts) {
    let text = std::fs::read(&sources.resolv_conf).unwrap_or_default();
    let parsed = parse_resolv_conf(&text).or_else(|_| {
        // A file without a name server; its other lines count.
        let named = [b"nameserver 127.0.0.1\n", text.as_slice()].concat();
        parse_resolv_conf(named)
    });
    let (config, options) = parsed.unwrap_or_else(|_| {
        let servers = NameServerConfigGroup::from_ips_clear(&[DEFAULT_SERVER], DNS_PORT, false);
        (ResolverConfig::from_parts(None, Vec::new(), servers), ResolverOpts::default())
    });
    let mut servers = NameServerConfigGroup::new();
    for server in config.name_servers() {
        let mut server = server.clone();
        server.socket_addr.set_port(sources.port);
        servers.push(server);
    }
    let search = config.search().to_vec();
    (ResolverConfig::from_parts(config.domain().cloned(), search, servers), options)
}

fn read_hosts(sources: &Sources) -> Hosts {
    let mut hosts = Hosts::default();
    // A container may have no such file.
    let _ = File::open(&sources.hosts).and_then(|file| hosts.read_hosts_conf(file));
    hosts
}
