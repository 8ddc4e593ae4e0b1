//! Native calls.

use rquickjs::module::Exports;
use rquickjs::{Ctx, FromJs, Object, Persistent, Result, TypedArray, Value};

use super::export_functions::export_functions;
use crate::event_loop;
use crate::sys::views::{self, Bytes, Variable};
use crate::sys::{libc_functions, named_memory};

pub const EXPORTS: &[&str] = &["addressOf", "bytesAt", "environment", "errno", "forget", "libc"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    let libc = Object::new(ctx.clone())?;
    libc_functions::install(ctx, &libc)?;
    exports.export("libc", libc)?;
    export_functions! { ctx, exports,
        "addressOf" => address_of,
        "bytesAt" => bytes_at,
        "environment" => environment,
        "errno" => libc_functions::errno,
        "forget" => forget,
    }
    Ok(())
}

/// The array stays until the script has come to its turn's end: the engine would free one that no
/// variable holds before the call that the address is for.
fn address_of<'js>(ctx: Ctx<'js>, array: Value<'js>) -> Result<f64> {
    let address = Bytes::from_js(&ctx, array.clone())?.start.expose_provenance();
    event_loop::keep_for_this_turn(Persistent::save(&ctx, array));
    Ok(as_number(address))
}

fn environment(ctx: Ctx<'_>) -> Result<Vec<Object<'_>>> {
    views::environment().into_iter().map(|variable| entry(&ctx, variable)).collect()
}

fn entry<'js>(ctx: &Ctx<'js>, variable: Variable) -> Result<Object<'js>> {
    let Variable { name, address, length, value_offset } = variable;
    let entry = Object::new(ctx.clone())?;
    entry.set("name", &*name)?;
    entry.set("address", as_number(address))?;
    entry.set("length", length)?;
    entry.set("valueOffset", value_offset)?;
    Ok(entry)
}

/// Addresses of user space have 47 bits on x86-64 and at most 52 on arm64: a double holds them.
#[allow(clippy::cast_precision_loss)]
fn as_number(address: usize) -> f64 {
    address as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn bytes_at(ctx: Ctx<'_>, address: f64, length: f64) -> Result<TypedArray<'_, u8>> {
    let (address, length) = (address as usize, length as usize);
    named_memory::require(address, length);
    views::view(&ctx, address, length)
}

fn forget(view: TypedArray<'_, u8>) -> Result<()> {
    view.arraybuffer()?.detach();
    Ok(())
}
