//! Modules of the pack that are loaded when they are needed.

use rquickjs::module::Exports;
use rquickjs::{Ctx, Module, Promise, Result};

use super::export_functions::export_functions;

pub const EXPORTS: &[&str] = &["loadModule"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports, "loadModule" => load }
    Ok(())
}

fn load(ctx: Ctx<'_>, name: String) -> Result<Promise<'_>> {
    Module::import(&ctx, name)
}
