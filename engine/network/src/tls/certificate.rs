use std::{
    net::{Ipv4Addr, Ipv6Addr},
    time::Duration,
};

use rustls::pki_types::CertificateDer;
use x509_cert::{
    certificate::{CertificateInner, Raw},
    der::{
        Decode, Encode, Reader, SliceReader, Tag, Tagged,
        asn1::{ObjectIdentifier, UintRef},
    },
    ext::pkix::{KeyUsage, SubjectAltName, name::GeneralName},
};

/// A certificate of any version. Serial numbers may have any length, as in Go and OpenSSL.
pub(super) type Certificate = CertificateInner<Raw>;

/// id-at-commonName; X.520.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// The DNS names and IP addresses that a certificate is for; RFC 5280 section 4.2.1.6.
pub(super) fn names(der: &CertificateDer<'_>) -> Vec<String> {
    let Ok(certificate) = Certificate::from_der(der) else { return Vec::new() };
    let Ok(Some((_, names))) = certificate.tbs_certificate.get::<SubjectAltName>() else {
        return Vec::new();
    };
    names.0.iter().filter_map(text_of).collect()
}

fn text_of(name: &GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_owned()),
        GeneralName::IpAddress(bytes) => {
            let bytes = bytes.as_bytes();
            let four = <[u8; 4]>::try_from(bytes).map(|bytes| Ipv4Addr::from(bytes).to_string());
            let sixteen =
                <[u8; 16]>::try_from(bytes).map(|bytes| Ipv6Addr::from(bytes).to_string());
            four.or(sixteen).ok()
        }
        _ => None,
    }
}

/// The first common name of a certificate's subject.
pub(crate) fn common_name(der: &CertificateDer<'_>) -> Option<String> {
    let subject = Certificate::from_der(der).ok()?.tbs_certificate.subject;
    let mut attributes = subject.0.iter().flat_map(|name| name.0.iter());
    let name = &attributes.find(|attribute| attribute.oid == COMMON_NAME)?.value;
    // UTF8String, PrintableString and IA5String are UTF-8; RFC 5280 section 4.1.2.4 wants those.
    matches!(name.tag(), Tag::Utf8String | Tag::PrintableString | Tag::Ia5String)
        .then(|| String::from_utf8(name.value().to_vec()).ok())?
}

/// The DER of a certificate's public key, of each version of X.509; webpki reads version 3 alone.
pub(super) fn public_key(der: &CertificateDer<'_>) -> Option<Vec<u8>> {
    let certificate = Certificate::from_der(der).ok()?;
    certificate.tbs_certificate.subject_public_key_info.to_der().ok()
}

/// Whether the key usage, if there is one, has keyCertSign; RFC 5280 section 4.2.1.3.
pub(super) fn may_sign(certificate: &Certificate) -> bool {
    let usage = certificate.tbs_certificate.get::<KeyUsage>();
    usage.is_ok_and(|usage| usage.is_none_or(|(_, usage)| usage.key_cert_sign()))
}

/// From when until when a certificate is valid, since 1970.
pub(super) fn validity(certificate: &Certificate) -> (Duration, Duration) {
    let validity = certificate.tbs_certificate.validity;
    (validity.not_before.to_unix_duration(), validity.not_after.to_unix_duration())
}

/// rsaEncryption; RFC 3279 section 2.3.1.
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

/// The length of a certificate's RSA key.
pub(super) fn rsa_bits(certificate: &Certificate) -> Option<usize> {
    let key = &certificate.tbs_certificate.subject_public_key_info;
    if key.algorithm.oid != RSA {
        return None;
    }
    let mut reader = SliceReader::new(key.subject_public_key.as_bytes()?).ok()?;
    let numbers = reader.sequence(|numbers| {
        let modulus = UintRef::decode(numbers)?.as_bytes();
        UintRef::decode(numbers)?;
        Ok(modulus)
    });
    let modulus = numbers.ok()?;
    let zeros = usize::try_from(modulus.first()?.leading_zeros()).ok()?;
    Some(modulus.len() * 8 - zeros)
}
