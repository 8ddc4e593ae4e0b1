//! The random numbers that a booted script holds: the state of `Math.random` and the seeds of hash
//! tables. An image has fixed ones, so that two builds have the same bytes. Each process gets its
//! own state of `Math.random`.

use std::hash::RandomState;
use std::mem::transmute;
use std::time::{SystemTime, UNIX_EPOCH};

use super::arena;

/// Taken before the script's context is made.
pub struct Before {
    since: u64,
    hash_keys: [u64; 2],
}

/// Fixed seeds take the places of random ones.
const TIME: u64 = 1;
const HASH_KEYS: [u64; 2] = [0x7376_6320_696d_6167, 0x6520_6861_7368_6573];
/// Each table of Rust has a first key that is greater by one than that of the table before.
const MOST_TABLES: u64 = 64;

impl Before {
    pub fn now() -> Self {
        // SAFETY: it is two words, by which `Fixed::replace` finds them in the image. A version of
        // the standard library if that is not so does not compile, or has no such words.
        let hash_keys = unsafe { transmute::<RandomState, [u64; 2]>(RandomState::new()) };
        Self { since: microseconds(), hash_keys }
    }
}

/// Replaces the seeds of a context that was just made, and whose tables hold nothing.
///
/// `QuickJS` takes the time in microseconds for a seed (`JS_NewContextRaw`).
///
/// # Errors
///
/// If they are not found: then this version of the interpreter or of the standard library has
/// others.
pub fn replace(before: &Before) -> Result<usize, String> {
    // SAFETY: these are the words of the arena, which is mapped; no reference into it is used
    // meanwhile.
    let words = unsafe { arena::words() };
    let until = microseconds();
    let mut states = (before.since..=until).map(Random::seeded);
    let (at, state) = states
        .find_map(|state| words.iter().position(|word| *word == state.state).map(|at| (at, state)))
        .ok_or("the seed of Math.random is not in its place")?;
    let follows = u32::try_from(words[at + 1] & u64::from(u32::MAX)).unwrap_or(0);
    if follows != state.hash_seed {
        return Err("the seed of maps is not in its place".to_owned());
    }
    let fixed = Random::seeded(TIME);
    words[at] = fixed.state;
    words[at + 1] ^= u64::from(follows ^ fixed.hash_seed);
    let [first, second] = before.hash_keys;
    let mut tables = 0;
    for pair in 1..words.len() {
        let is_first = words[pair - 1].wrapping_sub(first) <= MOST_TABLES;
        if words[pair] == second && is_first {
            words[pair - 1] = HASH_KEYS[0] + tables;
            words[pair] = HASH_KEYS[1];
            tables += 1;
        }
    }
    if tables == 0 {
        return Err("no hash table of Rust was found".to_owned());
    }
    debug_assert!(arena::is_making());
    Ok(at * size_of::<u64>())
}

/// `xorshift64star` of quickjs.c after its first step, as `JS_NewContextRaw` leaves it.
struct Random {
    state: u64,
    hash_seed: u32,
}

impl Random {
    fn seeded(time: u64) -> Self {
        let mut state = time;
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let number = state.wrapping_mul(0x2545_F491_4F6C_DD1D);
        // The interpreter keeps the low half.
        Self { state, hash_seed: u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0) }
    }
}

fn microseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(0)
}
