//! The random numbers that a booted script holds: the state of `Math.random` and the seeds of hash
//! tables. An image has fixed ones, so that two builds have the same bytes. Each process gets its
//! own state of `Math.random`.

use std::ffi::{c_uint, c_void};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use rquickjs::{Ctx, qjs};

/// The process makes an image: Rust's hash tables get fixed keys.
static HAS_FIXED_KEYS: AtomicBool = AtomicBool::new(false);
static WERE_KEYS_ASKED: AtomicBool = AtomicBool::new(false);

/// Repeated, they are the keys.
const KEYS: [u8; 8] = *b"svc keys";
/// A fixed time takes the place of the clock's.
const TIME: u64 = 1;

/// The time before the script's context was made.
#[derive(Clone, Copy)]
pub struct Before(u64);

impl Before {
    pub fn now() -> Self {
        Self(microseconds())
    }
}

/// Gives Rust's hash tables of this thread the keys that every image has. To be called before the
/// first of them is made: a thread takes its keys once.
///
/// # Errors
///
/// If the standard library has not asked for them: then this version takes keys from elsewhere, or
/// there is a table already.
pub fn fix_hash_keys() -> Result<(), String> {
    HAS_FIXED_KEYS.store(true, Relaxed);
    // The keys are asked for here, and not within the image.
    RandomState::new().build_hasher();
    HAS_FIXED_KEYS.store(false, Relaxed);
    if WERE_KEYS_ASKED.load(Relaxed) {
        Ok(())
    } else {
        Err("the keys of hash tables do not come from getrandom".to_owned())
    }
}

/// getrandom(2). The standard library takes the keys of its hash tables from the function of this
/// name, so that a program can fix them. Only it passes `GRND_INSECURE`: keys of ciphers and the
/// like always come from the kernel.
///
/// # Safety
///
/// The pointer leads to as many writable bytes as the length says.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(target: *mut c_void, length: usize, flags: c_uint) -> isize {
    if flags & libc::GRND_INSECURE != 0 && HAS_FIXED_KEYS.load(Relaxed) {
        WERE_KEYS_ASKED.store(true, Relaxed);
        for (at, byte) in KEYS.into_iter().cycle().take(length).enumerate() {
            // SAFETY: the caller's promise.
            unsafe { target.cast::<u8>().add(at).write(byte) };
        }
        return length.cast_signed();
    }
    // SAFETY: the caller's promise.
    let count = unsafe { libc::syscall(libc::SYS_getrandom, target, length, flags) };
    isize::try_from(count).unwrap_or(-1)
}

/// Fixes the seeds of a context that was just made, and whose tables hold nothing. `QuickJS` takes
/// the time in microseconds for them (`JS_NewContextRaw`), and keeps both in the context.
///
/// Returns the address of the state of `Math.random`.
///
/// # Errors
///
/// If the context has no such words, or several: then this version of the interpreter has others.
pub fn fix(ctx: &Ctx<'_>, before: Before) -> Result<usize, String> {
    let place = place_of_seeds(ctx, before)?;
    let fixed = Random::seeded(TIME);
    // SAFETY: these are the two fields, and no script runs meanwhile.
    unsafe {
        place.write(fixed.state);
        place.add(1).cast::<u32>().write(fixed.hash_seed);
    }
    Ok(place.addr())
}

/// The field `random_state` of the context, behind which `hash_seed` stands.
fn place_of_seeds(ctx: &Ctx<'_>, Before(since): Before) -> Result<*mut u64, String> {
    let context = ctx.as_raw().as_ptr().cast::<u64>();
    // SAFETY: the interpreter has allocated its context as one block, whose length it knows.
    let bytes = unsafe {
        qjs::js_malloc_usable_size_rt(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()), context.cast())
    };
    let count = usize::try_from(bytes).unwrap_or(0) / size_of::<u64>();
    let until = microseconds();
    let is_seeded = |at: &usize| {
        // SAFETY: the block has that many words, which the interpreter does not change meanwhile.
        let (state, seed) = unsafe { (context.add(*at).read(), context.add(at + 1).read()) };
        let mut times = (since..=until).map(Random::seeded);
        times.any(|random| state == random.state && low_half(seed) == random.hash_seed)
    };
    // Nothing is allocated here: it would be in the image, with a length that differs.
    let mut found = (0..count.saturating_sub(1)).filter(is_seeded);
    match (found.next(), found.next()) {
        // SAFETY: it is a word of the block.
        (Some(at), None) => Ok(unsafe { context.add(at) }),
        _ => Err("the seeds of a context are not in their place".to_owned()),
    }
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
        // The interpreter keeps the low half.
        Self { state, hash_seed: low_half(state.wrapping_mul(0x2545_F491_4F6C_DD1D)) }
    }
}

#[allow(clippy::cast_possible_truncation)]
fn low_half(word: u64) -> u32 {
    word as u32
}

fn microseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, RandomState};
    use std::thread;

    use rquickjs::{Context, Runtime};

    use super::super::ScriptHeap;
    use super::{Before, Random, TIME, fix, fix_hash_keys, low_half};

    #[test]
    fn fixes_both_seeds_of_a_context_in_their_place() {
        let before = Before::now();
        let runtime = Runtime::new_with_alloc(ScriptHeap).unwrap();
        let context = Context::base(&runtime).unwrap();
        context.with(|ctx| {
            let place = fix(&ctx, before).unwrap();
            let state = std::ptr::with_exposed_provenance::<u64>(place);
            // SAFETY: `fix` has written both words.
            let found = unsafe { (state.read(), low_half(state.add(1).read())) };
            let fixed = Random::seeded(TIME);
            assert_eq!(found, (fixed.state, fixed.hash_seed));
            // They are not those of the clock any more.
            assert!(fix(&ctx, before).is_err());
        });
    }

    #[test]
    fn fixes_the_keys_of_hash_tables_for_one_thread() {
        // A thread takes its keys once.
        let hash = |is_fixed: bool| {
            thread::spawn(move || {
                if is_fixed {
                    fix_hash_keys().unwrap();
                }
                RandomState::new().hash_one("a key")
            })
            .join()
            .unwrap()
        };
        assert_eq!(hash(true), hash(true));
        assert_ne!(hash(false), hash(false));
        assert_ne!(hash(true), hash(false));
    }

    #[test]
    fn takes_other_random_bytes_from_the_kernel() {
        let mut bytes = [[0_u8; 32]; 2];
        for room in &mut bytes {
            crate::sys::processes::fill_random(room).unwrap();
        }
        assert_ne!(bytes[0], bytes[1]);
    }
}
