//! Timers, descriptors, signals, forks.

use std::time::Duration;

use rquickjs::module::Exports;
use rquickjs::{BigInt, Ctx, Function, Object, Persistent, Promise, Result};

use super::errors::throw_system_error;
use super::export_functions::export_functions;
use crate::event_loop::{self, ForkRequest};
use crate::script;
use crate::sys::signals;

pub const EXPORTS: &[&str] = &[
    "blockedSignals",
    "fork",
    "ignoredSignals",
    "onUncaught",
    "startTimer",
    "stopTimer",
    "takeSignals",
    "unwatch",
    "watchReadable",
];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "blockedSignals" => || signals::numbers_of(event_loop::initial_mask()),
        "fork" => fork,
        "ignoredSignals" => || signals::numbers_of(signals::ignored()),
        "onUncaught" => on_uncaught,
        "startTimer" => start_timer,
        "stopTimer" => event_loop::stop_timer,
        "takeSignals" => take_signals,
        "unwatch" => event_loop::unwatch,
        "watchReadable" => watch_readable,
    }
    Ok(())
}

fn start_timer<'js>(ctx: Ctx<'js>, callback: Function<'js>, ms: f64, repeats: bool) -> u32 {
    // HTML Standard, section 8.6: a time that is not a number counts as 0.
    let after = Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
    event_loop::start_timer(Persistent::save(&ctx, callback), after, repeats)
}

fn watch_readable<'js>(ctx: Ctx<'js>, fd: i32, callback: Function<'js>) -> u32 {
    event_loop::watch(fd, Persistent::save(&ctx, callback))
}

fn take_signals<'js>(ctx: Ctx<'js>, callback: Function<'js>) -> Result<()> {
    event_loop::take_signals(Persistent::save(&ctx, callback))
        .map_err(|error| throw_system_error(&ctx, "signalfd", &error))
}

fn on_uncaught<'js>(ctx: Ctx<'js>, callback: Function<'js>) {
    script::on_uncaught(&ctx, callback);
}

fn fork<'js>(ctx: Ctx<'js>, options: Object<'js>) -> Result<Promise<'js>> {
    let (promise, resolve, reject) = ctx.promise()?;
    let mask = options.get::<_, BigInt<'js>>("signalMask")?.to_i64()?.to_ne_bytes();
    event_loop::request_fork(ForkRequest {
        keep: options.get("keep")?,
        mask: u64::from_ne_bytes(mask),
        child: Persistent::save(&ctx, options.get::<_, Function<'js>>("child")?),
        resolve: Persistent::save(&ctx, resolve),
        reject: Persistent::save(&ctx, reject),
    });
    Ok(promise)
}
