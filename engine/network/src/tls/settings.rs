use svc_secrets::SecretBytes;

/// How a server proves itself to us and, with a client certificate, we to the server.
#[derive(Clone, Debug, Default)]
pub struct HttpTls {
    /// Accept any certificate. For development only.
    pub skip_verify: bool,
    /// PEM texts, the only authorities then; the public ones if it is not given.
    pub ca: Option<Vec<String>>,
    /// A PEM client certificate with its chain. Given together with `key`.
    pub cert: Option<String>,
    /// The PEM private key of `cert`, not encrypted.
    pub key: Option<SecretBytes>,
    /// Replaces the host of the URL in SNI, and as the name the certificate must have.
    pub server_name: Option<String>,
}

impl PartialEq for HttpTls {
    fn eq(&self, other: &Self) -> bool {
        self.skip_verify == other.skip_verify
            && self.ca == other.ca
            && self.cert == other.cert
            && self.server_name == other.server_name
            && self.key.as_ref().map(SecretBytes::expose)
                == other.key.as_ref().map(SecretBytes::expose)
    }
}
