//! Functions of the script that tasks beside it call.

use rquickjs::{Ctx, Function, Object, Persistent, Result};

use crate::event_loop::{self, Callback};
use crate::script;

/// A function among the options that the script has passed.
pub fn callback_of<'js>(ctx: &Ctx<'js>, options: &Object<'js>, name: &str) -> Result<Callback> {
    Ok(Persistent::save(ctx, options.get::<_, Function<'js>>(name)?))
}

/// Calls a function of the script from a task beside it. Undefined if it throws, which is
/// reported.
pub fn ask<R>(
    callback: &Callback,
    call: impl for<'js> FnOnce(&Ctx<'js>, Function<'js>) -> Result<R>,
) -> Option<R> {
    let answer = script::enter(|ctx| {
        let asked = callback.clone().restore(ctx).and_then(|function| call(ctx, function));
        asked.map_err(|_| script::report(ctx, ctx.catch())).ok()
    });
    // Jobs that the script has started continue in the loop's next turn.
    event_loop::take_a_turn();
    answer
}
