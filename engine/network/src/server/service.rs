use std::{future::Future, net::IpAddr, pin::Pin};

use svc_secrets::SecretBytes;

use super::{Answer, Refusal, RequestHead};

/// The client of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its IP address.
    pub address: IpAddr,
    /// The common name of a certificate that the client authority signed; empty if it has none.
    /// `None` without such a certificate.
    pub certificate_name: Option<String>,
}

/// An answer that is being looked for. It is dropped if the client resets its connection.
pub type Answering = Pin<Box<dyn Future<Output = Answer>>>;

/// Answers requests.
pub trait Service {
    /// Answers from the head alone; `None` if the body is needed.
    fn answer_head(&self, head: &RequestHead, client: &Client) -> Option<Answer>;
    /// Answers once the body is there.
    fn answer_body(&self, head: RequestHead, body: SecretBytes, client: Client) -> Answering;
    /// Says why a request is not answered as asked.
    fn refuse(&self, refusal: &Refusal) -> Answer;
}

/// The admission's decision on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It comes in.
    In,
    /// It comes in, and another one has to go, which the admission has forgotten already.
    InFor(u64),
    /// There is no room.
    Refused,
}

/// Decides which connections may be there. Every visit has its own number.
pub trait Admission {
    /// A client has connected.
    fn enter(&self, visit: u64, address: IpAddr) -> Entry;
    /// A request is whole and its answer is looked for, or that is over. A visit that is being
    /// answered should not be sent away.
    fn answering(&self, visit: u64, is_answering: bool);
    /// A visit is over. Not said of those that were refused or had to go.
    fn leave(&self, visit: u64);
}
