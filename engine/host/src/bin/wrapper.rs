//! `svc-wrapper`: the engine with the wrapper's modules.

#![cfg_attr(not(test), no_main)]
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

/// The modules, compiled by engine/compiler.
static PACK: &[u8] = include_bytes!(env!("SVC_ENGINE_PACK"));

/// The build puts the image of the modules here: scripts/engine/put-image.ts.
// SAFETY: nothing else is in this section. It is written before the executable runs.
#[unsafe(link_section = ".svc_image")]
static IMAGE: svc_engine::Image = svc_engine::Image::empty();

// SAFETY: no other function of that name is linked; the C library calls it once.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    // SAFETY: these are the arguments of main.
    let words = unsafe { svc_engine::Words::new(count, words) };
    svc_engine::run(PACK, Some(&IMAGE), 0, words)
}
