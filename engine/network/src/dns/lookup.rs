//! The order of names, families and servers of a lookup; resolv.conf(5).

use std::{cell::Cell, net::IpAddr, pin::pin, time::Duration};

use futures_util::future::select;
use rustix::rand::{GetRandomFlags, getrandom};
use tokio::time::timeout;

use super::{
    message::{Family, Question},
    outcome::{LookupError, Outcome},
    report::Report,
    resolv_conf::{Families, ResolvConf},
    server::exchange,
};

/// So long one family is waited for once the other one has settled the name. Some servers and
/// firewalls drop questions for AAAA. RFC 8305 section 3 waits 50 ms.
const OTHER_FAMILY: Duration = Duration::from_millis(500);

/// A lookup of one host.
pub(super) struct Lookup<'a> {
    pub conf: &'a ResolvConf,
    pub port: u16,
    pub report: &'a Report,
    pub first_server: &'a Cell<usize>,
}

impl Lookup<'_> {
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, LookupError> {
        if self.conf.rotate {
            self.first_server.set(random().into());
        }
        for name in self.conf.candidates(host) {
            match self.either(&name).await {
                Outcome::Found(addresses) => return Ok(addresses),
                Outcome::NoDescriptor(error) => return Err(LookupError::NoDescriptor(error)),
                // The next name may be another machine's: silence does not deny this one.
                Outcome::Silent => break,
                Outcome::NoSuchName
                | Outcome::NoAddress
                | Outcome::Code(_)
                | Outcome::Lame
                | Outcome::Failed(_) => {}
            }
        }
        Err(LookupError::NotFound(self.words(host)))
    }

    fn words(&self, host: &str) -> String {
        let said = self.report.text();
        if said.is_empty() {
            return format!("{host} cannot be a name of DNS");
        }
        if self.conf.names_servers { said } else { format!("resolv.conf names no server; {said}") }
    }

    /// Asks for both families.
    async fn either(&self, name: &str) -> Outcome {
        let v4 = pin!(self.ask(name, Family::V4));
        let v6 = pin!(self.ask(name, Family::V6));
        let (first, other) = match self.conf.families {
            Families::V4Alone => return v4.await,
            Families::OneByOne => (v4.await, v6),
            Families::Both => select(v4, v6).await.into_inner(),
        };
        if !first.settles() {
            return first.or(other.await);
        }
        if let Ok(second) = timeout(OTHER_FAMILY, other).await {
            return first.or(second);
        }
        self.report.forget_unanswered(name);
        first
    }

    /// Asks one server after the other until one of them answers without an error.
    async fn ask(&self, name: &str, family: Family) -> Outcome {
        let Some(question) = Question::new(random(), name, family) else {
            return Outcome::NoSuchName;
        };
        let mut outcome = Outcome::Silent;
        for _ in 0..self.conf.attempts {
            let first = self.first_server.get();
            for index in 0..self.conf.servers.len() {
                let number = (first + index) % self.conf.servers.len();
                outcome = self.ask_server(number, name, &question).await;
                match outcome {
                    Outcome::Found(_)
                    | Outcome::NoSuchName
                    | Outcome::NoAddress
                    | Outcome::NoDescriptor(_) => return outcome,
                    // The next lookup may have too little time to wait for this one again.
                    Outcome::Silent => self.first_server.set(number + 1),
                    Outcome::Code(_) | Outcome::Lame | Outcome::Failed(_) => {}
                }
            }
        }
        outcome
    }

    async fn ask_server(&self, number: usize, name: &str, question: &Question) -> Outcome {
        let server = self.conf.servers[number];
        let asked = self.report.asked(server.address, name);
        let address = server.at(self.port);
        let exchange = exchange(address, question, self.conf.use_tcp);
        let outcome = match timeout(self.conf.timeout, exchange).await {
            Ok(answered) => Outcome::of(answered),
            Err(_) => Outcome::Silent,
        };
        self.report.answered(asked, &outcome);
        outcome
    }
}

/// A number that other machines do not guess.
fn random() -> u16 {
    let mut bytes = [0; 2];
    // The kernel gives two bytes at once, after its own start.
    let _ = getrandom(&mut bytes, GetRandomFlags::empty());
    u16::from_ne_bytes(bytes)
}
