//! The script's surroundings: the `QuickJS` runtime with the intrinsics that the wrapper uses.

use std::cell::{Cell, RefCell};

use rquickjs::context::intrinsic::{
    Date, Json, MapSet, Promise, Proxy, RegExp, RegExpCompiler, TypedArrays, WeakRef,
};
use rquickjs::loader::{Loader, Resolver};
use rquickjs::{
    BigInt, CatchResultExt, Context, Ctx, Function, Module, Persistent, Runtime, Value,
};

use crate::sys::image::ScriptHeap;
use crate::sys::signals::Arrived;
use crate::sys::{last_resort, stack, watchdog};

/// More than the wrapper needs by far: a mistake in it must not take the machine's memory.
const MEMORY_LIMIT_BYTES: usize = 64 << 20;
const STACK_BYTES: usize = 1 << 20;
/// The collector looks for cycles after that much was allocated: a start needs less, and the
/// supervisor has it collect when it has nothing to do.
const COLLECT_AFTER_BYTES: usize = 2 << 20;

/// A part of the interpreter's messages, of modules that cannot be loaded, too.
const OUT_OF_MEMORY: &str = "out of memory";

// There is no `Eval`: nothing in the executable can compile a script.
type Intrinsics =
    (Date, RegExpCompiler, RegExp, Json, Proxy, MapSet, TypedArrays, Promise, WeakRef);

/// A booted runtime, its modules loaded.
pub struct Script {
    runtime: Runtime,
    context: Context,
}

thread_local! {
    static CONTEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
    /// Promises that were rejected without a handler since jobs began to run.
    static REJECTED: RefCell<Vec<Rejected>> = const { RefCell::new(Vec::new()) };
    static ON_UNCAUGHT: RefCell<Option<Persistent<Function<'static>>>> =
        const { RefCell::new(None) };
    static SHOW: Cell<fn(&Value<'_>)> = const { Cell::new(hide) };
}

/// Has the process print uncaught errors. Only tests call it: they have no secrets.
pub fn show_uncaught() {
    SHOW.set(|thrown| eprintln!("not caught: {}", text_of(thrown)));
}

/// Does not print the error's text: it may quote the input that the script failed on.
fn hide(_: &Value<'_>) {}

/// The interpreter throws null, or nothing at all, if there is not even room for an error.
fn is_out_of_memory(thrown: &Value<'_>) -> bool {
    let exception = thrown.as_exception();
    exception.is_none_or(|exception| {
        exception.message().is_none_or(|message| message.contains(OUT_OF_MEMORY))
    })
}

fn text_of(thrown: &Value<'_>) -> String {
    let Some(exception) = thrown.as_exception() else {
        return format!("{thrown:?}");
    };
    let message = exception.message().unwrap_or_default();
    format!("{message}\n{}", exception.stack().unwrap_or_default())
}

struct Rejected {
    promise: Persistent<Value<'static>>,
    reason: Persistent<Value<'static>>,
}

impl Script {
    /// Boots a runtime that has evaluated nothing yet.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub fn boot(
        resolver: impl Resolver + 'static,
        loader: impl Loader + 'static,
    ) -> Result<Self, String> {
        let runtime = Runtime::new_with_alloc(ScriptHeap).map_err(|error| error.to_string())?;
        runtime.set_memory_limit(MEMORY_LIMIT_BYTES);
        runtime.set_max_stack_size(STACK_BYTES);
        runtime.set_gc_threshold(COLLECT_AFTER_BYTES);
        runtime.set_loader(resolver, loader);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(track_rejection)));
        let context = Context::custom::<Intrinsics>(&runtime).map_err(|error| error.to_string())?;
        Ok(Self { runtime, context })
    }

    /// Makes it the script of this process, which tasks call into.
    pub fn install(&self) {
        CONTEXT.set(Some(self.context.clone()));
    }

    /// The same for one that was made in another process: the interpreter learns of this stack.
    pub fn install_restored(&self) {
        self.with(stack::note);
        self.install();
    }

    /// Evaluates a module, which may leave jobs to do.
    ///
    /// # Errors
    ///
    /// If the module is missing.
    pub fn evaluate(&self, name: &str) -> Result<(), String> {
        self.with(|ctx| {
            let imported = Module::import(ctx, name).catch(ctx);
            imported.map(drop).map_err(|error| error.to_string())
        })
    }

    /// Evaluates a module and all that it leaves to do.
    ///
    /// # Errors
    ///
    /// If the module is missing or throws.
    pub fn evaluate_whole(&self, name: &str) -> Result<(), String> {
        self.with(|ctx| {
            let imported = Module::import(ctx, name).and_then(|promise| promise.finish::<()>());
            imported.catch(ctx).map_err(|error| error.to_string())
        })
    }

    /// Frees all that nothing refers to, and forgets that it is the script of this process.
    ///
    /// # Errors
    ///
    /// If the process would hear of something later.
    pub fn uninstall(&self) -> Result<(), String> {
        self.run_jobs();
        self.runtime.run_gc();
        CONTEXT.set(None);
        let hears = ON_UNCAUGHT.with_borrow(Option::is_some);
        if hears { Err("a module listens for uncaught errors".to_owned()) } else { Ok(()) }
    }

    /// Calls into the script.
    pub fn with<R>(&self, call: impl FnOnce(&Ctx<'_>) -> R) -> R {
        self.context.with(|ctx| call(&ctx))
    }

    /// Runs until no job is left, and reports rejections without a handler.
    pub fn run_jobs(&self) {
        loop {
            while self.runtime.is_job_pending() {
                if let Err(exception) = self.runtime.execute_pending_job() {
                    // Jobs settle promises and do not throw; memory may be gone.
                    self.with(|ctx| report(ctx, ctx.catch()));
                    drop(exception);
                }
            }
            let rejected = REJECTED.take();
            if rejected.is_empty() {
                return;
            }
            self.with(|ctx| {
                for Rejected { reason, .. } in rejected {
                    if let Ok(reason) = reason.restore(ctx) {
                        report(ctx, reason);
                    }
                }
            });
        }
    }
}

