use webpki::{ExtendedKeyUsageValidator, KeyPurposeIdIter};
use x509_cert::{der::asn1::ObjectIdentifier, ext::pkix::ExtendedKeyUsage};

use super::certificate::Certificate;

/// id-kp-serverAuth; RFC 5280 section 4.2.1.12.
const SERVER_AUTH: &str = "1.3.6.1.5.5.7.3.1";
/// anyExtendedKeyUsage; RFC 5280 section 4.2.1.12.
const ANY_PURPOSE: &str = "2.5.29.37.0";

/// Whether a purpose allows servers. `anyExtendedKeyUsage` does, as in Go.
fn allows(purpose: &str) -> bool {
    [SERVER_AUTH, ANY_PURPOSE].contains(&purpose)
}

/// The purposes that allow servers. Without the extension each purpose is allowed.
pub(super) struct ServersOrAny;

impl ExtendedKeyUsageValidator for ServersOrAny {
    fn validate(&self, iter: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        let mut is_absent = true;
        for purpose in iter {
            is_absent = false;
            let numbers: Vec<_> = purpose?.to_decoded_oid().iter().map(usize::to_string).collect();
            if allows(&numbers.join(".")) {
                return Ok(());
            }
        }
        // Only webpki can make the error that lists the purposes.
        #[expect(deprecated)]
        if is_absent { Ok(()) } else { Err(webpki::Error::RequiredEkuNotFound) }
    }
}

/// The same of a certificate that webpki does not look at.
pub(super) fn allow_servers(certificate: &Certificate) -> bool {
    let purposes = certificate.tbs_certificate.get::<ExtendedKeyUsage>();
    purposes.is_ok_and(|purposes| {
        purposes.is_none_or(|(_, list)| {
            list.0.iter().any(|purpose: &ObjectIdentifier| allows(&purpose.to_string()))
        })
    })
}
