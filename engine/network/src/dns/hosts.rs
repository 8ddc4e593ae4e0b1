//! /etc/hosts; hosts(5).

use std::net::IpAddr;

/// The addresses of a name, in the file's order.
pub(super) fn addresses(text: &str, host: &str) -> Vec<IpAddr> {
    let wanted = host.strip_suffix('.').unwrap_or(host);
    text.lines().filter_map(|line| address(line, wanted)).collect()
}

fn address(line: &str, wanted: &str) -> Option<IpAddr> {
    let mut words = line.split('#').next()?.split_ascii_whitespace();
    let address = words.next()?;
    words.any(|name| name.eq_ignore_ascii_case(wanted)).then(|| address.parse().ok())?
}
