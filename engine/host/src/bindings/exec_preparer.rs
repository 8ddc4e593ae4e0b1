//! Programs that are prepared at their execve; `exec_preparer.rs`.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::module::Exports;
use rquickjs::{Ctx, Function, Object, Result, TypedArray};

use super::export_functions::export_functions;
use crate::exec_preparer::{ExecPreparer, Layout, Left, Preparation};
use crate::sys::views::Bytes;

pub const EXPORTS: &[&str] = &["newExecPreparer"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports, "newExecPreparer" => new_exec_preparer }
    Ok(())
}

fn new_exec_preparer<'js>(ctx: Ctx<'js>, options: Object<'js>) -> Result<Object<'js>> {
    let preparer = Rc::new(RefCell::new(ExecPreparer::new(preparation_of(&options)?)));
    let object = Object::new(ctx.clone())?;
    let noting = Rc::clone(&preparer);
    object.set(
        "noteOrdinary",
        Function::new(ctx.clone(), move |pid: i32| noting.borrow_mut().note_ordinary(pid))?,
    )?;
    let run = move |ctx: Ctx<'js>| {
        // The script is not called meanwhile: nothing else borrows it.
        let left = preparer.borrow_mut().run();
        left_to_script(&ctx, left)
    };
    object.set("run", Function::new(ctx, run)?)?;
    Ok(object)
}

fn preparation_of(options: &Object<'_>) -> Result<Preparation> {
    let layout: Object = options.get("layout")?;
    let bytes = |name| options.get::<_, Bytes>(name).map(|bytes| bytes.with(<[u8]>::to_vec));
    let parameters: Vec<(usize, u64)> = words_of(&bytes("parameters")?)
        .chunks_exact(2)
        .filter_map(|pair| Some((usize::try_from(pair[0]).ok()?, pair[1])))
        .collect();
    Ok(Preparation {
        listener: options.get("listener")?,
        child_signals: options.get("childSignals")?,
        region: options.get("region")?,
        main: options.get("main")?,
        changes_of_user: options.get("changesOfUser")?,
        layout: Layout {
            length: layout.get("lengthBytes")?,
            instruction_pointer: layout.get("instructionPointer")?,
            stack_pointer: layout.get("stackPointer")?,
            beginning: layout.get("beginning")?,
        },
        parameters,
        code: bytes("code")?,
        room: options.get("room")?,
    })
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect()
}

/// Undefined if nothing is left: the common case makes no object.
fn left_to_script<'js>(ctx: &Ctx<'js>, left: Left) -> Result<Option<Object<'js>>> {
    let Left { expected, asking, stop, notification, has_change, is_closed } = left;
    let is_all = expected.is_empty() && asking.is_empty() && !has_change && !is_closed;
    if is_all && stop.is_none() && notification.is_none() {
        return Ok(None);
    }
    let object = Object::new(ctx.clone())?;
    object.set("expected", expected)?;
    object.set("asking", asking)?;
    object.set("hasChange", has_change)?;
    object.set("isClosed", is_closed)?;
    if let Some(stop) = stop {
        let told = Object::new(ctx.clone())?;
        told.set("pid", stop.thread)?;
        told.set("status", stop.status)?;
        object.set("stop", told)?;
    }
    if let Some(notification) = notification {
        let bytes = TypedArray::<u8>::new_copy(ctx.clone(), notification.to_bytes())?;
        object.set("notification", bytes)?;
    }
    Ok(Some(object))
}
