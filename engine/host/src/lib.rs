//! A host for TypeScript that was compiled to bytecode: `QuickJS`, bindings to the kernel, an event
//! loop.
//!
//! The host decides nothing. It offers the module `svc:engine` (`bindings/`), declared for TypeScript
//! in `packages/engine/src/svc-engine.d.ts`, and runs the event loop (`event_loop.rs`). It has one
//! thread. `unsafe` is in `sys/` only, and in the first function of each executable.

mod bindings;
mod event_loop;
mod exec_preparer;
mod initial_stack;
mod modules;
mod script;
mod sys;

use svc_secrets::WipingAllocator;

pub use sys::command_line::Words;

/// What libraries have copied to the heap is wiped when they let it go.
#[global_allocator]
static HEAP: WipingAllocator = WipingAllocator;

/// What the process exits with where it cannot even begin, as the wrapper itself does.
const CANNOT_BEGIN: i32 = 125;

/// Blocks every signal at once, so that each waits for the script to take it, and runs the modules
/// of a pack, `main.js` first.
///
/// To be called before anything else, by `main` of C: Rust's own would first ignore SIGPIPE, handle
/// SIGSEGV and open descriptors that are closed, and the program that the wrapper becomes would
/// find its surroundings changed.
///
/// `own_words` of the words behind argv\[0\] are not for the script.
pub fn run(pack: &'static [u8], own_words: usize, words: Words) -> ! {
    words.note();
    bindings::leave_out(own_words);
    match sys::signals::block_all() {
        Ok(mask) => event_loop::note_initial_mask(mask),
        Err(error) => stop(&format!("block signals: {error}")),
    }
    sys::heap::prepare();
    match script::Script::boot(pack) {
        Ok(script) => event_loop::run(&script),
        Err(problem) => stop(&problem),
    }
}

/// Has the process print what the script has not caught, which may be anything: for tests.
pub fn show_uncaught() {
    script::show_uncaught();
}

/// Ends a process that cannot begin. There is no log yet.
pub fn stop(problem: &str) -> ! {
    eprintln!("svc-wrapper: start the engine: {problem}");
    sys::processes::exit(CANNOT_BEGIN)
}
