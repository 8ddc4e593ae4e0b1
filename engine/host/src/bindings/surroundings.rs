//! The surroundings of the script.

use std::cell::{Cell, LazyCell};
use std::os::unix::ffi::OsStringExt;
use std::time::Instant;

use rquickjs::module::Exports;
use rquickjs::{Ctx, Result, TypedArray};

use super::errors::throw_system_error;
use super::export_functions::export_functions;
use crate::sys::views::Bytes;
use crate::sys::{code_pages, command_line, descriptors, last_resort, processes, stack};

pub const EXPORTS: &[&str] = &[
    "arch",
    "argv",
    "collectGarbage",
    "executablePath",
    "exit",
    "fillRandom",
    "now",
    "openDescriptors",
    "pid",
    "setCommandLine",
];

thread_local! {
    static LEFT_OUT: Cell<usize> = const { Cell::new(0) };
    static START: LazyCell<Instant> = LazyCell::new(Instant::now);
}

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    exports.export("arch", if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" })?;
    export_functions! { ctx, exports,
        "argv" => arguments,
        "collectGarbage" => |ctx: Ctx<'js>| collect_garbage(&ctx),
        "executablePath" => executable_path,
        "exit" => |status: i32| -> () { last_resort::exit(status) },
        "fillRandom" => fill_random,
        "now" => || START.with(|start| start.elapsed().as_secs_f64() * 1000.0),
        "openDescriptors" => descriptors::open_descriptors,
        "pid" => processes::pid,
        "setCommandLine" => |text: String| command_line::set(&text),
    }
    Ok(())
}

/// Notes the time from which the script counts.
pub fn begin() {
    if let Err(problem) = stack::suffices() {
        last_resort::stop(&problem);
    }
    START.with(|start| LazyCell::force(start).elapsed());
}

fn collect_garbage(ctx: &Ctx<'_>) {
    ctx.run_gc();
    processes::give_memory_back();
    code_pages::release();
}

/// Has the script not see that many words behind argv\[0\].
pub fn leave_out(words: usize) {
    LEFT_OUT.set(words);
}

fn arguments(ctx: Ctx<'_>) -> Result<Vec<TypedArray<'_, u8>>> {
    let rest = std::env::args_os().skip(1 + LEFT_OUT.get());
    std::env::args_os()
        .take(1)
        .chain(rest)
        .map(|word| TypedArray::new(ctx.clone(), word.into_vec()))
        .collect()
}

fn executable_path() -> Option<String> {
    processes::executable().into_os_string().into_string().ok()
}

fn fill_random(ctx: Ctx<'_>, target: Bytes) -> Result<()> {
    target
        .with_mut(processes::fill_random)
        .map_err(|error| throw_system_error(&ctx, "getrandom", &error))
}
