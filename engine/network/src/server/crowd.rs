//! The decision which connections stay open, so that one client cannot block others. Each one takes
//! about the same time, however many are open: a flood must not cost more than its own packets.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
    net::{IpAddr, Ipv4Addr},
};

/// The number of a visit: later ones have larger numbers.
pub(super) type VisitNumber = u64;

/// An IPv4 address, or the /64 of an IPv6 address, of which one machine can have every address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Group {
    V4(Ipv4Addr),
    V6([u16; 4]),
}

impl Group {
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self::V6([a, b, c, d])
            }
        }
    }
}

/// The decision on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    In,
    /// It comes in, and another one has to go, which is forgotten already.
    InFor(VisitNumber),
    /// There is no room, and no other one that may be sent away.
    Refused,
}

/// The connections that are open. If there is no room, the largest group gives its oldest one up.
/// A connection whose request is being answered stays, and so do those of spared groups.
pub(super) struct Crowd {
    most: usize,
    spared: HashSet<Group>,
    inside: HashMap<VisitNumber, Group>,
    members: HashMap<Group, Members>,
    /// The groups that can give one up, the largest first, then the one that came first.
    ranking: BTreeSet<(Reverse<usize>, VisitNumber, Group)>,
}

struct Members {
    /// The group's first visit, which tells groups of one size apart.
    first: VisitNumber,
    count: usize,
    /// Those that are not being answered.
    idle: BTreeSet<VisitNumber>,
}

