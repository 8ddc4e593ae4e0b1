//! Host names, as /etc/hosts and /etc/resolv.conf of the container have them; resolv.conf(5).

mod hosts;
mod lookup;
mod message;
mod outcome;
mod report;
mod resolv_conf;
mod server;
#[cfg(test)]
mod tests;

use std::{
    cell::{Cell, RefCell},
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::PathBuf,
    time::Duration,
};

use tokio::{sync::Mutex, time::Instant};

use lookup::Lookup;
pub(crate) use outcome::LookupError;
use report::Report;
use resolv_conf::ResolvConf;

const DNS_PORT: u16 = 53;
/// Requests of a wave ask for the same name one after the other: one of them asks the servers.
const KEPT: Duration = Duration::from_secs(5);

/// Finds the addresses of names. It reads its files at each lookup: they may change while a
/// program waits for its vault.
pub(crate) struct Names {
    sources: Sources,
    /// One question at a time: two sockets.
    asking: Mutex<()>,
    last: RefCell<Option<Found>>,
    report: Report,
    /// The name server to begin with: not one that has been silent.
    first_server: Cell<usize>,
    cut_off: RefCell<Option<String>>,
}

struct Found {
    host: String,
    addresses: Vec<IpAddr>,
    at: Instant,
}

/// The sources of names.
struct Sources {
    resolv_conf: PathBuf,
    hosts: PathBuf,
    /// Its domain is searched if resolv.conf names none.
    hostname: PathBuf,
    /// The port of every name server.
    port: u16,
}

impl Default for Names {
    fn default() -> Self {
        Self::of(Sources {
            resolv_conf: "/etc/resolv.conf".into(),
            hosts: HOSTS.into(),
            hostname: "/proc/sys/kernel/hostname".into(),
            port: DNS_PORT,
        })
    }
}

const HOSTS: &str = "/etc/hosts";

impl Names {
    fn of(sources: Sources) -> Self {
        Self {
            sources,
            asking: Mutex::default(),
            last: RefCell::default(),
            report: Report::default(),
            first_server: Cell::default(),
            cut_off: RefCell::default(),
        }
    }

    /// The addresses of a host, at least one, those of IPv4 first. An IP address, `localhost` and
    /// a name of /etc/hosts ask no server.
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, LookupError> {
        let own = own_addresses(host, &self.sources.hosts);
        if !own.is_empty() {
            return Ok(own);
        }
        let waiting = Waiting(self);
        let asked = self.ask(host).await;
        waiting.end();
        asked
    }

    /// The servers' words, if the lookup that was dropped last was waiting for them.
    pub fn take_cut_off(&self) -> Option<String> {
        self.cut_off.take()
    }

    async fn ask(&self, host: &str) -> Result<Vec<IpAddr>, LookupError> {
        let _asking = self.asking.lock().await;
        if let Some(found) = &*self.last.borrow()
            && found.host == host
            && found.at.elapsed() < KEPT
        {
            return Ok(found.addresses.clone());
        }
        self.report.clear();
        let text = |path| fs::read_to_string(path).unwrap_or_default();
        let hostname = text(&self.sources.hostname);
        let conf = ResolvConf::parse(&text(&self.sources.resolv_conf), hostname.trim());
        let Self { sources, report, first_server, .. } = self;
        let lookup = Lookup { conf: &conf, port: sources.port, report, first_server };
        let mut addresses = lookup.addresses(host).await?;
        // The two families' answers come in any order.
        addresses.sort_by_key(IpAddr::is_ipv6);
        let found = Found { host: host.into(), addresses: addresses.clone(), at: Instant::now() };
        self.last.replace(Some(found));
        Ok(addresses)
    }
}

/// A lookup. If it is dropped before its end, its report is kept.
struct Waiting<'a>(&'a Names);

impl Waiting<'_> {
    fn end(self) {
        std::mem::forget(self);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.cut_off.replace(Some(self.0.report.text()));
    }
}

/// The addresses of a name that this machine gives them itself. Empty if it gives none.
pub(crate) fn machine_addresses(host: &str) -> Vec<IpAddr> {
    own_addresses(host, &HOSTS.into())
}

fn own_addresses(host: &str, hosts: &PathBuf) -> Vec<IpAddr> {
    if let Some(address) = literal(host) {
        return vec![address];
    }
    if is_localhost(host) {
        return vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    }
    // A container may have no such file.
    let text = fs::read(hosts).unwrap_or_default();
    let mut addresses = hosts::addresses(&String::from_utf8_lossy(&text), host);
    addresses.sort_by_key(IpAddr::is_ipv6);
    addresses
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
