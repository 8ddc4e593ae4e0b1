//! Fair rounds over sources of events. No source can keep another one waiting: a round takes a
//! bounded number of events from each, and work outside of the rounds comes between two of them.

use std::mem;

/// The answer to the question for the next event.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<Event> {
    /// The next event.
    Event(Event),
    /// A round has ended that had events. Others have their turn before the next one.
    RoundOver,
    /// A whole round had no event: each source was asked, and has nothing.
    Idle,
}

/// Rounds over a number of sources, which are asked in their order.
#[derive(Clone, Copy)]
pub struct Rounds<const SOURCES: usize> {
    /// The most events of each source in one round.
    budgets: [u32; SOURCES],
    /// The source that is asked next.
    at: usize,
    /// The events that it had in this round.
    had: u32,
    has_taken: bool,
}

impl<const SOURCES: usize> Rounds<SOURCES> {
    /// Budgets are at least 1.
    pub const fn new(budgets: [u32; SOURCES]) -> Self {
        Self { budgets, at: 0, had: 0, has_taken: false }
    }

    /// Asks for the next event. `take` takes one from a source, by its place.
    pub fn step<Event>(&mut self, mut take: impl FnMut(usize) -> Option<Event>) -> Step<Event> {
        while self.at < SOURCES {
            let event = if self.had < self.budgets[self.at] { take(self.at) } else { None };
            if let Some(event) = event {
                self.had += 1;
                self.has_taken = true;
                return Step::Event(event);
            }
            self.at += 1;
            self.had = 0;
        }
        self.at = 0;
        if mem::take(&mut self.has_taken) { Step::RoundOver } else { Step::Idle }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rounds, Step};

    const BUDGETS: [u32; 4] = [3, 1, 5, 2];

    /// The same numbers in every run; xorshift of 64 bits.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }
    }

    #[test]
    fn an_event_waits_for_one_budget_of_each_other_source_at_most() {
        for seed in 1..2_000 {
            let mut numbers = Numbers(seed);
            let mut rounds = Rounds::new(BUDGETS);
            let mut waiting = [0_u64; BUDGETS.len()];
            // Events of others since a source has had something to take.
            let mut passed = [0_u32; BUDGETS.len()];
            for _ in 0..500 {
                // A flood at some sources, nothing at others, and now and then one event.
                for (source, count) in waiting.iter_mut().enumerate() {
                    let is_flooded = seed >> source & 1 == 1;
                    *count += if is_flooded { 9 } else { u64::from(numbers.below(16) == 0) };
                }
                let step = rounds.step(|source| {
                    waiting[source] = waiting[source].checked_sub(1)?;
                    Some(source)
                });
                let Step::Event(taken) = step else { continue };
                for source in 0..BUDGETS.len() {
                    let is_passed = source != taken && waiting[source] > 0;
                    passed[source] = if is_passed { passed[source] + 1 } else { 0 };
                    let bound: u32 = 2 * BUDGETS.iter().sum::<u32>();
                    assert!(passed[source] <= bound, "seed {seed}: source {source} starves");
                }
            }
        }
    }

    #[test]
    fn takes_events_in_the_order_that_the_simulator_knows() {
        let lines = include_str!("../testdata/rounds.txt").lines();
        let lines: Vec<_> = lines.filter(|line| !line.starts_with('#')).collect();
        let [first, cases @ ..] = lines.as_slice() else { panic!("the file is empty") };
        let budgets = numbers(first.strip_prefix("budgets").expect("the first line"));
        for case in cases {
            let (waiting, expected) = case.split_once(" :").expect("a case");
            let mut waiting = numbers(waiting);
            let mut rounds = Rounds::new(budgets);
            let mut order = Vec::new();
            loop {
                let step = rounds.step(|source| {
                    waiting[source] = waiting[source].checked_sub(1)?;
                    Some(source)
                });
                match step {
                    Step::Event(source) => order.push(source.to_string()),
                    Step::RoundOver => order.push("|".to_owned()),
                    Step::Idle => break,
                }
            }
            assert_eq!(order.join(" "), expected.trim(), "{case}");
        }
    }

    fn numbers(text: &str) -> [u32; 4] {
        let numbers: Vec<u32> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
        numbers.try_into().expect("four numbers")
    }

    #[test]
    fn a_round_ends_however_much_there_is() {
        let mut rounds = Rounds::new(BUDGETS);
        for _ in 0..100 {
            let mut events = 0;
            while rounds.step(Some) != Step::RoundOver {
                events += 1;
            }
            assert_eq!(events, BUDGETS.iter().sum::<u32>());
        }
    }

    #[test]
    fn is_idle_only_when_every_source_was_asked_without_an_event_between() {
        let mut rounds = Rounds::new(BUDGETS);
        let mut has_event = true;
        let mut once = |source| (source == 2 && std::mem::take(&mut has_event)).then_some(source);
        assert_eq!(rounds.step(&mut once), Step::Event(2));
        assert_eq!(rounds.step(&mut once), Step::RoundOver);
        let mut asked = Vec::new();
        let step = rounds.step(|source| {
            asked.push(source);
            None::<usize>
        });
        assert_eq!(step, Step::Idle);
        assert_eq!(asked, [0, 1, 2, 3]);
    }
}
