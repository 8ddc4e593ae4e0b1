//! The script's part of the last resort: `sys/last_resort.rs`, `sys/watchdog.rs`.

use rquickjs::module::Exports;
use rquickjs::{Ctx, Object, Result};

use super::export_functions::export_functions;
use crate::sys::views::Bytes;
use crate::sys::{last_resort, signals, watchdog};

pub const EXPORTS: &[&str] =
    &["guardEnd", "guardFamily", "guardProgram", "guardReport", "guardStart"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "guardEnd" => |status: i32| last_resort::note_end(status),
        "guardFamily" => |family: Object<'js>| guard_family(&family),
        "guardProgram" => |pid: i32| last_resort::note_program(pid),
        "guardReport" => |fd: i32, bytes: Bytes| {
            bytes.with(|bytes| last_resort::note_report(fd, bytes));
        },
        "guardStart" => |ms: f64| watchdog::set_deadline(whole(ms)),
    }
    Ok(())
}

fn guard_family(family: &Object<'_>) -> Result<()> {
    let strangers: Vec<i32> = family.get("strangers")?;
    let stop_signals: Vec<i32> = family.get("stopSignals")?;
    let path: String = family.get("terminationLog")?;
    last_resort::note_family(&path, &strangers);
    let mask = stop_signals.iter().fold(0, |mask, signal| mask | signals::bit(*signal));
    watchdog::set_stop(mask, whole(family.get("graceMs")?));
    Ok(())
}

/// Milliseconds of the script are at most 2^53.
#[allow(clippy::cast_possible_truncation)]
fn whole(ms: f64) -> i64 {
    ms.ceil() as i64
}
