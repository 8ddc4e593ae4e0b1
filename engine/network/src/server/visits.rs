use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    net::IpAddr,
    rc::Rc,
};

use tokio::sync::Notify;

use super::crowd::{Crowd, Entry, VisitNumber};

/// The clients that are connected.
pub(super) struct Visits {
    crowd: RefCell<Crowd>,
    to_send_away: RefCell<HashMap<VisitNumber, Rc<Notify>>>,
    last: Cell<VisitNumber>,
}

/// One connection that was let in.
pub(super) struct Visit {
    visits: Rc<Visits>,
    number: VisitNumber,
    /// Told when it has to go.
    pub sent_away: Rc<Notify>,
}

impl Visits {
    pub fn new(crowd: Crowd) -> Self {
        Self { crowd: RefCell::new(crowd), to_send_away: RefCell::default(), last: Cell::new(0) }
    }

    /// How many are inside.
    pub fn len(&self) -> usize {
        self.crowd.borrow().len()
    }

    /// How many of them have a request that is being answered.
    pub fn answering(&self) -> usize {
        self.crowd.borrow().answering()
    }

    /// Lets a connection in if there is room, or if another one can be sent away for it.
    pub fn enter(self: &Rc<Self>, address: IpAddr) -> Option<Visit> {
        let number = self.last.get() + 1;
        self.last.set(number);
        match self.crowd.borrow_mut().enter(number, address) {
            Entry::Refused => return None,
            Entry::In => {}
            Entry::InFor(other) => {
                if let Some(sent_away) = self.to_send_away.borrow_mut().remove(&other) {
                    sent_away.notify_one();
                }
            }
        }
        let sent_away = Rc::new(Notify::new());
        self.to_send_away.borrow_mut().insert(number, Rc::clone(&sent_away));
        Some(Visit { visits: Rc::clone(self), number, sent_away })
    }
}

impl Visit {
    /// Says that its answer is looked for, or no longer. It is not sent away meanwhile.
    pub fn answering(&self, is_answering: bool) {
        self.visits.crowd.borrow_mut().set_answering(self.number, is_answering);
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.visits.to_send_away.borrow_mut().remove(&self.number);
        self.visits.crowd.borrow_mut().leave(self.number);
    }
}
