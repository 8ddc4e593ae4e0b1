use std::{
    net::{Ipv4Addr, Ipv6Addr},
    time::Duration,
};

use rustls::pki_types::CertificateDer;
use x509_cert::{
    Certificate,
    der::{Decode, Encode, Tag, Tagged, asn1::ObjectIdentifier},
    ext::pkix::{KeyUsage, SubjectAltName, name::GeneralName},
};

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

/// Whether a certificate says that its subject signed it.
pub(super) fn is_self_issued(der: &CertificateDer<'_>) -> bool {
    Certificate::from_der(der)
        .is_ok_and(|Certificate { tbs_certificate: tbs, .. }| tbs.subject == tbs.issuer)
}

/// Whether the name of one certificate's subject is that of the other one's issuer.
pub(super) fn may_have_signed(der: &CertificateDer<'_>, other: &CertificateDer<'_>) -> bool {
    let (one, other) = (Certificate::from_der(der), Certificate::from_der(other));
    matches!((one, other), (Ok(one), Ok(other))
        if one.tbs_certificate.subject == other.tbs_certificate.issuer)
}

/// Whether the key usage, if there is one, has keyCertSign; RFC 5280 section 4.2.1.3.
pub(super) fn may_sign(der: &CertificateDer<'_>) -> bool {
    let Ok(certificate) = Certificate::from_der(der) else { return false };
    match certificate.tbs_certificate.get::<KeyUsage>() {
        Ok(usage) => usage.is_none_or(|(_, usage)| usage.key_cert_sign()),
        Err(_) => false,
    }
}

/// From when until when a certificate is valid, since 1970.
pub(super) fn validity(der: &CertificateDer<'_>) -> Option<(Duration, Duration)> {
    let validity = Certificate::from_der(der).ok()?.tbs_certificate.validity;
    Some((validity.not_before.to_unix_duration(), validity.not_after.to_unix_duration()))
}
