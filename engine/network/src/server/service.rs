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