/// Calls into the script from a task beside it. No script runs meanwhile: there is one thread.
pub fn enter<R>(call: impl FnOnce(&Ctx<'_>) -> R) -> R {
    watchdog::works();
    let context = CONTEXT.with_borrow(Clone::clone);
    match context {
        Some(context) => context.with(|ctx| call(&ctx)),
        None => last_resort::end("a task began before the script"),
    }
}

/// Sets the function that receives uncaught errors.
pub fn on_uncaught<'js>(ctx: &Ctx<'js>, callback: Function<'js>) {
    ON_UNCAUGHT.set(Some(Persistent::save(ctx, callback)));
}

/// Calls a function of the script, and reports the error that it throws.
pub fn call(ctx: &Ctx<'_>, callback: Persistent<Function<'static>>, argument: Option<i32>) {
    let called = callback.restore(ctx).and_then(|callback| match argument {
        Some(argument) => callback.call::<_, ()>((argument,)),
        None => callback.call::<_, ()>(()),
    });
    end_call(ctx, &called);
}

/// Calls back with a signal.
pub fn tell_signal(ctx: &Ctx<'_>, callback: Persistent<Function<'static>>, signal: Arrived) {
    let Arrived { number, origin, value } = signal;
    let called = value.map(|value| BigInt::from_u64(ctx.clone(), value)).transpose();
    let called = called
        .and_then(|value| callback.restore(ctx)?.call::<_, ()>((number, origin.name(), value)));
    end_call(ctx, &called);
}

fn end_call(ctx: &Ctx<'_>, called: &rquickjs::Result<()>) {
    if called.is_err() {
        report(ctx, ctx.catch());
    }
}

/// Tells the script of an uncaught error. Without a listener, or if that throws, the process ends.
pub fn report<'js>(ctx: &Ctx<'js>, thrown: Value<'js>) {
    let listener = ON_UNCAUGHT.with_borrow(Clone::clone);
    let shown = thrown.clone();
    let told = listener
        .ok_or(())
        .and_then(|listener| listener.restore(ctx).map_err(drop))
        .and_then(|listener| listener.call::<_, ()>((thrown,)).map_err(drop));
    if told.is_err() {
        SHOW.with(|show| show.get()(&shown));
        if is_out_of_memory(&shown) {
            last_resort::end_without_memory("no memory is left: a limit on memory is too small");
        }
        last_resort::end("an error in the wrapper itself was not caught");
    }
}

// The engine's own signature.
#[allow(clippy::needless_pass_by_value)]
fn track_rejection<'js>(ctx: Ctx<'js>, promise: Value<'js>, reason: Value<'js>, is_handled: bool) {
    let promise = Persistent::save(&ctx, promise);
    REJECTED.with_borrow_mut(|rejected| {
        if is_handled {
            rejected.retain(|other| other.promise != promise);
        } else {
            rejected.push(Rejected { promise, reason: Persistent::save(&ctx, reason) });
        }
    });
}
