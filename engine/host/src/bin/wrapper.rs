//! `svc-wrapper`: the engine with the wrapper's modules.

#![cfg_attr(not(test), no_main)]
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

/// The build puts the modules and their image here: scripts/engine/payload.ts.
// SAFETY: nothing else is in this section. It is written before the executable runs.
#[unsafe(link_section = ".svc_payload")]
static PAYLOAD: svc_engine::Payload = svc_engine::Payload::empty();

// SAFETY: no other function of that name is linked; the C library calls it once.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    // SAFETY: these are the arguments of main. Nothing else names the payload.
    let (words, payload) = unsafe {
        (svc_engine::Words::new(count, words), svc_engine::PayloadPlace::new(&raw const PAYLOAD))
    };
    svc_engine::run(svc_engine::Modules::Payload(payload), 0, words, svc_engine::AtRest::Mistake)
}
