mod name_server;

use std::{future::Future, time::Duration};

use tempfile::TempDir;
use tokio::{task::LocalSet, time::timeout};

use name_server::{FOUND, FOUND_V6, KNOWN, Manner, serve_all, server_address};

use super::*;

/// Shorter than the waits that a lookup must not begin, which are told to be 30 s.
const SOON: Duration = Duration::from_secs(20);

struct Sandbox {
    directory: TempDir,
    port: u16,
}

impl Sandbox {
    fn new(resolv_conf: &str, hosts: &str, port: u16) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let write = |name, text| std::fs::write(directory.path().join(name), text).unwrap();
        write("resolv.conf", resolv_conf);
        write("hosts", hosts);
        write("hostname", "machine.own.test\n");
        Self { directory, port }
    }

    fn names(&self) -> Names {
        let path = |name| self.directory.path().join(name);
        Names::of(Sources {
            resolv_conf: path("resolv.conf"),
            hosts: path("hosts"),
            hostname: path("hostname"),
            port: self.port,
        })
    }
}

/// resolv.conf with a line for each server.
fn resolv_conf(servers: usize, rest: &str) -> String {
    let lines = (0..servers).map(|index| format!("nameserver {}\n", server_address(index)));
    lines.collect::<String>() + rest
}

async fn locally(test: impl Future<Output = ()>) {
    LocalSet::new().run_until(test).await;
}

fn words(found: Result<Vec<IpAddr>, LookupError>) -> String {
    match found {
        Ok(addresses) => addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Err(LookupError::NotFound(words)) => words,
        Err(LookupError::NoDescriptor(error)) => error.to_string(),
    }
}

/// Both addresses of the known name.
fn both() -> String {
    format!("{FOUND} {FOUND_V6}")
}

#[tokio::test]
async fn finds_a_name_as_other_programs_do_soon() {
    use Manner::{
        Alias, BareCode, Closed, Code, DropsAaaa, Honest, Lame, Lies, OnlyAaaa, Silent, TcpAlone,
        Truncates,
    };
    let (both, v4, v6) = (both(), FOUND.to_string(), FOUND_V6.to_string());
    let silence = "DNS server 127.0.0.1 has not answered for my_vault.test";
    // The wait for a silent server is 30 s unless the options say otherwise.
    let rows: &[(&str, &[Manner], &str, &str, &str)] = &[
        ("an honest server", &[Honest], "", KNOWN, &both),
        ("a name in capitals", &[Honest], "", "MY_Vault.test", &both),
        ("a name with a dot at its end", &[Honest], "search x.test", "my_vault.test.", &both),
        ("an alias", &[Alias], "", KNOWN, &both),
        ("wrong answers before the right one", &[Lies], "", KNOWN, &both),
        ("no answer for AAAA", &[DropsAaaa], "", KNOWN, &v4),
        (
            "no answer for AAAA of a searched name",
            &[DropsAaaa],
            "search x.test test",
            "my_vault",
            &v4,
        ),
        ("no-aaaa", &[Honest], "options no-aaaa", KNOWN, &v4),
        ("one question at a time", &[DropsAaaa], "options single-request", KNOWN, &v4),
        ("a name of IPv6 alone", &[OnlyAaaa], "", KNOWN, &v6),
        ("a first server that refuses", &[Code(5), Honest], "", KNOWN, &both),
        ("a first server that fails", &[Code(2), Honest], "", KNOWN, &both),
        ("one that does not repeat the question", &[BareCode(1), Honest], "", KNOWN, &both),
        ("one that refers to others", &[Lame, Honest], "", KNOWN, &both),
        ("one with a closed port", &[Closed, Honest], "", KNOWN, &both),
        ("two of them", &[Closed, Code(4), Honest], "", KNOWN, &both),
        ("a first server that is silent", &[Silent, Honest], "options timeout:1", KNOWN, &both),
        ("a silent one in each attempt", &[Silent], "options timeout:1 attempts:1", KNOWN, silence),
        ("truncated answers", &[Truncates], "", KNOWN, &both),
        ("use-vc", &[TcpAlone], "options use-vc", KNOWN, &both),
        ("the search list", &[Honest], "search other.test test", "my_vault", &both),
        (
            "the last of domain and search",
            &[Honest],
            "search x.test\ndomain test",
            "my_vault",
            &both,
        ),
        (
            "a name that is not there",
            &[Honest],
            "",
            "vault.test",
            "DNS server 127.0.0.1: there is no vault.test.own.test",
        ),
        (
            "servers that all refuse",
            &[Code(5), Code(2)],
            "search test",
            "my_vault.test",
            "DNS server 127.0.0.1 answered REFUSED for my_vault.test.test, \
             DNS server 127.0.0.2 answered SERVFAIL for my_vault.test.test",
        ),
        ("no name of DNS", &[Honest], "", "a..b", "a..b cannot be a name of DNS"),
    ];
    for (what, manners, rest, host, expected) in rows {
        locally(async {
            let (port, _) = serve_all(manners).await;
            let conf = resolv_conf(manners.len(), &format!("options timeout:30\n{rest}\n"));
            let names = Sandbox::new(&conf, "", port);
            let found = timeout(SOON, names.names().addresses(host)).await;
            let found = found.unwrap_or_else(|_| panic!("{what}: it waits"));
            assert_eq!(words(found), *expected, "{what}");
        })
        .await;
    }
}

