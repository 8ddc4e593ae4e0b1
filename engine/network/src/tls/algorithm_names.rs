use x509_cert::der::{Decode, Reader, SliceReader, asn1::ObjectIdentifier};

/// RFC 8017, RFC 5758, RFC 8410.
const SIGNATURES: [(&str, &str); 15] = [
    ("1.2.840.113549.1.1.4", "RSA with MD5"),
    ("1.2.840.113549.1.1.5", "RSA with SHA-1"),
    ("1.2.840.113549.1.1.10", "RSA-PSS"),
    ("1.2.840.113549.1.1.11", "RSA with SHA-256"),
    ("1.2.840.113549.1.1.12", "RSA with SHA-384"),
    ("1.2.840.113549.1.1.13", "RSA with SHA-512"),
    ("1.2.840.113549.1.1.14", "RSA with SHA-224"),
    ("1.2.840.10045.4.1", "ECDSA with SHA-1"),
    ("1.2.840.10045.4.3.1", "ECDSA with SHA-224"),
    ("1.2.840.10045.4.3.2", "ECDSA with SHA-256"),
    ("1.2.840.10045.4.3.3", "ECDSA with SHA-384"),
    ("1.2.840.10045.4.3.4", "ECDSA with SHA-512"),
    ("1.3.101.112", "Ed25519"),
    ("1.3.101.113", "Ed448"),
    ("1.2.840.10040.4.3", "DSA with SHA-1"),
];

/// RFC 4055, RFC 5480, RFC 5639, RFC 8410.
const KEYS: [(&str, &str); 12] = [
    ("1.2.840.113549.1.1.1", "RSA"),
    ("1.2.840.113549.1.1.10", "RSA for RSA-PSS alone"),
    ("1.3.132.0.33", "P-224"),
    ("1.2.840.10045.3.1.7", "P-256"),
    ("1.3.132.0.34", "P-384"),
    ("1.3.132.0.35", "P-521"),
    ("1.3.132.0.10", "secp256k1"),
    ("1.3.36.3.3.2.8.1.1.7", "brainpoolP256r1"),
    ("1.3.36.3.3.2.8.1.1.11", "brainpoolP384r1"),
    ("1.3.36.3.3.2.8.1.1.13", "brainpoolP512r1"),
    ("1.3.101.112", "Ed25519"),
    ("1.3.101.113", "Ed448"),
];

/// id-ecPublicKey; RFC 5480 section 2.1.1.
const ELLIPTIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// The name of a signature's algorithm, or its number.
pub(super) fn signature_name(id: ObjectIdentifier) -> String {
    name_in(&SIGNATURES, id)
}

/// The name of a key's kind, from the contents of its `AlgorithmIdentifier`.
pub(super) fn key_name(identifier: &[u8]) -> String {
    let kind = SliceReader::new(identifier).and_then(|mut reader| {
        let id = ObjectIdentifier::decode(&mut reader)?;
        // Its parameter is the curve.
        if id == ELLIPTIC { reader.decode() } else { Ok(id) }
    });
    kind.map_or_else(|_| "an unknown kind".to_owned(), |id| name_in(&KEYS, id))
}

fn name_in(names: &[(&str, &str)], id: ObjectIdentifier) -> String {
    let id = id.to_string();
    names.iter().find(|(known, _)| *known == id).map_or(id, |(_, name)| (*name).to_owned())
}
