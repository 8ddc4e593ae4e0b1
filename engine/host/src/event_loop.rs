//! The event loop: timers, descriptors, signals, requests, forks. It has one thread.
//!
//! It goes round by round (`rounds.rs`), and tasks and epoll(7) have their turn between two rounds.
//!
//! tokio's runtime begins with the first thing that is waited for. A fork happens between two
//! turns, outside of it, and the child leaves the parent's runtime alone and makes its own.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::{Future, poll_fn};
use std::io::{Error, Result};
use std::mem;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rquickjs::{Ctx, Function, Persistent, Value};
use svc_network::HttpClient;
use tokio::io::unix::AsyncFd;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use tokio::task::{LocalSet, yield_now};
use tokio::time::{Sleep, sleep_until};

use crate::rounds::{Rounds, Step};
use crate::script::{self, Script};
use crate::sys::descriptors::{is_readable, watch_readable};
use crate::sys::processes::{self, Forked};
use crate::sys::signals::{self, Arrived, Mask};
use crate::sys::{heap, last_resort, watchdog};

/// A function of the script that outlives the call that brought it.
pub type Callback = Persistent<Function<'static>>;

/// The number of a timer or of a watch.
pub type Id = u32;

/// Runs in the script when a request has ended.
pub type Settlement = Box<dyn FnOnce(&Ctx<'_>) -> rquickjs::Result<()>>;

/// The end of a process that waits for nothing any more.
#[derive(Clone, Copy)]
pub enum AtRest {
    /// It has done its work; tests end so.
    Success,
    /// It should have exited with a status: something that it waited for was lost.
    Mistake,
}

/// Turns of the loop until a request to a near server has left: it connects, then it is sent.
const TURNS_OF_A_REQUEST: u32 = 3;

/// The sources of events, in the order of a round, and how many events of each a round takes.
const SOURCES: [(Source, u32); 5] = [
    (Source::Signals, 32),
    (Source::Turn, 1),
    (Source::Settlements, 32),
    // Announcements of execve come here, and their work takes milliseconds.
    (Source::Watches, 1),
    // Last: an answer that has come counts, also if this process could not look in time.
    (Source::Timers, 32),
];

#[derive(Clone, Copy)]
enum Source {
    Signals,
    Turn,
    Settlements,
    Watches,
    Timers,
}

/// A fork that the script has asked for.
pub struct ForkRequest {
    /// Descriptors above 2 that the child keeps.
    pub keep: Vec<RawFd>,
    pub mask: Mask,
    /// Called in the child.
    pub child: Callback,
    /// Called in the parent, with the child's pid or the errno.
    pub resolve: Callback,
    pub reject: Callback,
}

struct Timer {
    callback: Callback,
    due: Instant,
    period: Option<Duration>,
}

struct Watch {
    fd: RawFd,
    /// Made in the loop: before the loop there may not be a runtime.
    registered: Option<AsyncFd<RawFd>>,
    callback: Callback,
}

struct SignalWatch {
    signalfd: OwnedFd,
    /// The number of the last one.
    last: i32,
    registered: Option<AsyncFd<RawFd>>,
    callback: Callback,
}

/// Everything that is waited for.
struct Waiting {
    last_id: Id,
    timers: BTreeMap<Id, Timer>,
    watches: BTreeMap<Id, Watch>,
    signals: Option<SignalWatch>,
    forks: VecDeque<ForkRequest>,
    /// Requests that were made and have not come to their end.
    requests: usize,
    /// Those that no runtime runs yet.
    unstarted: Vec<Pin<Box<dyn Future<Output = ()>>>>,
    settle: mpsc::UnboundedSender<Settlement>,
    settlements: mpsc::UnboundedReceiver<Settlement>,
    sleep: Option<Pin<Box<Sleep>>>,
    /// Made for the first request.
    client: Option<Rc<HttpClient>>,
    /// A task has called into the script.
    wants_turn: bool,
    rounds: Rounds<{ SOURCES.len() }>,
    /// The loop has waited: tasks take the events that have come before timers do.
    has_waited: bool,
    /// The watch that had the last turn: those behind it come first.
    last_watch: Id,
    waker: Option<Waker>,
}

/// An event that the loop handles.
enum Happening {
    /// A task has called into the script: its jobs are to be run.
    Turn,
    /// A timer is due, or a descriptor can be read.
    Call(Callback),
    Signal(Callback, Arrived),
    Settle(Settlement),
}

/// tokio's runtime, and the tasks on it.
type TaskRuntime = Rc<(Runtime, LocalSet)>;

thread_local! {
    static KEPT: RefCell<Vec<Persistent<Value<'static>>>> = const { RefCell::new(Vec::new()) };
    static TASK_RUNTIME: RefCell<Option<TaskRuntime>> = const { RefCell::new(None) };
    static WAITING: RefCell<Waiting> = RefCell::new(Waiting::new());
    static MASK: std::cell::Cell<Mask> = const { std::cell::Cell::new(0) };
}

/// Notes the signals that were blocked when the process began.
pub fn note_initial_mask(mask: Mask) {
    MASK.set(mask);
}

/// The signals that were blocked when the process began.
pub fn initial_mask() -> Mask {
    MASK.get()
}

/// Calls back after a time, once or again and again.
pub fn start_timer(callback: Callback, after: Duration, repeats: bool) -> Id {
    WAITING.with_borrow_mut(|waiting| {
        let timer =
            Timer { callback, due: Instant::now() + after, period: repeats.then_some(after) };
        let id = waiting.new_id();
        waiting.timers.insert(id, timer);
        id
    })
}

/// Forgets a timer; one that is not known any more is passed over.
pub fn stop_timer(id: Id) {
    let stopped = WAITING.with_borrow_mut(|waiting| waiting.timers.remove(&id));
    drop(stopped);
}

/// Calls back whenever a descriptor can be read or has ended.
pub fn watch(fd: RawFd, callback: Callback) -> Id {
    WAITING.with_borrow_mut(|waiting| {
        let id = waiting.new_id();
        waiting.watches.insert(id, Watch { fd, registered: None, callback });
        id
    })
}

/// Ends a watch; the descriptor is out of epoll(7) when this returns, and may be closed.
pub fn unwatch(id: Id) {
    let ended = WAITING.with_borrow_mut(|waiting| waiting.watches.remove(&id));
    drop(ended);
}

/// Calls back with every signal from now on, and with those that have waited.
///
/// # Errors
///
/// Those of signalfd(2).
pub fn take_signals(callback: Callback) -> Result<()> {
    let signalfd = signals::open_signalfd()?;
    WAITING.with_borrow_mut(|waiting| {
        waiting.signals = Some(SignalWatch { signalfd, last: 0, registered: None, callback });
    });
    Ok(())
}

/// Forks when this turn of the loop has ended.
pub fn request_fork(request: ForkRequest) {
    WAITING.with_borrow_mut(|waiting| waiting.forks.push_back(request));
}

/// Makes this process's HTTP client again: by HTTP/1.1 alone, with that many connections at a time
/// with each server.
pub fn limit_connections(most: usize) {
    WAITING.with_borrow_mut(|waiting| {
        waiting.client = Some(Rc::new(HttpClient::with_connections(most)));
    });
}

/// This process's HTTP client. A child of a fork has another one.
pub fn http_client() -> Rc<HttpClient> {
    WAITING.with_borrow_mut(|waiting| {
        waiting.client.get_or_insert_with(|| Rc::new(HttpClient::new())).clone()
    })
}

/// Keeps a value until no script runs any more.
pub fn keep_for_this_turn(value: Persistent<Value<'static>>) {
    KEPT.with_borrow_mut(|kept| kept.push(value));
}

/// Has the loop take a turn although nothing has happened: a task has called into the script.
pub fn take_a_turn() {
    let waker = WAITING.with_borrow_mut(|waiting| {
        waiting.wants_turn = true;
        waiting.waker.take()
    });
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Does something that needs the runtime around it.
pub fn within<R>(run: impl FnOnce() -> R) -> R {
    let task_runtime = task_runtime();
    let _guard = task_runtime.0.enter();
    run()
}

/// Runs a task beside the script, which keeps the process alive.
pub fn run_beside(task: impl Future<Output = ()> + 'static) {
    start_request(async move {
        task.await;
        Box::new(|_: &Ctx<'_>| Ok(())) as Settlement
    });
}

/// Runs a request beside the script; the process lives at least until it has ended.
pub fn start_request(request: impl Future<Output = Settlement> + 'static) {
    WAITING.with_borrow_mut(|waiting| {
        let settle = waiting.settle.clone();
        waiting.requests += 1;
        waiting.unstarted.push(Box::pin(async move {
            // The receiver lives as long as the loop.
            let _ = settle.send(request.await);
        }));
    });
}

/// Calls back when the earlier requests are on their way: each has begun its connection and has
/// sent as much as it can send without waiting.
pub fn let_requests_begin(then: Settlement) {
    start_request(async move {
        for _ in 0..TURNS_OF_A_REQUEST {
            yield_now().await;
        }
        then
    });
}

/// Whether something is waited for.
pub fn waits() -> bool {
    WAITING.with_borrow(|waiting| !waiting.is_over()) || KEPT.with_borrow(|kept| !kept.is_empty())
}

/// Runs the script until nothing is left to wait for, or it exits.
pub fn run(script: &Script, at_rest: AtRest) -> ! {
    watchdog::works();
    loop {
        script.run_jobs();
        drop(KEPT.take());
        if let Some(request) = WAITING.with_borrow_mut(|waiting| waiting.forks.pop_front()) {
            fork(script, request);
            continue;
        }
        if WAITING.with_borrow(Waiting::is_over) {
            match at_rest {
                AtRest::Success => processes::exit(0),
                AtRest::Mistake => last_resort::end("it has nothing to wait for, and no status"),
            }
        }
        let task_runtime = task_runtime();
        let (runtime, tasks) = &*task_runtime;
        for request in WAITING.with_borrow_mut(|waiting| mem::take(&mut waiting.unstarted)) {
            tasks.spawn_local(request);
        }
        let happening = tasks.block_on(runtime, next_happening());
        watchdog::works();
        script.with(|ctx| happen(ctx, happening));
    }
}

async fn next_happening() -> Happening {
    loop {
        let step = poll_fn(|context| WAITING.with_borrow_mut(|waiting| waiting.poll(context)));
        match step.await {
            Some(happening) => return happening,
            None => yield_now().await,
        }
    }
}

/// Ends the process: its loop cannot go on.
fn give_up(step: &str, error: &Error) -> ! {
    last_resort::end_because(&[step, ": ", &error.to_string()])
}

fn task_runtime() -> TaskRuntime {
    TASK_RUNTIME.with_borrow_mut(|made| {
        made.get_or_insert_with(|| Rc::new((new_runtime(), LocalSet::new()))).clone()
    })
}

fn new_runtime() -> Runtime {
    let built = Builder::new_current_thread().enable_io().enable_time().build();
    built.unwrap_or_else(|error| give_up("start the event loop", &error))
}

fn happen(ctx: &Ctx<'_>, happening: Happening) {
    match happening {
        Happening::Turn => {}
        Happening::Call(callback) => script::call(ctx, callback, None),
        Happening::Signal(callback, signal) => script::tell_signal(ctx, callback, signal),
        Happening::Settle(settle) => {
            if settle(ctx).is_err() {
                script::report(ctx, ctx.catch());
            }
            WAITING.with_borrow_mut(|waiting| waiting.requests -= 1);
        }
    }
}

fn fork(script: &Script, request: ForkRequest) {
    let ForkRequest { keep, mask, child, resolve, reject } = request;
    match processes::fork() {
        Ok(Forked::Parent { child }) => {
            heap::grow_once();
            script.with(|ctx| script::call(ctx, resolve, Some(child)));
        }
        Ok(Forked::Child) => {
            // The parent owns all of it. The child closes the descriptors below, by number. Entries
            // in the parent's epoll instance stay registered there.
            mem::forget(TASK_RUNTIME.take());
            mem::forget(WAITING.replace(Waiting::new()));
            last_resort::begin_child();
            watchdog::begin_child();
            if let Err(error) = processes::begin_child(&keep, mask) {
                give_up("begin a courier", &error);
            }
            svc_secrets::begin_child();
            heap::grow_child();
            get_ready();
            script.with(|ctx| script::call(ctx, child, None));
        }
        Err(error) => {
            let errno = error.raw_os_error();
            script.with(|ctx| script::call(ctx, reject, errno));
        }
    }
}

/// Makes the things that each courier needs, while the courier waits for its job.
fn get_ready() {
    drop(task_runtime());
    svc_secrets::get_ready();
}

impl Waiting {
    fn new() -> Self {
        let (settle, settlements) = mpsc::unbounded_channel();
        Self {
            last_id: 0,
            timers: BTreeMap::new(),
            watches: BTreeMap::new(),
            signals: None,
            forks: VecDeque::new(),
            requests: 0,
            unstarted: Vec::new(),
            settle,
            settlements,
            sleep: None,
            client: None,
            wants_turn: false,
            rounds: Rounds::new(SOURCES.map(|(_, budget)| budget)),
            has_waited: false,
            last_watch: 0,
            waker: None,
        }
    }

    fn new_id(&mut self) -> Id {
        self.last_id += 1;
        self.last_id
    }

    fn is_over(&self) -> bool {
        self.requests == 0
            && self.timers.is_empty()
            && self.watches.is_empty()
            && self.signals.is_none()
            && self.forks.is_empty()
    }

    /// The next thing that has happened; `None` at the end of a round.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Happening>> {
        if mem::take(&mut self.has_waited) {
            return Poll::Ready(None);
        }
        let mut rounds = self.rounds;
        let step = rounds.step(|source| self.take(SOURCES[source].0, context));
        self.rounds = rounds;
        match step {
            Step::Event(happening) => Poll::Ready(Some(happening)),
            Step::RoundOver => Poll::Ready(None),
            Step::Idle => {
                watchdog::waits();
                self.has_waited = true;
                self.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    fn take(&mut self, source: Source, context: &mut Context<'_>) -> Option<Happening> {
        match source {
            Source::Timers => self.poll_timers(context),
            Source::Signals => self.poll_signals(context),
            Source::Turn => mem::take(&mut self.wants_turn).then_some(Happening::Turn),
            Source::Settlements => match self.settlements.poll_recv(context) {
                Poll::Ready(settlement) => settlement.map(Happening::Settle),
                Poll::Pending => None,
            },
            Source::Watches => self.poll_watches(context),
        }
    }

    fn poll_signals(&mut self, context: &mut Context<'_>) -> Option<Happening> {
        let watch = self.signals.as_mut()?;
        let registered = register(&mut watch.registered, watch.signalfd.as_raw_fd());
        while let Poll::Ready(mut ready) = poll_readable(registered, context) {
            match signals::next_signal(&watch.signalfd, watch.last) {
                Ok(Some(signal)) => {
                    watch.last = signal.number;
                    watchdog::note_signal(signal.number);
                    return Some(Happening::Signal(watch.callback.clone(), signal));
                }
                Ok(None) => ready.clear_ready(),
                Err(error) => give_up("read a signal", &error),
            }
        }
        None
    }

    fn poll_watches(&mut self, context: &mut Context<'_>) -> Option<Happening> {
        let behind = (Excluded(self.last_watch), Unbounded);
        let others = (Unbounded, Included(self.last_watch));
        for part in [behind, others] {
            for (&id, watch) in self.watches.range_mut(part) {
                if is_waiting(watch, context) {
                    self.last_watch = id;
                    return Some(Happening::Call(watch.callback.clone()));
                }
            }
        }
        None
    }

    fn poll_timers(&mut self, context: &mut Context<'_>) -> Option<Happening> {
        loop {
            let (&id, timer) = self.timers.iter().min_by_key(|(id, timer)| (timer.due, **id))?;
            let due = timer.due;
            if due <= Instant::now() {
                return self.fire(id);
            }
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(due.into())));
            if sleep.deadline() != due.into() {
                sleep.as_mut().reset(due.into());
            }
            if sleep.as_mut().poll(context).is_pending() {
                return None;
            }
        }
    }

    fn fire(&mut self, id: Id) -> Option<Happening> {
        let mut timer = self.timers.remove(&id)?;
        let callback = timer.callback.clone();
        if let Some(period) = timer.period {
            timer.due = Instant::now() + period;
            self.timers.insert(id, timer);
        }
        Some(Happening::Call(callback))
    }
}

/// Whether a descriptor has something to read. If not, the loop hears of it.
fn is_waiting(watch: &mut Watch, context: &mut Context<'_>) -> bool {
    let registered = register(&mut watch.registered, watch.fd);
    while let Poll::Ready(mut ready) = poll_readable(registered, context) {
        // epoll(7) reports a change once; the script may have left something unread.
        if is_readable(watch.fd) {
            return true;
        }
        ready.clear_ready();
    }
    false
}

fn register(registered: &mut Option<AsyncFd<RawFd>>, fd: RawFd) -> &AsyncFd<RawFd> {
    registered.get_or_insert_with(|| {
        watch_readable(fd).unwrap_or_else(|error| give_up("watch a descriptor", &error))
    })
}

fn poll_readable<'fd>(
    registered: &'fd AsyncFd<RawFd>,
    context: &mut Context<'_>,
) -> Poll<tokio::io::unix::AsyncFdReadyGuard<'fd, RawFd>> {
    registered
        .poll_read_ready(context)
        .map(|ready| ready.unwrap_or_else(|error| give_up("wait for a descriptor", &error)))
}