#[tokio::test]
async fn literals_and_localhost_ask_no_server_and_read_no_file() {
    // Port 1 has no name server.
    let none = || "/nonexistent".into();
    let names =
        Names::of(Sources { resolv_conf: none(), hosts: none(), hostname: none(), port: 1 });
    for (host, expected) in [
        ("10.1.2.3", "10.1.2.3"),
        ("[::1]", "::1"),
        ("::1", "::1"),
        ("localhost", "127.0.0.1 ::1"),
        ("LocalHost.", "127.0.0.1 ::1"),
        ("a.localhost", "127.0.0.1 ::1"),
    ] {
        assert_eq!(words(names.addresses(host).await), expected, "{host}");
    }
}

#[tokio::test]
async fn names_are_looked_up_in_the_order_of_ndots() {
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "search a.test b.test\noptions ndots:5",
            "vault.vault.svc",
            &["vault.vault.svc.a.test", "vault.vault.svc.b.test", "vault.vault.svc"],
        ),
        ("search a.test", "vault", &["vault.a.test", "vault"]),
        ("search a.test", "vault.x", &["vault.x", "vault.x.a.test"]),
        ("search a.test\noptions ndots:0", "vault", &["vault", "vault.a.test"]),
        ("search a.test", "vault.", &["vault"]),
        ("search .", "vault", &["vault"]),
        ("", "vault", &["vault.own.test", "vault"]),
        ("# search c.test\n;search d.test\nnonsense", "vault", &["vault.own.test", "vault"]),
    ];
    for (rest, host, expected) in rows {
        locally(async {
            let (port, asked) = serve_all(&[Manner::Honest]).await;
            let sandbox = Sandbox::new(&resolv_conf(1, rest), "", port);
            assert!(sandbox.names().addresses(host).await.is_err());
            let asked = asked[0].take().into_iter().filter(|(_, kind)| *kind == 1);
            let asked: Vec<_> = asked.map(|(name, _)| name).collect();
            assert_eq!(asked, *expected, "{rest}: {host}");
        })
        .await;
    }
}

#[tokio::test]
async fn rotate_asks_each_server_at_some_time() {
    locally(async {
        let (port, asked) = serve_all(&[Manner::Honest, Manner::Honest]).await;
        let sandbox = Sandbox::new(&resolv_conf(2, "options rotate\n"), "", port);
        while asked.iter().any(|asked| asked.borrow().is_empty()) {
            assert_eq!(words(sandbox.names().addresses(KNOWN).await), both());
        }
    })
    .await;
}

#[tokio::test]
async fn a_silent_server_is_not_the_first_of_the_next_lookup() {
    locally(async {
        let (port, asked) = serve_all(&[Manner::Silent, Manner::Honest]).await;
        let conf = resolv_conf(2, "options timeout:1\n");
        let sandbox = Sandbox::new(&conf, "", port);
        let names = sandbox.names();
        assert_eq!(words(names.addresses(KNOWN).await), both());
        asked[0].take();
        assert!(names.addresses("other.test").await.is_err());
        assert!(asked[0].take().is_empty());
    })
    .await;
}

