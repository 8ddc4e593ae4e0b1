use std::sync::{Arc, OnceLock};

use p521::ecdsa::signature::hazmat::PrehashVerifier;
use rustls::{
    SignatureScheme,
    crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring},
    pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id},
};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// ring's algorithms, and the verifications of ECDSA that ring does not have: each over P-521, and
/// those with SHA-512 over P-256 and P-384.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    Arc::clone(PROVIDER.get_or_init(|| {
        let mut provider = ring::default_provider();
        let known = &mut provider.signature_verification_algorithms;
        *known = with_more(known);
        Arc::new(provider)
    }))
}

fn with_more(known: &WebPkiSupportedAlgorithms) -> WebPkiSupportedAlgorithms {
    let mut all = known.all.to_vec();
    all.extend(MORE);
    let mut mapping = known.mapping.to_vec();
    // In TLS 1.2 the scheme names the hash alone, and in TLS 1.3 the first one counts.
    mapping.push((SignatureScheme::ECDSA_NISTP521_SHA512, &MORE[..WITH_SHA512]));
    // Once in a process: rustls wants them to last for ever.
    WebPkiSupportedAlgorithms { all: all.leak(), mapping: mapping.leak() }
}

/// The first ones of [`MORE`].
const WITH_SHA512: usize = 3;

static MORE: [&dyn SignatureVerificationAlgorithm; 5] = [
    &Ecdsa { curve: P521, signature: alg_id::ECDSA_SHA512, digest: sha512 },
    &Ecdsa { curve: P384, signature: alg_id::ECDSA_SHA512, digest: sha512 },
    &Ecdsa { curve: P256, signature: alg_id::ECDSA_SHA512, digest: sha512 },
    &Ecdsa { curve: P521, signature: alg_id::ECDSA_SHA384, digest: |text| digest::<Sha384>(text) },
    &Ecdsa { curve: P521, signature: alg_id::ECDSA_SHA256, digest: |text| digest::<Sha256>(text) },
];

fn sha512(message: &[u8]) -> Vec<u8> {
    digest::<Sha512>(message)
}

fn digest<D: Digest>(message: &[u8]) -> Vec<u8> {
    D::digest(message).to_vec()
}

/// ECDSA over a curve with a digest; FIPS 186-5, RFC 5758.
#[derive(Debug)]
struct Ecdsa {
    curve: Curve,
    signature: AlgorithmIdentifier,
    digest: fn(&[u8]) -> Vec<u8>,
}

#[derive(Debug)]
struct Curve {
    id: AlgorithmIdentifier,
    verify: Verify,
}

/// Takes a public key, a digest and a signature.
type Verify = fn(&[u8], &[u8], &[u8]) -> Option<()>;

/// The verification by a crate of `RustCrypto`. These share their traits, and no type of a key.
macro_rules! curve {
    ($crate_name:ident, $id:expr) => {
        Curve {
            id: $id,
            verify: |key, digest, signature| {
                let key = $crate_name::ecdsa::VerifyingKey::from_sec1_bytes(key).ok()?;
                let signature = $crate_name::ecdsa::Signature::from_der(signature).ok()?;
                key.verify_prehash(digest, &signature).ok()
            },
        }
    };
}

const P256: Curve = curve!(p256, alg_id::ECDSA_P256);
const P384: Curve = curve!(p384, alg_id::ECDSA_P384);
const P521: Curve = curve!(p521, alg_id::ECDSA_P521);

impl SignatureVerificationAlgorithm for Ecdsa {
    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.curve.id
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.signature
    }

    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        let digest = (self.digest)(message);
        (self.curve.verify)(public_key, &digest, signature).ok_or(InvalidSignature)
    }
}

#[cfg(test)]
mod tests {
    use p521::ecdsa::signature::hazmat::PrehashSigner;
    use svc_secrets::guarded;

    use super::*;

    /// A public key, and a signature of a digest by its private one.
    macro_rules! signed {
        ($crate_name:ident, $bytes:expr, $digest:expr) => {{
            let mut scalar = [7; $bytes];
            scalar[0] = 0;
            let key = $crate_name::ecdsa::SigningKey::from_slice(&scalar).unwrap();
            let signature: $crate_name::ecdsa::Signature = key.sign_prehash($digest).unwrap();
            let public = key.verifying_key().to_sec1_point(false);
            (public.as_bytes().to_vec(), signature.to_der().as_bytes().to_vec())
        }};
    }

    #[test]
    fn a_signature_is_that_of_its_message_digest_and_curve_alone() {
        let digests =
            [sha512(b"message"), digest::<Sha384>(b"message"), digest::<Sha256>(b"message")];
        let [longest, middle, short] = &digests;
        let signed = [
            signed!(p521, 66, longest),
            signed!(p384, 48, longest),
            signed!(p256, 32, longest),
            signed!(p521, 66, middle),
            signed!(p521, 66, short),
        ];
        for (algorithm, (public, signature)) in MORE.iter().zip(&signed) {
            // A guard's stack is wiped: the work must not go deeper.
            let verify = |message: &[u8], signature: &[u8]| {
                guarded(|| algorithm.verify_signature(public, message, signature))
            };
            assert!(verify(b"message", signature).is_ok());
            assert!(verify(b"massage", signature).is_err());
            assert!(verify(b"message", &signature[1..]).is_err());
            assert!(algorithm.verify_signature(&[4; 133], b"message", signature).is_err());
        }
        for (at, algorithm) in MORE.iter().enumerate() {
            for (other, (public, signature)) in signed.iter().enumerate() {
                let verified = algorithm.verify_signature(public, b"message", signature);
                assert_eq!(verified.is_ok(), at == other, "{at} {other}");
            }
        }
    }

    #[test]
    fn rings_algorithms_stay() {
        let (with, without) = (provider(), ring::default_provider());
        let count = without.signature_verification_algorithms.all.len();
        assert_eq!(with.signature_verification_algorithms.all.len(), count + MORE.len());
        assert!(with.signature_verification_algorithms.supported_schemes().len() > 8);
        for algorithm in &MORE[..WITH_SHA512] {
            assert_eq!(algorithm.signature_alg_id(), alg_id::ECDSA_SHA512);
        }
    }
}
