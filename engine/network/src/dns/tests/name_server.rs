//! A name server with one name, which may be hostile.

use std::{
    cell::RefCell,
    io,
    net::{Ipv4Addr, Ipv6Addr},
    rc::Rc,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, UdpSocket},
};

pub const FOUND: Ipv4Addr = Ipv4Addr::new(10, 1, 2, 3);
pub const FOUND_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 7);
pub const KNOWN: &str = "my_vault.test";

const NO_ERROR: u16 = 0x8180;
const NAME_ERROR: u16 = 0x8183;
const TRUNCATED: u16 = 0x0200;
const NOT_RECURSIVE: u16 = 0x8100;

/// The way in which a server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Honest,
    /// It answers nothing.
    Silent,
    DropsAaaa,
    /// It knows no other family.
    OnlyAaaa,
    /// An RCODE for every question; with the question, or without.
    Code(u16),
    BareCode(u16),
    /// It refers to others.
    Lame,
    /// Its answers over UDP are cut.
    Truncates,
    /// It has TCP alone.
    TcpAlone,
    /// Wrong answers come before the right one.
    Lies,
    /// An alias stands before the address.
    Alias,
    /// The port is closed.
    Closed,
}

/// The questions that a server was asked.
pub type Asked = Rc<RefCell<Vec<(String, u16)>>>;

/// Serves at an address.
pub async fn serve(address: Ipv4Addr, port: u16, manner: Manner) -> io::Result<(u16, Asked)> {
    let socket = UdpSocket::bind((address, port)).await?;
    let port = socket.local_addr()?.port();
    let asked = Asked::default();
    if manner == Manner::Closed {
        return Ok((port, asked));
    }
    let listener = TcpListener::bind((address, port)).await?;
    tokio::task::spawn_local(over_udp(socket, manner, Rc::clone(&asked)));
    tokio::task::spawn_local(over_tcp(listener, manner, Rc::clone(&asked)));
    Ok((port, asked))
}

async fn over_udp(socket: UdpSocket, manner: Manner, asked: Asked) {
    let mut bytes = [0; 512];
    loop {
        let (length, client) = socket.recv_from(&mut bytes).await.unwrap();
        let question = &bytes[..length];
        let (_, kind) = note(&asked, question);
        if manner == Manner::TcpAlone || manner == Manner::Silent {
            continue;
        }
        if manner == Manner::DropsAaaa && kind == 28 {
            continue;
        }
        for answer in answers(question, manner) {
            socket.send_to(&answer, client).await.unwrap();
        }
    }
}

async fn over_tcp(listener: TcpListener, manner: Manner, asked: Asked) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let length = stream.read_u16().await.unwrap();
        let mut question = vec![0; length.into()];
        stream.read_exact(&mut question).await.unwrap();
        note(&asked, &question);
        let manner = if manner == Manner::Truncates { Manner::Honest } else { manner };
        for answer in answers(&question, manner) {
            stream.write_u16(answer.len().try_into().unwrap()).await.unwrap();
            stream.write_all(&answer).await.unwrap();
        }
    }
}

fn note(asked: &Asked, question: &[u8]) -> (String, u16) {
    let mut name = String::new();
    let mut at = 12;
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        name += &String::from_utf8_lossy(&question[at + 1..end]);
        name.push('.');
        at = end;
    }
    let kind = u16::from_be_bytes([question[at + 1], question[at + 2]]);
    let seen = (name.trim_end_matches('.').to_owned(), kind);
    asked.borrow_mut().push(seen.clone());
    seen
}

fn answers(question: &[u8], manner: Manner) -> Vec<Vec<u8>> {
    let (name, kind) = note(&Asked::default(), question);
    let records = match kind {
        _ if !name.eq_ignore_ascii_case(KNOWN) => None,
        1 if manner == Manner::OnlyAaaa => Some(Vec::new()),
        1 => Some(record(1, &FOUND.octets())),
        _ => Some(record(28, &FOUND_V6.octets())),
    };
    let honest = match &records {
        None => message(question, NAME_ERROR, &[], 0),
        Some(record) => message(question, NO_ERROR, record, u16::from(!record.is_empty())),
    };
    match manner {
        Manner::Code(code) => vec![message(question, 0x8180 | code, &[], 0)],
        Manner::BareCode(code) => {
            let flags = (0x8180 | code).to_be_bytes();
            vec![[&question[..2], &flags, &[0; 8]].concat()]
        }
        Manner::Lame => {
            let mut referral = message(question, NOT_RECURSIVE, &[], 0);
            referral[9] = 1;
            vec![referral]
        }
        Manner::Truncates => vec![message(question, NO_ERROR | TRUNCATED, &[], 0)],
        Manner::Lies => {
            let mut other_id = honest.clone();
            other_id[0] ^= 1;
            let mut other_name = message(question, NO_ERROR, &record(1, &[6, 6, 6, 6]), 1);
            other_name[13] ^= 1;
            let own_question = question.to_vec();
            vec![vec![0xff; 7], other_id, other_name, own_question, honest]
        }
        Manner::Alias => {
            let alias = [&[0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 3][..], b"\x01a\0"].concat();
            let both = [alias, records.unwrap_or_default()].concat();
            vec![message(question, NO_ERROR, &both, 2)]
        }
        _ => vec![honest],
    }
}

fn message(question: &[u8], flags: u16, records: &[u8], count: u16) -> Vec<u8> {
    let header = [flags, 1, count, 0, 0].map(u16::to_be_bytes).concat();
    [&question[..2], &header, &question[12..], records].concat()
}

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    let head = [0xc00c, kind, 1, 0, 30, length].map(u16::to_be_bytes).concat();
    [&head, data].concat()
}

/// The address of a server: several have the same port.
pub fn server_address(index: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, u8::try_from(index).unwrap() + 1)
}

/// Serves at one port of several addresses.
pub async fn serve_all(manners: &[Manner]) -> (u16, Vec<Asked>) {
    loop {
        let mut port = 0;
        let mut all = Vec::new();
        for (index, manner) in manners.iter().enumerate() {
            // Another program may have the port at the second address.
            let Ok((found, asked)) = serve(server_address(index), port, *manner).await else {
                break;
            };
            port = found;
            all.push(asked);
        }
        if all.len() == manners.len() {
            return (port, all);
        }
    }
}