#[tokio::test]
async fn requests_of_a_wave_ask_once_and_a_name_that_is_not_there_yet_again() {
    locally(async {
        let (port, asked) = serve_all(&[Manner::Honest]).await;
        let sandbox = Sandbox::new(&resolv_conf(1, "search none.test\n"), "", port);
        let names = sandbox.names();
        for _ in 0..2 {
            assert!(names.addresses("vault.test").await.is_err());
            assert_eq!(asked[0].take().len(), 4);
        }
        for _ in 0..3 {
            assert_eq!(words(names.addresses(KNOWN).await), both());
        }
        assert_eq!(asked[0].take().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_lookup_that_is_cut_off_leaves_the_words_of_the_servers() {
    locally(async {
        let (port, asked) = serve_all(&[Manner::Code(2), Manner::Silent]).await;
        let conf = resolv_conf(2, "options timeout:30\n");
        let sandbox = Sandbox::new(&conf, "", port);
        let names = sandbox.names();
        let both_asked = async {
            while asked[1].borrow().len() < 2 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = names.addresses(KNOWN) => panic!("found"),
            () = both_asked => {}
        }
        let said = "DNS server 127.0.0.1 answered SERVFAIL for my_vault.test, \
             DNS server 127.0.0.2 has not answered for my_vault.test";
        assert_eq!(names.take_cut_off().as_deref(), Some(said));
        assert_eq!(names.take_cut_off(), None);
    })
    .await;
}

#[tokio::test]
async fn the_hosts_file_wins_and_a_file_without_a_server_means_this_machine() {
    locally(async {
        let (port, asked) = serve_all(&[Manner::Honest]).await;
        let hosts = "# 10.6.6.6 vault.hosts\nfd00::9 Vault.hosts\n10.9.9.9 other vault.hosts # x\n";
        for conf in ["", "search test\n", "nonsense\noptions ndots:1\n"] {
            let files = Sandbox::new(conf, hosts, port);
            let names = files.names();
            for host in ["vault.hosts", "VAULT.HOSTS."] {
                assert_eq!(words(names.addresses(host).await), "10.9.9.9 fd00::9");
            }
            assert!(asked[0].take().is_empty());
            assert_eq!(words(names.addresses(KNOWN).await), both());
            let missing = words(names.addresses("vault.test.").await);
            let told = "resolv.conf names no server; DNS server 127.0.0.1: there is no vault.test";
            assert_eq!(missing, told);
            asked[0].take();
        }
    })
    .await;
}

#[test]
fn options_have_the_bounds_of_the_manual_page() {
    let conf = ResolvConf::parse("options ndots:99 timeout:0 attempts:9 edns0 rotate:1\n", "");
    assert_eq!((conf.ndots, conf.timeout.as_secs(), conf.attempts), (15, 1, 5));
    let conf = ResolvConf::parse("options ndots:x timeout: attempts\n", "");
    assert_eq!((conf.ndots, conf.timeout.as_secs(), conf.attempts), (1, 5, 2));
    let four = "nameserver fe80::1%lo\nnameserver fe80::1%none\nnameserver ::1\nnameserver x\nnameserver 10.0.0.1\n\
        nameserver 10.0.0.2\n";
    let servers = ResolvConf::parse(four, "").servers;
    let servers: Vec<_> = servers.iter().map(|server| server.at(53).to_string()).collect();
    assert_eq!(servers, ["[fe80::1%1]:53", "[::1]:53", "10.0.0.1:53"]);
}

#[test]
fn no_bytes_are_too_odd_for_an_answer() {
    use message::{Family, Question};
    let question = Question::new(7, KNOWN, Family::V4).unwrap();
    let mut whole = question.bytes.clone();
    (whole[2], whole[3], whole[7]) = (0x81, 0x80, 3);
    whole.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 10, 0, 0, 1]);
    // The second record ends too early.
    whole.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0xff, 0xff, 10]);
    let answer = question.answer(&whole).unwrap();
    assert_eq!(answer.addresses, ["10.0.0.1".parse::<IpAddr>().unwrap()]);
    for length in 0..whole.len() {
        for byte in [0, 1, 0x3f, 0xc0, 0xff] {
            let mut changed = whole.clone();
            changed[length] = byte;
            let _ = question.answer(&changed);
            let _ = question.answer(&changed[..length]);
        }
    }
}
