//! The script's modules: bytecode.

use rquickjs::loader::ImportAttributes;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Module, Result, loader};

use crate::script::Script;
use crate::{bindings, sys};

/// The module that is evaluated first: the functions of the Web.
pub const GLOBALS: &str = "globals.js";

/// The module that imports all that a start needs: evaluated if an image is made.
pub const IMAGE: &str = "image.js";

/// The module that begins.
pub const ENTRY: &str = "main.js";

impl Script {
    /// Boots a runtime with the modules of a pack. It has evaluated nothing yet.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub fn new(pack: &'static [u8]) -> std::result::Result<Self, String> {
        Self::boot(Resolver, Loader { pack })
    }
}

/// Gives modules their names: those of the pack are files beside each other.
struct Resolver;

impl loader::Resolver for Resolver {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        Ok(name.strip_prefix("./").unwrap_or(name).to_owned())
    }
}

/// Loads modules from a pack, as `engine/compiler` writes it, and the host's own.
struct Loader {
    /// The whole pack.
    pack: &'static [u8],
}

impl loader::Loader for Loader {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        if name == bindings::NAME {
            return Module::declare_def::<bindings::EngineModule, _>(ctx.clone(), name);
        }
        let bytes = find(self.pack, name).ok_or_else(|| Error::new_loading(name))?;
        sys::bytecode::load(ctx, bytes)
    }
}

/// The bytecode of a module.
fn find<'pack>(mut rest: &'pack [u8], name: &str) -> Option<&'pack [u8]> {
    loop {
        let (name_length, tail) = length(rest)?;
        let (code_length, tail) = length(tail)?;
        let (found, tail) = tail.split_at_checked(name_length)?;
        let (code, tail) = tail.split_at_checked(code_length)?;
        if found == name.as_bytes() {
            return Some(code);
        }
        rest = tail;
    }
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*length)).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn finds_modules_by_name() {
        let pack = b"\x01\0\0\0\x02\0\0\0a12\x02\0\0\0\x01\0\0\0bc3";
        assert_eq!(find(pack, "a"), Some(&b"12"[..]));
        assert_eq!(find(pack, "bc"), Some(&b"3"[..]));
        assert_eq!(find(pack, "b"), None);
        assert_eq!(find(&pack[..12], "bc"), None);
    }
}
