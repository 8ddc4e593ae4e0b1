use rustls::pki_types::{PrivateKeyDer, pem::PemObject};
use svc_secrets::{SecretBytes, guarded};
use x509_cert::der::Decode;

use super::{certificate::Certificate, certificates, certified_key, own_identity::signing_key};

/// The kind of a PEM text that should hold a private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateKeyVerdict {
    /// A [`HttpServer`](crate::HttpServer) can prove itself by it.
    Usable,
    /// There is no key, or one with a passphrase or of an algorithm that is not supported.
    Unusable,
    /// Not even PEM.
    NoPem,
}

/// Whether a PEM text holds certificates, and each that it begins is one.
#[must_use]
pub fn are_certificates(pem: &str) -> bool {
    let found = certificates(pem).unwrap_or_default();
    !found.is_empty() && found.iter().all(|der| Certificate::from_der(der).is_ok())
}

/// Judges a PEM text that should hold a private key.
#[must_use]
pub fn judge_private_key(pem: &SecretBytes) -> PrivateKeyVerdict {
    const BEGIN: &[u8] = b"-----BEGIN ";
    if !pem.expose().windows(BEGIN.len()).any(|window| window == BEGIN) {
        return PrivateKeyVerdict::NoPem;
    }
    let is_usable = guarded(|| {
        let key = PrivateKeyDer::from_pem_slice(pem.expose());
        key.is_ok_and(|key| signing_key(&key).is_some())
    });
    if is_usable { PrivateKeyVerdict::Usable } else { PrivateKeyVerdict::Unusable }
}

/// Whether a private key is that of the first certificate.
#[must_use]
pub fn belong_together(certificate: &str, key: &SecretBytes) -> bool {
    let Some(chain) = certificates(certificate) else { return false };
    guarded(|| {
        let Ok(key) = PrivateKeyDer::from_pem_slice(key.expose()) else { return false };
        certified_key(chain, &key).is_some()
    })
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519};

    use super::*;

    fn secret(text: &str) -> SecretBytes {
        SecretBytes::copy_of(text.as_bytes())
    }

    /// A certificate and its key.
    fn pair(algorithm: &'static rcgen::SignatureAlgorithm) -> (String, String) {
        let key = KeyPair::generate_for(algorithm).unwrap();
        let certificate =
            CertificateParams::new(["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    #[test]
    fn a_key_belongs_to_its_own_certificate_alone() {
        let pairs = [pair(&PKCS_ECDSA_P256_SHA256), pair(&PKCS_ED25519)];
        for (certificate, key) in &pairs {
            assert!(are_certificates(certificate));
            assert_eq!(judge_private_key(&secret(key)), PrivateKeyVerdict::Usable);
            assert!(belong_together(certificate, &secret(key)));
        }
        let [(first, first_key), (second, second_key)] = pairs;
        assert!(!belong_together(&first, &secret(&second_key)));
        let both = format!("{first}{second}");
        assert!(are_certificates(&both));
        assert!(belong_together(&both, &secret(&first_key)));
        assert!(!belong_together(&both, &secret(&second_key)));
    }

    /// Made by OpenSSL; webpki reads version 3 alone.
    #[test]
    fn a_certificate_of_version_1_has_its_own_key_too() {
        let certificate = include_str!("../../testdata/version-1.pem");
        let key = include_str!("../../testdata/version-1.key");
        assert!(are_certificates(certificate));
        assert!(belong_together(certificate, &secret(key)));
        let (_, other) = pair(&PKCS_ECDSA_P256_SHA256);
        assert!(!belong_together(certificate, &secret(&other)));
    }

    #[test]
    fn a_key_over_p521_is_usable_in_both_forms() {
        let certificate = include_str!("../../testdata/p521.pem");
        let (other, _) = pair(&PKCS_ECDSA_P256_SHA256);
        for key in [
            include_str!("../../testdata/p521-pkcs8.key"),
            include_str!("../../testdata/p521-sec1.key"),
        ] {
            assert_eq!(judge_private_key(&secret(key)), PrivateKeyVerdict::Usable);
            assert!(belong_together(certificate, &secret(key)));
            assert!(!belong_together(&other, &secret(key)));
        }
    }

    #[test]
    fn other_texts_are_no_certificates() {
        let (certificate, key) = pair(&PKCS_ECDSA_P256_SHA256);
        let head = "-----BEGIN CERTIFICATE-----\n";
        let torn = certificate.replacen(&format!("{head}MIIB"), &format!("{head}AAAA"), 1);
        assert_ne!(torn, certificate);
        let short = &certificate[..certificate.len() - 30];
        for text in ["", "hello", &key, &torn, short, &format!("{certificate}{torn}")] {
            assert!(!are_certificates(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_private_keys() {
        let (certificate, key) = pair(&PKCS_ECDSA_P256_SHA256);
        for text in ["", "hello"] {
            assert_eq!(judge_private_key(&secret(text)), PrivateKeyVerdict::NoPem);
        }
        let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        let torn = key.replacen("\nM", "\nA", 1);
        for text in [certificate, encrypted, torn] {
            assert_eq!(judge_private_key(&secret(&text)), PrivateKeyVerdict::Unusable);
        }
    }
}
