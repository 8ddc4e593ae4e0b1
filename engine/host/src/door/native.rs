//! Native calls.

use rquickjs::module::Exports;
use rquickjs::{Ctx, Object, Result, TypedArray};

use super::export_functions;
use crate::sys::libc_functions;
use crate::sys::views::{self, Bytes};

pub const EXPORTS: &[&str] =
    &["addressOf", "bytesAt", "environmentAddress", "errno", "forget", "libc"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    let libc = Object::new(ctx.clone())?;
    libc_functions::install(ctx, &libc)?;
    exports.export("libc", libc)?;
    export_functions! { ctx, exports,
        "addressOf" => |bytes: Bytes| as_number(bytes.start.expose_provenance()),
        "bytesAt" => bytes_at,
        "environmentAddress" => || as_number(views::environment()),
        "errno" => libc_functions::errno,
        "forget" => forget,
    }
    Ok(())
}

/// Addresses of user space have 47 bits on x86-64 and at most 52 on arm64: a double holds them.
#[allow(clippy::cast_precision_loss)]
fn as_number(address: usize) -> f64 {
    address as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn bytes_at(ctx: Ctx<'_>, address: f64, length: f64) -> Result<TypedArray<'_, u8>> {
    views::view(&ctx, address as usize, length as usize)
}

fn forget(view: TypedArray<'_, u8>) -> Result<()> {
    view.arraybuffer()?.detach();
    Ok(())
}
