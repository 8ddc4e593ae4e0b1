//! One question to one name server.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UdpSocket},
};

use super::message::{Answer, Question};

/// Without EDNS a server sends 512 bytes; some send more.
const MOST_BYTES: usize = 4096;

/// Waits for the answer without a limit of time. Over UDP everything that does not answer the
/// question is passed over. A truncated answer is asked for again over TCP.
pub(super) async fn exchange(
    server: SocketAddr,
    question: &Question,
    use_tcp: bool,
) -> io::Result<Answer> {
    if use_tcp {
        return over_tcp(server, question).await;
    }
    let answer = over_udp(server, question).await?;
    if answer.is_truncated { over_tcp(server, question).await } else { Ok(answer) }
}

async fn over_udp(server: SocketAddr, question: &Question) -> io::Result<Answer> {
    let any: IpAddr = match server {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    // The kernel chooses a port at random, and lets no other machine's packets through.
    let socket = UdpSocket::bind((any, 0)).await?;
    socket.connect(server).await?;
    socket.send(&question.bytes).await?;
    let mut bytes = vec![0; MOST_BYTES];
    loop {
        let length = socket.recv(&mut bytes).await?;
        if let Some(answer) = question.answer(&bytes[..length]) {
            return Ok(answer);
        }
    }
}

async fn over_tcp(server: SocketAddr, question: &Question) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(question.bytes.len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes(), question.bytes.as_slice()].concat()).await?;
    let mut bytes = vec![0; stream.read_u16().await?.into()];
    stream.read_exact(&mut bytes).await?;
    let answer = question.answer(&bytes);
    answer.ok_or_else(|| io::Error::other("the answer is for another question"))
}
