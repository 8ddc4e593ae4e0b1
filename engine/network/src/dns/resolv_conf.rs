//! /etc/resolv.conf; resolv.conf(5).

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV6},
    time::Duration,
};

/// If no server is named, the one of this machine is asked; resolv.conf(5).
const DEFAULT_SERVER: Server = Server { address: IpAddr::V4(Ipv4Addr::LOCALHOST), zone: 0 };
/// MAXNS of resolv.h.
const MOST_SERVERS: usize = 3;
const MOST_NDOTS: usize = 15;
const MOST_SECONDS: u64 = 30;
const MOST_ATTEMPTS: u32 = 5;

/// How names are looked up. Options that are not here change nothing for the two record types of
/// addresses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResolvConf {
    pub servers: Vec<Server>,
    /// False if the file names no server.
    pub names_servers: bool,
    /// Without a dot at the end.
    pub search: Vec<String>,
    pub ndots: usize,
    pub timeout: Duration,
    pub attempts: u32,
    pub rotate: bool,
    pub use_tcp: bool,
    pub families: Families,
}

/// A name server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Server {
    pub address: IpAddr,
    /// The number of the interface, for a link-local address; 0 if none is named.
    zone: u32,
}

/// The questions for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Families {
    /// Both at the same time.
    Both,
    /// `single-request`
    OneByOne,
    /// `no-aaaa`
    V4Alone,
}

impl ResolvConf {
    /// Takes each line that it understands.
    pub fn parse(text: &str, hostname: &str) -> Self {
        let mut conf = Self::of_nothing();
        let mut search = None;
        for line in text.lines().filter(|line| !line.starts_with(['#', ';'])) {
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("nameserver") => conf.servers.extend(words.next().and_then(server)),
                // The last one of both counts.
                Some("domain") => search = Some(domains(words.take(1))),
                Some("search") => search = Some(domains(words)),
                Some("options") => words.for_each(|word| conf.set(word)),
                _ => {}
            }
        }
        conf.names_servers = !conf.servers.is_empty();
        if !conf.names_servers {
            conf.servers.push(DEFAULT_SERVER);
        }
        conf.servers.truncate(MOST_SERVERS);
        let own_domain = hostname.split_once('.').map(|(_, domain)| domain);
        conf.search = search.unwrap_or_else(|| domains(own_domain.into_iter()));
        conf
    }

    fn of_nothing() -> Self {
        Self {
            servers: Vec::new(),
            names_servers: false,
            search: Vec::new(),
            ndots: 1,
            timeout: Duration::from_secs(5),
            attempts: 2,
            rotate: false,
            use_tcp: false,
            families: Families::Both,
        }
    }

    fn set(&mut self, option: &str) {
        let (name, value) = option.split_once(':').unwrap_or((option, ""));
        match name {
            "ndots" => self.ndots = value.parse().map_or(self.ndots, |n: usize| n.min(MOST_NDOTS)),
            "timeout" => {
                let seconds = value.parse().ok().map(|n: u64| n.clamp(1, MOST_SECONDS));
                self.timeout = seconds.map_or(self.timeout, Duration::from_secs);
            }
            "attempts" => {
                self.attempts =
                    value.parse().map_or(self.attempts, |n: u32| n.clamp(1, MOST_ATTEMPTS));
            }
            "rotate" => self.rotate = true,
            "use-vc" => self.use_tcp = true,
            "no-aaaa" => self.families = Families::V4Alone,
            "single-request" | "single-request-reopen" if self.families == Families::Both => {
                self.families = Families::OneByOne;
            }
            _ => {}
        }
    }

    /// The names that a host may mean, in the order of questions.
    pub fn candidates(&self, host: &str) -> Vec<String> {
        if host.ends_with('.') {
            return vec![host.into()];
        }
        let itself = format!("{host}.");
        let mut names: Vec<_> =
            self.search.iter().map(|domain| format!("{host}.{domain}.")).collect();
        if host.matches('.').count() >= self.ndots {
            names.insert(0, itself);
        } else {
            names.push(itself);
        }
        names
    }
}

impl Server {
    pub fn at(self, port: u16) -> SocketAddr {
        match self.address {
            IpAddr::V4(_) => SocketAddr::new(self.address, port),
            IpAddr::V6(address) => SocketAddrV6::new(address, port, 0, self.zone).into(),
        }
    }
}

/// `10.0.0.1`, `fd00::1`, or `fe80::1%eth0` with the name or number of an interface.
fn server(word: &str) -> Option<Server> {
    let (address, zone) = word.split_once('%').unwrap_or((word, "0"));
    Some(Server { address: address.parse().ok()?, zone: interface(zone)? })
}

fn interface(zone: &str) -> Option<u32> {
    if let Ok(number) = zone.parse() {
        return Some(number);
    }
    if zone.contains('/') {
        return None;
    }
    let number = fs::read_to_string(format!("/sys/class/net/{zone}/ifindex")).ok()?;
    number.trim().parse().ok()
}

fn domains<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let trimmed = words.map(|word| word.trim_end_matches('.'));
    trimmed.filter(|domain| !domain.is_empty()).map(Into::into).collect()
}
