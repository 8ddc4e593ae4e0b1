//! A host for TypeScript that was compiled to bytecode: `QuickJS`, bindings to the kernel, an event
//! loop.
//!
//! The host decides nothing. It offers the module `svc:engine` (`bindings/`), declared for
//! TypeScript in `packages/engine/src/svc-engine.d.ts`, and runs the event loop (`event_loop.rs`).
//! It has one thread. `unsafe` is in `sys/` only, and in the first function of each executable.

mod bindings;
mod event_loop;
mod exec_preparer;
mod initial_stack;
mod modules;
mod rounds;
mod script;
mod sys;

use std::path::{Path, PathBuf};

use script::Script;
use sys::image::{Heap, Making};

pub use event_loop::AtRest;
pub use sys::command_line::Words;
pub use sys::image::{Payload, PayloadPlace};
pub use sys::last_resort::stop;

/// It wipes each block when its owner releases it: libraries copy secrets to the heap.
#[global_allocator]
static HEAP: Heap = Heap;

/// An executable without an image makes one.
const MAKE_IMAGE: &str = "--make-image";

/// Nothing else depends on the timer: the wrapper goes on.
const NO_WATCHDOG: &str =
    "the kernel refuses timer_create: a wrapper that stands still will not be ended";

/// The place of the modules: bytecode of engine/compiler.
#[derive(Clone, Copy)]
pub enum Modules {
    /// In the executable, with an image if the build has made one.
    Payload(PayloadPlace),
    /// A pack from elsewhere.
    Pack(&'static [u8]),
}

/// Blocks every signal at once, so that each waits for the script to take it, and runs modules,
/// `main.js` first.
///
/// `main` of C calls this before anything else. Rust's own start would ignore SIGPIPE, handle
/// SIGSEGV and open closed descriptors. The wrapper becomes the program, which would then find
/// these changes.
///
/// `own_words` of the words behind argv\[0\] are not for the script. The script comes from the
/// image if there is one and its place is free.
///
/// `at_rest` says how a process ends that waits for nothing any more.
pub fn run(modules: Modules, own_words: usize, words: Words, at_rest: AtRest) -> ! {
    words.note();
    if let Modules::Payload(payload) = modules {
        let (sum, at) = payload.file_sum();
        sys::damage::note(sum, at);
    }
    sys::last_resort::catch_faults();
    bindings::leave_out(own_words);
    if let Modules::Payload(payload) = modules
        && !payload.has_image()
        && let Some(path) = wanted_image()
    {
        match make_image(payload, &path) {
            Ok(()) => sys::processes::exit(0),
            Err(problem) => stop(&format!("make an image: {problem}")),
        }
    }
    bindings::begin();
    if !sys::watchdog::begin() {
        sys::last_resort::warn(NO_WATCHDOG);
    }
    match sys::signals::block_all() {
        Ok(mask) => event_loop::note_initial_mask(mask),
        Err(error) => stop(&format!("block signals: {error}")),
    }
    sys::heap::prepare();
    match begin(modules) {
        Ok(script) => event_loop::run(&script, at_rest),
        Err(problem) => stop(&problem),
    }
}

fn begin(modules: Modules) -> Result<Script, String> {
    let (restored, pack) = match modules {
        Modules::Payload(payload) => (sys::image::restore(payload), payload.pack()),
        Modules::Pack(pack) => (None, pack),
    };
    let script = if let Some(script) = restored {
        script.install_restored();
        script
    } else {
        let script = Script::new(pack)?;
        script.install();
        script.evaluate(modules::GLOBALS)?;
        script
    };
    script.evaluate(modules::ENTRY)?;
    Ok(script)
}

fn wanted_image() -> Option<PathBuf> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? == MAKE_IMAGE { words.next().map(PathBuf::from) } else { None }
}

fn make_image(payload: PayloadPlace, path: &Path) -> Result<(), String> {
    let mut making = Making::begin()?;
    let script = Script::new(payload.pack())?;
    making.fix_seeds(&script)?;
    script.install();
    script.evaluate_whole(modules::GLOBALS)?;
    making.end_first();
    script.evaluate_whole(modules::IMAGE)?;
    script.uninstall()?;
    let made = making.end(script);
    if event_loop::waits() {
        return Err("a module waits for something".to_owned());
    }
    sys::image::write(&made, payload, path)
}

/// Has the process print errors that the script has not caught. Their text can contain anything, so
/// only tests call it.
pub fn show_uncaught() {
    script::show_uncaught();
}

/// Lets the script make native calls that only tests need. Only tests call it.
pub fn allow_calls_of_tests() {
    sys::libc_functions::allow_calls_of_tests();
}
