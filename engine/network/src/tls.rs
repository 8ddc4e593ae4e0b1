//! TLS by rustls with ring and p521: the trusted CA certificates, and our own certificate.

mod algorithm_names;
mod authority;
mod certificate;
mod client_config;
mod material;
mod own_identity;
mod p521_key;
mod provider;
mod purposes;
mod refusal;
mod server_check;
mod sessions;
mod settings;

pub(crate) use certificate::common_name;
pub(crate) use client_config::certificates;
pub use material::{PrivateKeyVerdict, are_certificates, belong_together, judge_private_key};
pub(crate) use own_identity::certified_key;
pub(crate) use provider::provider;
pub(crate) use sessions::{Offer, Session, Sessions};
pub use settings::HttpTls;
