//! Our own bytecode.

use rquickjs::module::Declared;
use rquickjs::{Ctx, Module, Result};

/// Loads a module from the pack in the executable.
pub fn load<'js>(ctx: &Ctx<'js>, bytes: &'static [u8]) -> Result<Module<'js, Declared>> {
    // SAFETY: `QuickJS` trusts bytecode. These bytes were written by engine/compiler with the same
    // version of it (the workspace pins one), and lie in the executable's read-only data.
    unsafe { Module::load(ctx.clone(), bytes) }
}
