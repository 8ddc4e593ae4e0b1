use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
};

use rustix::net::sockopt::set_ipv6_v6only;
use tokio::net::{TcpListener, TcpSocket};

use crate::{dns::machine_addresses, sys::defer_accept};

/// Connections that the kernel keeps until they are let in. Smaller queues are full in a flood.
const BACKLOG: u32 = 4096;
/// A client that says nothing costs nothing here for so long: in HTTP and TLS the client speaks
/// first.
const DEFER_SECONDS: i32 = 5;

/// Listens at an address; at every one of the machine if none is given. A name is `localhost` or
/// one of /etc/hosts, where a machine has its own names: no server is asked. No other process can
/// listen at the port, too.
pub(super) fn listen(host: &str, port: u16) -> io::Result<TcpListener> {
    if !host.is_empty() {
        let known = machine_addresses(host);
        let address = known.first().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        return listen_at(SocketAddr::new(*address, port));
    }
    match listen_at((Ipv6Addr::UNSPECIFIED, port).into()) {
        // A kernel without IPv6; if something else is wrong it fails again, with the right error.
        Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
            listen_at((Ipv4Addr::UNSPECIFIED, port).into())
        }
        result => result,
    }
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv6() {
        let socket = TcpSocket::new_v6()?;
        set_ipv6_v6only(&socket, false)?;
        socket
    } else {
        TcpSocket::new_v4()?
    };
    // Connections of a former listener may still be ending. Unlike SO_REUSEPORT it shares nothing.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    defer_accept(&listener, DEFER_SECONDS)?;
    Ok(listener)
}
