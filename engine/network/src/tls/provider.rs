use std::sync::{Arc, OnceLock};

use p521::ecdsa::{Signature, VerifyingKey, signature::hazmat::PrehashVerifier};
use rustls::{
    SignatureScheme,
    crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring},
    pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id},
};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// ring's algorithms, and the verification of ECDSA over P-521, which ring does not have.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: OnceLock<Arc<CryptoProvider>> = OnceLock::new();
    Arc::clone(PROVIDER.get_or_init(|| {
        let mut provider = ring::default_provider();
        let known = &mut provider.signature_verification_algorithms;
        *known = with_p521(known);
        Arc::new(provider)
    }))
}

fn with_p521(known: &WebPkiSupportedAlgorithms) -> WebPkiSupportedAlgorithms {
    let mut all = known.all.to_vec();
    all.extend(P521);
    let mut mapping = known.mapping.to_vec();
    mapping.push((SignatureScheme::ECDSA_NISTP521_SHA512, &P521[..1]));
    // Once in a process: rustls wants them to last for ever.
    WebPkiSupportedAlgorithms { all: all.leak(), mapping: mapping.leak() }
}

static P521: [&dyn SignatureVerificationAlgorithm; 3] = [
    &EcdsaP521 {
        signature: alg_id::ECDSA_SHA512,
        digest: |message| Sha512::digest(message).to_vec(),
    },
    &EcdsaP521 {
        signature: alg_id::ECDSA_SHA384,
        digest: |message| Sha384::digest(message).to_vec(),
    },
    &EcdsaP521 {
        signature: alg_id::ECDSA_SHA256,
        digest: |message| Sha256::digest(message).to_vec(),
    },
];

/// ECDSA over P-521 with a digest; FIPS 186-5, RFC 5758.
#[derive(Debug)]
struct EcdsaP521 {
    signature: AlgorithmIdentifier,
    digest: fn(&[u8]) -> Vec<u8>,
}

impl SignatureVerificationAlgorithm for EcdsaP521 {
    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ECDSA_P521
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
        let key = VerifyingKey::from_sec1_bytes(public_key).map_err(|_| InvalidSignature)?;
        let signature = Signature::from_der(signature).map_err(|_| InvalidSignature)?;
        key.verify_prehash(&(self.digest)(message), &signature).map_err(|_| InvalidSignature)
    }
}

#[cfg(test)]
mod tests {
    use p521::ecdsa::{SigningKey, signature::hazmat::PrehashSigner};
    use svc_secrets::guarded;

    use super::*;

    #[test]
    fn a_signature_of_p521_is_that_of_its_message_and_digest_alone() {
        let mut scalar = [7; 66];
        scalar[0] = 0;
        let key = SigningKey::from_slice(&scalar).unwrap();
        let public = key.verifying_key().to_sec1_point(false);
        for (algorithm, digest) in P521.iter().zip([
            Sha512::digest(b"message").to_vec(),
            Sha384::digest(b"message").to_vec(),
            Sha256::digest(b"message").to_vec(),
        ]) {
            let signature: Signature = key.sign_prehash(&digest).unwrap();
            let signature = signature.to_der();
            // A guard's stack is wiped: the work must not go deeper.
            let verify = |message: &[u8], signature: &[u8]| {
                guarded(|| algorithm.verify_signature(public.as_bytes(), message, signature))
            };
            assert!(verify(b"message", signature.as_bytes()).is_ok());
            assert!(verify(b"massage", signature.as_bytes()).is_err());
            assert!(verify(b"message", &signature.as_bytes()[1..]).is_err());
            assert!(
                algorithm.verify_signature(&[4; 133], b"message", signature.as_bytes()).is_err()
            );
        }
    }

    #[test]
    fn rings_algorithms_stay() {
        let (with, without) = (provider(), ring::default_provider());
        let count = without.signature_verification_algorithms.all.len();
        assert_eq!(with.signature_verification_algorithms.all.len(), count + P521.len());
        assert!(with.signature_verification_algorithms.supported_schemes().len() > 8);
    }
}