impl Crowd {
    /// `most` connections at a time, at least one. The spared groups give theirs up only for
    /// themselves: the node's own probes come from them.
    pub fn new(most: usize, spared: impl IntoIterator<Item = IpAddr>) -> Self {
        Self {
            most: most.max(1),
            spared: spared.into_iter().map(Group::of).collect(),
            inside: HashMap::new(),
            members: HashMap::new(),
            ranking: BTreeSet::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.inside.len()
    }

    pub fn answering(&self) -> usize {
        self.len() - self.members.values().map(|members| members.idle.len()).sum::<usize>()
    }

    pub fn enter(&mut self, visit: VisitNumber, address: IpAddr) -> Entry {
        let group = Group::of(address);
        let mut entry = Entry::In;
        if self.len() >= self.most {
            let Some(other) = self.to_send_away_for(group) else { return Entry::Refused };
            self.leave(other);
            entry = Entry::InFor(other);
        }
        self.inside.insert(visit, group);
        self.change(group, |members| {
            members.first = members.first.min(visit);
            members.count += 1;
            members.idle.insert(visit);
        });
        entry
    }

    /// A visit that is being answered is not sent away.
    pub fn set_answering(&mut self, visit: VisitNumber, is_answering: bool) {
        let Some(&group) = self.inside.get(&visit) else { return };
        self.change(group, |members| {
            if is_answering {
                members.idle.remove(&visit);
            } else {
                members.idle.insert(visit);
            }
        });
    }

    pub fn leave(&mut self, visit: VisitNumber) {
        let Some(group) = self.inside.remove(&visit) else { return };
        self.change(group, |members| {
            members.count -= 1;
            members.idle.remove(&visit);
        });
    }

    fn to_send_away_for(&self, newcomer: Group) -> Option<VisitNumber> {
        let own = if self.spared.contains(&newcomer) { self.rank_of(newcomer) } else { None };
        let (.., group) = self.ranking.first().copied().into_iter().chain(own).min()?;
        self.members.get(&group)?.idle.first().copied()
    }

    /// The place of a group; `None` if it can give no visit up.
    fn rank_of(&self, group: Group) -> Option<(Reverse<usize>, VisitNumber, Group)> {
        let members = self.members.get(&group)?;
        let can_give = !members.idle.is_empty();
        can_give.then_some((Reverse(members.count), members.first, group))
    }

    fn change(&mut self, group: Group, change: impl FnOnce(&mut Members)) {
        let is_ranked = !self.spared.contains(&group);
        if let Some(rank) = self.rank_of(group) {
            self.ranking.remove(&rank);
        }
        let empty = || Members { first: VisitNumber::MAX, count: 0, idle: BTreeSet::new() };
        let members = self.members.entry(group).or_insert_with(empty);
        change(members);
        if members.count == 0 {
            self.members.remove(&group);
        } else if is_ranked && let Some(rank) = self.rank_of(group) {
            self.ranking.insert(rank);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Crowd, Entry, Group, VisitNumber};

    const MOST: usize = 256;
    const NODE: &str = "10.0.0.1";
    const FLOOD: &str = "10.0.0.2";

    struct House {
        crowd: Crowd,
        last: VisitNumber,
    }

    impl House {
        fn new() -> Self {
            Self { crowd: Crowd::new(MOST, [NODE.parse().unwrap()]), last: 0 }
        }

        fn enter(&mut self, address: &str) -> (VisitNumber, Entry) {
            self.last += 1;
            (self.last, self.crowd.enter(self.last, address.parse().unwrap()))
        }

        fn has(&self, visit: VisitNumber) -> bool {
            self.crowd.inside.contains_key(&visit)
        }

        fn flood(&mut self, count: usize) -> Vec<VisitNumber> {
            (0..count).map(|_| self.enter(FLOOD).0).collect()
        }
    }

    #[test]
    fn lets_every_client_in_while_there_is_room() {
        let mut house = House::new();
        for visit in house.flood(MOST) {
            assert!(house.has(visit));
        }
        assert_eq!(house.crowd.len(), MOST);
    }

    #[test]
    fn sends_the_oldest_of_the_largest_group_away() {
        let mut house = House::new();
        let (first, _) = house.enter("10.0.0.9");
        let flood = house.flood(3 * MOST);
        let (newcomer, entry) = house.enter("10.0.0.3");
        assert_eq!(entry, Entry::InFor(flood[2 * MOST + 1]));
        assert_eq!(house.crowd.len(), MOST);
        assert!(house.has(first) && house.has(newcomer));
        assert!(!house.has(flood[0]) && house.has(flood[3 * MOST - 1]));
    }

    #[test]
    fn sends_a_spared_group_away_for_itself_alone() {
        let mut house = House::new();
        let probes: Vec<_> = (0..5).map(|_| house.enter(NODE).0).collect();
        for index in 0..600 {
            house.enter(&format!("10.{}.{}.1", 7 + index / 256, index % 256));
        }
        assert!(probes.iter().all(|probe| house.has(*probe)));
        let mut house = House::new();
        let probes: Vec<_> = (0..=MOST).map(|_| house.enter(NODE).0).collect();
        assert!(!house.has(probes[0]) && house.has(probes[MOST]));
        let (_, entry) = house.enter(FLOOD);
        assert_eq!(entry, Entry::Refused);
    }

    #[test]
    fn never_sends_a_visit_away_that_is_being_answered() {
        let mut house = House::new();
        let (answering, _) = house.enter(FLOOD);
        house.crowd.set_answering(answering, true);
        house.flood(2 * MOST);
        assert!(house.has(answering));
        assert_eq!(house.crowd.answering(), 1);
        house.crowd.set_answering(answering, false);
        assert_eq!(house.enter(FLOOD).1, Entry::InFor(answering));
    }

    #[test]
    fn refuses_one_more_if_all_are_being_answered() {
        let mut house = House::new();
        for visit in house.flood(MOST) {
            house.crowd.set_answering(visit, true);
        }
        assert_eq!(house.enter("10.9.9.9").1, Entry::Refused);
    }

    #[test]
    fn forgets_those_who_have_left() {
        let mut house = House::new();
        let (one, _) = house.enter(FLOOD);
        house.crowd.leave(one);
        house.crowd.leave(one);
        house.crowd.set_answering(one, true);
        assert_eq!(house.crowd.len(), 0);
        assert!(house.crowd.members.is_empty() && house.crowd.ranking.is_empty());
    }

    #[test]
    fn groups_addresses_that_one_machine_can_have() {
        for (one, other, is_same) in [
            ("10.1.2.3", "::ffff:10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("::1", "127.0.0.1", false),
        ] {
            let group = |address: &str| Group::of(address.parse().unwrap());
            assert_eq!(group(one) == group(other), is_same, "{one} {other}");
        }
    }
}
