use std::sync::Arc;

use p521::ecdsa::{Signature, SigningKey as Scalar, signature::hazmat::PrehashSigner};
use rustls::{
    Error, SignatureAlgorithm, SignatureScheme,
    pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer, alg_id},
    sign::{Signer, SigningKey, public_key_to_spki},
};
use sha2::{Digest, Sha512};
use svc_secrets::guarded;
use x509_cert::{
    der::{
        Decode, Reader, SliceReader, TagMode, TagNumber,
        asn1::{BitStringRef, ObjectIdentifier, OctetStringRef},
    },
    spki::AlgorithmIdentifier,
};

/// id-ecPublicKey and secp521r1; RFC 5480 section 2.1.1.
const ELLIPTIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P521: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.35");
/// The octets of a private key over P-521; RFC 5915 section 3.
const SCALAR_BYTES: usize = 66;

/// A private key over P-521, which ring does not have. It lies where it was made, and is wiped when
/// its last owner drops it.
#[derive(Clone)]
pub(super) struct P521Key(Arc<Scalar>);

impl P521Key {
    /// The key of a PKCS#8 or SEC1 structure, if it is over P-521. Made within [`guarded`].
    pub fn new(der: &PrivateKeyDer<'_>) -> Option<Self> {
        let scalar = match der {
            PrivateKeyDer::Pkcs8(der) => in_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Sec1(der) => in_sec1(der.secret_sec1_der(), None),
            _ => None,
        }?;
        Scalar::from_slice(scalar).ok().map(Arc::new).map(Self)
    }
}

/// The scalar in a `PrivateKeyInfo`; RFC 5208 section 5.
fn in_pkcs8(der: &[u8]) -> Option<&[u8]> {
    let mut reader = SliceReader::new(der).ok()?;
    let parts = reader.sequence(|reader| {
        u8::decode(reader)?;
        let kind = AlgorithmIdentifier::<ObjectIdentifier>::decode(reader)?;
        let key = OctetStringRef::decode(reader)?;
        // Attributes, and the public key.
        reader.read_slice(reader.remaining_len())?;
        Ok((kind, key.as_bytes()))
    });
    let (kind, key) = parts.ok()?;
    (kind.oid == ELLIPTIC).then(|| in_sec1(key, kind.parameters))?
}

/// The scalar in an `ECPrivateKey`, which may leave its curve to the structure around it; RFC 5915
/// section 3.
fn in_sec1(der: &[u8], around: Option<ObjectIdentifier>) -> Option<&[u8]> {
    let mut reader = SliceReader::new(der).ok()?;
    let parts = reader.sequence(|reader| {
        u8::decode(reader)?;
        let scalar = OctetStringRef::decode(reader)?;
        let curve =
            reader.context_specific::<ObjectIdentifier>(TagNumber::N0, TagMode::Explicit)?;
        reader.context_specific::<BitStringRef<'_>>(TagNumber::N1, TagMode::Explicit)?;
        Ok((scalar.as_bytes(), curve))
    });
    let (scalar, curve) = parts.ok()?;
    let is_p521 = curve.or(around) == Some(P521) && around.is_none_or(|curve| curve == P521);
    (is_p521 && scalar.len() == SCALAR_BYTES).then_some(scalar)
}

impl SigningKey for P521Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let is_offered = offered.contains(&SignatureScheme::ECDSA_NISTP521_SHA512);
        is_offered.then(|| Box::new(self.clone()) as Box<dyn Signer>)
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        let point = self.0.verifying_key().to_sec1_point(false);
        Some(public_key_to_spki(&alg_id::ECDSA_P521, point))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }
}

impl Signer for P521Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let digest = Sha512::digest(message);
        let mut signature = Vec::with_capacity(3 * SCALAR_BYTES);
        let signed: Result<Signature, _> = guarded(|| self.0.sign_prehash(&digest));
        let signed = signed.map_err(|_| Error::General("the client key cannot sign".into()))?;
        signature.extend_from_slice(signed.to_der().as_bytes());
        Ok(signature)
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ECDSA_NISTP521_SHA512
    }
}

impl std::fmt::Debug for P521Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("P521Key")
    }
}

#[cfg(test)]
mod tests {
    use p521::ecdsa::{VerifyingKey, signature::hazmat::PrehashVerifier};
    use rustls::pki_types::pem::PemObject;

    use super::*;

    /// Made by OpenSSL: one key in both forms, and one over P-256.
    const PKCS8: &str = include_str!("../../testdata/p521-pkcs8.key");
    const SEC1: &str = include_str!("../../testdata/p521-sec1.key");

    fn key(pem: &str) -> Option<P521Key> {
        let der = PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap();
        guarded(|| P521Key::new(&der))
    }

    #[test]
    fn both_forms_of_a_key_sign_alike() {
        let (one, other) = (key(PKCS8).unwrap(), key(SEC1).unwrap());
        assert_eq!(one.public_key(), other.public_key());
        let signer = one.choose_scheme(&[SignatureScheme::ECDSA_NISTP521_SHA512]).unwrap();
        let signature = signer.sign(b"message").unwrap();
        assert_eq!(signature, other.sign(b"message").unwrap());
        let public = VerifyingKey::from(&*one.0);
        let verify = |message: &[u8]| {
            let parsed = Signature::from_der(&signature).unwrap();
            public.verify_prehash(&Sha512::digest(message), &parsed)
        };
        assert!(verify(b"message").is_ok());
        assert!(verify(b"massage").is_err());
        assert!(one.choose_scheme(&[SignatureScheme::ECDSA_NISTP384_SHA384]).is_none());
    }

    #[test]
    fn other_keys_are_not_taken() {
        for algorithm in [&rcgen::PKCS_ECDSA_P256_SHA256, &rcgen::PKCS_ECDSA_P384_SHA384] {
            let other = rcgen::KeyPair::generate_for(algorithm).unwrap();
            assert!(key(&other.serialize_pem()).is_none());
        }
        let sec1 = PrivateKeyDer::from_pem_slice(SEC1.as_bytes()).unwrap();
        let bytes = sec1.secret_der();
        for end in 0..bytes.len() {
            assert!(in_sec1(&bytes[..end], None).is_none());
        }
        assert!(in_sec1(bytes, Some(ELLIPTIC)).is_none());
        assert!(in_sec1(bytes, Some(P521)).is_some());
    }
}
