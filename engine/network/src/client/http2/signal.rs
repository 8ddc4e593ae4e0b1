use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Wake, Waker},
};

/// Says that a connection has something to do. One of the requests that wait on the connection is
/// woken for all of them, and does it.
pub(super) struct Signal {
    is_raised: AtomicBool,
    waiting: Mutex<BTreeMap<u64, Waker>>,
}

impl Signal {
    /// A new connection has its first frames to send.
    pub fn raised() -> Self {
        Self { is_raised: AtomicBool::new(true), waiting: Mutex::default() }
    }

    pub fn is_raised(&self) -> bool {
        self.is_raised.load(Ordering::Relaxed)
    }

    /// Takes the signal down; whether it was up.
    pub fn lower(&self) -> bool {
        self.is_raised.swap(false, Ordering::Relaxed)
    }

    /// Notes that a request waits.
    pub fn wait(&self, number: u64, waker: &Waker) {
        let mut waiting = self.waiting();
        match waiting.get_mut(&number) {
            Some(known) => known.clone_from(waker),
            None => drop(waiting.insert(number, waker.clone())),
        }
    }

    /// Forgets a request, which may have been the one that was woken. False if something is to
    /// be done and no other request waits.
    pub fn leave(&self, number: u64) -> bool {
        self.waiting().remove(&number);
        !self.is_raised() || self.wake_one()
    }

    fn wake_one(&self) -> bool {
        // Out of the lock: a waker is code of others.
        let first = self.waiting().values().next().cloned();
        first.map(Waker::wake).is_some()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_raised.store(true, Ordering::Relaxed);
        self.wake_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_signal_is_passed_on_when_the_woken_request_leaves() {
        let signal = Arc::new(Signal::raised());
        assert!(signal.lower() && !signal.lower());
        let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
        for (number, count) in counts.iter().enumerate() {
            signal.wait(number as u64, &Waker::from(Arc::clone(count)));
        }
        let woken = || counts.each_ref().map(|count| count.0.load(Ordering::Relaxed));
        Waker::from(Arc::clone(&signal)).wake();
        assert_eq!(woken(), [1, 0]);
        assert!(signal.leave(0));
        assert_eq!(woken(), [1, 1]);
        assert!(!signal.leave(1), "there is something to do");
        assert!(signal.lower());
        assert!(signal.leave(1), "there is nothing to do");
    }
}
