//! `svc-engine-run PACK [ARGUMENT...]`: the engine with modules from a file, for tests.
//!
//! The file has to come from engine/compiler: `QuickJS` trusts bytecode. No image and no package
//! holds this program.

#![cfg_attr(not(test), no_main)]
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::PathBuf;

// SAFETY: no other function of that name is linked; the C library calls it once.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    // SAFETY: these are the arguments of main.
    let words = unsafe { svc_engine::Words::new(count, words) };
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        svc_engine::stop("usage: svc-engine-run PACK [ARGUMENT...]");
    };
    svc_engine::show_uncaught();
    svc_engine::allow_calls_of_tests();
    match std::fs::read(&path) {
        Ok(pack) => svc_engine::run(
            svc_engine::Modules::Pack(pack.leak()),
            1,
            words,
            svc_engine::AtRest::Success,
        ),
        Err(error) => svc_engine::stop(&format!("read {}: {error}", path.display())),
    }
}
