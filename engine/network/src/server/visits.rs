use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    net::IpAddr,
    rc::Rc,
};

use tokio::sync::Notify;

use super::{Admission, Entry};

/// The clients that are connected.
pub(super) struct Visits {
    keeper: Rc<dyn Admission>,
    inside: RefCell<HashMap<u64, Rc<Notify>>>,
    last: Cell<u64>,
}

/// One connection that was let in.
pub(super) struct Visit {
    visits: Rc<Visits>,
    number: u64,
    /// Told when it has to go.
    pub sent_away: Rc<Notify>,
}

impl Visits {
    pub fn new(keeper: Rc<dyn Admission>) -> Self {
        Self { keeper, inside: RefCell::default(), last: Cell::new(0) }
    }

    /// Lets a connection in, if the admission does.
    pub fn enter(self: &Rc<Self>, address: IpAddr) -> Option<Visit> {
        let number = self.last.get() + 1;
        self.last.set(number);
        match self.keeper.enter(number, address) {
            Entry::Refused => return None,
            Entry::In => {}
            Entry::InFor(other) => {
                if let Some(sent_away) = self.inside.borrow_mut().remove(&other) {
                    sent_away.notify_one();
                }
            }
        }
        let sent_away = Rc::new(Notify::new());
        self.inside.borrow_mut().insert(number, Rc::clone(&sent_away));
        Some(Visit { visits: Rc::clone(self), number, sent_away })
    }
}

impl Visit {
    /// Says that its answer is looked for, or no longer.
    pub fn answering(&self, is_answering: bool) {
        if self.visits.inside.borrow().contains_key(&self.number) {
            self.visits.keeper.answering(self.number, is_answering);
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        // The admission knows of those that it sent away.
        if self.visits.inside.borrow_mut().remove(&self.number).is_some() {
            self.visits.keeper.leave(self.number);
        }
    }
}
