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
    config::{LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts},
    net::runtime::TokioRuntimeProvider,
    proto::{
        op::Query,
        rr::{Name, Record, RecordType},
    },
    system_conf::parse_resolv_conf,
};
use tokio::sync::Mutex;

#[cfg(test)]
mod tests;

/// If no server is named, the one of this machine is asked; resolv.conf(5).
const DEFAULT_SERVER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const DNS_PORT: u16 = 53;

/// Finds the addresses of names. It reads its files when the first name is asked for.
pub(crate) struct Names {
    sources: Sources,
    files: OnceCell<Files>,
    /// One question at a time: requests in a wave ask for the same name.
    asking: Mutex<()>,
}

/// The contents of the files.
struct Files {
    hosts: Hosts,
    /// None if the files name nothing that could be asked.
    resolver: Option<TokioResolver>,
}

/// The sources of names.
struct Sources {
    resolv_conf: PathBuf,
    hosts: PathBuf,
    /// The port of every name server.
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

    /// The addresses of a host, at least one. An IP address and `localhost` ask no server.
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
            let resolver = files.resolver.as_ref().ok_or(NameNotFound)?;
            let found = resolver.lookup_ip(host).await.map_err(|_| NameNotFound)?;
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
        let provider = TokioRuntimeProvider::default();
        let mut builder = TokioResolver::builder_with_config(config, provider);
        *builder.options_mut() = options;
        Self { hosts: read_hosts(sources), resolver: builder.build().ok() }
    }

    /// The addresses of a name in /etc/hosts, if it stands as it is asked for.
    fn listed(&self, host: &str) -> Vec<IpAddr> {
        let Ok(mut name) = Name::from_str_relaxed(host) else { return Vec::new() };
        name.set_fqdn(true);
        [RecordType::A, RecordType::AAAA]
            .into_iter()
            .filter_map(|kind| self.hosts.lookup_static_host(&Query::query(name.clone(), kind)))
            .flat_map(|found| addresses_in(found.answers()))
            .collect()
    }
}

fn addresses_in(records: &[Record]) -> Vec<IpAddr> {
    records.iter().filter_map(|record| record.data.ip_addr()).collect()
}

fn read_resolv_conf(sources: &Sources) -> (ResolverConfig, ResolverOpts) {
    let text = std::fs::read(&sources.resolv_conf).unwrap_or_default();
    let parsed = parse_resolv_conf(&text).or_else(|_| {
        // A file without a name server; its other lines count.
        let named = [b"nameserver 127.0.0.1\n", text.as_slice()].concat();
        parse_resolv_conf(named)
    });
    let (config, mut options) = parsed.unwrap_or_else(|_| {
        let servers = vec![NameServerConfig::udp_and_tcp(DEFAULT_SERVER)];
        (ResolverConfig::from_parts(None, Vec::new(), servers), ResolverOpts::default())
    });
    let mut servers = config.name_servers().to_vec();
    for connection in servers.iter_mut().flat_map(|server| &mut server.connections) {
        connection.port = sources.port;
    }
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.use_hosts_file = ResolveHosts::Never;
    // Two sockets at a time: descriptors may be few.
    options.num_concurrent_reqs = 1;
    // A name that is not there yet is asked for again when the caller tries again, as by
    // getaddrinfo(3).
    options.negative_max_ttl = Some(Duration::ZERO);
    // The domain of the host's own name is not a part of a search; resolv.conf(5).
    (ResolverConfig::from_parts(None, config.search().to_vec(), servers), options)
}

fn read_hosts(sources: &Sources) -> Hosts {
    let mut hosts = Hosts::default();
    // A container may have no such file.
    let _ = File::open(&sources.hosts).and_then(|file| hosts.read_hosts_conf(file));
    hosts
}
