//! Certificates and keys in PEM.

use rquickjs::module::Exports;
use rquickjs::{Class, Ctx, Result};
use svc_network::{PrivateKeyVerdict, are_certificates, belong_together, judge_private_key};

use super::export_functions::export_functions;
use super::secrets::{SecretHandle, secret_of};

pub const EXPORTS: &[&str] = &["areCertificates", "belongTogether", "judgePrivateKey"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "areCertificates" => |pem: String| are_certificates(&pem),
        "belongTogether" => belong,
        "judgePrivateKey" => judge,
    }
    Ok(())
}

fn belong(certificates: String, key: Class<'_, SecretHandle>) -> bool {
    belong_together(&certificates, &secret_of(&key))
}

fn judge(key: Class<'_, SecretHandle>) -> &'static str {
    match judge_private_key(&secret_of(&key)) {
        PrivateKeyVerdict::Usable => "usable",
        PrivateKeyVerdict::Unusable => "unusable",
        PrivateKeyVerdict::NoPem => "no PEM text",
    }
}
