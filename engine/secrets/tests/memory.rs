//! The places that secrets have in this process, and the places that they do not have. Alone in its
//! process: it searches all of the process's memory.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use svc_secrets::{SecretBuilder, SecretBytes, WipingAllocator, are_secrets_locked, guarded};

#[global_allocator]
static ALLOCATOR: WipingAllocator = WipingAllocator;

fn main() {
    secrets_share_locked_pages();
    a_long_secret_takes_its_own_length();
    no_page_of_a_secret_is_dumped();
    a_dropped_secret_is_nowhere();
    the_heap_forgets_what_was_copied_to_it();
    what_is_allocated_within_a_guard_is_locked();
    the_stack_of_a_guard_is_wiped();
    more_than_the_range_holds_is_no_obstacle();
    println!("memory: 8 tests passed");
}

/// With the limit of older systems, within which pages are taken one by one.
fn secrets_share_locked_pages() {
    let usual = getrlimit(Resource::Memlock);
    let old = Rlimit { current: Some(64 << 10), ..usual };
    setrlimit(Resource::Memlock, old).expect("lower the limit");
    let before = status_kib("VmLck:");
    let secrets: Vec<_> =
        (0..1500).map(|index| SecretBytes::copy_of(format!("value {index}").as_bytes())).collect();
    assert!(are_secrets_locked(), "RLIMIT_MEMLOCK is less than 64 KiB");
    let locked = status_kib("VmLck:") - before;
    assert!(locked <= 64, "{locked} KiB are locked");
    drop(secrets);
    let again: Vec<_> = (0..1500).map(|_| SecretBytes::copy_of(b"value 1499")).collect();
    assert_eq!(status_kib("VmLck:") - before, locked, "the pages were not used again");
    drop(again);
    setrlimit(Resource::Memlock, usual).expect("raise the limit again");
}

/// Pages move as a builder grows: neither is a copy kept, nor memory taken before it is written.
fn a_long_secret_takes_its_own_length() {
    let before = status_kib("VmRSS:");
    let mut builder = SecretBuilder::with_capacity(64 << 20);
    (0..8 << 10).for_each(|_| builder.push(&[b'x'; 1024]));
    let secret = builder.finish();
    let taken = status_kib("VmRSS:") - before;
    assert!((8 << 10..9 << 10).contains(&taken), "8 MiB took {taken} KiB");
    assert!(status_kib("VmLck:") <= 9 << 10, "more is locked than the secret");
    drop(secret);
}

fn no_page_of_a_secret_is_dumped() {
    let secrets = [SecretBytes::copy_of(b"small"), SecretBytes::copy_of(&vec![b'x'; 100_000])];
    for secret in &secrets {
        let flags = flags_at(secret.expose().as_ptr().addr());
        assert!(flags.split(' ').any(|flag| flag == "dd"), "no MADV_DONTDUMP: {flags}");
    }
}

fn a_dropped_secret_is_nowhere() {
    for size in [20, 3000, 5000, 100_000] {
        let mut builder = SecretBuilder::default();
        for at in 0..size {
            builder.push(&[canary()[at % canary().len()]]);
        }
        let secret = builder.finish();
        let json = SecretBytes::copy_of(format!("[\"{}\"]", name()).as_bytes()).parse_json();
        let value = json.expect("it is JSON").items()[0].bytes();
        assert!(occurrences() > 0, "the search finds nothing at all");
        drop((secret, value));
        assert_eq!(occurrences(), 0, "a copy of {size} bytes was left");
    }
}

fn the_heap_forgets_what_was_copied_to_it() {
    let mut copies: Vec<Vec<u8>> = (0..50).map(|_| canary()).collect();
    copies[7].reserve(100_000);
    copies[8].shrink_to(0);
    copies[9].truncate(1);
    copies[9].shrink_to_fit();
    assert!(occurrences() > 0);
    drop(copies);
    assert_eq!(occurrences(), 0);
}

fn what_is_allocated_within_a_guard_is_locked() {
    let mut copies = guarded(|| vec![canary(), canary(), canary()]);
    // Outside of it they grow in memory of the same kind.
    copies[0].extend_from_slice(&[b'x'; 10_000]);
    copies[1].shrink_to_fit();
    let outside = canary();
    for copy in &copies {
        let flags = flags_at(copy.as_ptr().addr());
        let has = |wanted| flags.split(' ').any(|flag| flag == wanted);
        assert!(has("lo") && has("dd"), "not locked, or dumped: {flags}");
    }
    let flags = flags_at(outside.as_ptr().addr());
    assert!(!flags.split(' ').any(|flag| flag == "lo"), "the ordinary heap is locked: {flags}");
    drop((copies, outside));
    assert_eq!(occurrences(), 0);
}

fn the_stack_of_a_guard_is_wiped() {
    let deep = |place: &mut usize| {
        let mut copy = [0; 24];
        copy.copy_from_slice(&canary()[..24]);
        *place = std::hint::black_box(&copy).as_ptr().addr();
    };
    let mut place = 0;
    guarded(|| {
        // Some frames deeper.
        let room = [0_u8; 16_000];
        std::hint::black_box(&room);
        deep(&mut place);
    });
    let mut found = [0; 24];
    let memory = File::open("/proc/self/mem").expect("open /proc/self/mem");
    memory.read_exact_at(&mut found, place as u64).expect("read the stack");
    assert_ne!(found, canary()[..24], "the stack still has it");
}

fn more_than_the_range_holds_is_no_obstacle() {
    let mut blocks: Vec<Vec<u8>> =
        guarded(|| (0..200).map(|index| vec![index; 64 << 10]).collect());
    blocks[0].extend_from_slice(&[0; 1000]);
    let secrets: Vec<_> =
        (0..10).map(|index| SecretBytes::copy_of(format!("{index}").as_bytes())).collect();
    for (index, block) in (0_u8..).zip(&blocks) {
        assert!(block.iter().all(|byte| *byte == index));
    }
    assert!(secrets.iter().enumerate().all(|(index, one)| one.equals(&index.to_string())));
    drop((blocks, secrets));
    let again = guarded(|| vec![1_u8; 64 << 10]);
    let flags = flags_at(again.as_ptr().addr());
    assert!(flags.split(' ').any(|flag| flag == "dd"), "the range is not used again: {flags}");
}

/// Made again each time: the executable does not hold it.
fn canary() -> Vec<u8> {
    b"dbobsz.pg.uif.nfnpsz.uftu".iter().map(|byte| byte - 1).collect()
}

fn name() -> String {
    String::from_utf8(canary()).expect("it is ASCII")
}

/// How often the canary is in memory that can be written, except for the searcher's own.
fn occurrences() -> usize {
    let canary = canary();
    let memory = File::open("/proc/self/mem").expect("open /proc/self/mem");
    let maps = fs::read_to_string("/proc/self/maps").expect("read /proc/self/maps");
    let mut count = 0;
    for line in maps.lines().filter(|line| line.contains(" rw") && !line.contains("[stack]")) {
        let (range, _) = line.split_once(' ').expect("a line has a range");
        let (start, end) = range.split_once('-').expect("a range has an end");
        let [start, end] = [start, end].map(|at| u64::from_str_radix(at, 16).expect("a number"));
        for page in (start..end).step_by(4096) {
            let mut bytes = [0; 4096 + 32];
            let Ok(length) = memory.read_at(&mut bytes, page) else { continue };
            count += bytes[..length].windows(canary.len()).filter(|part| *part == canary).count();
        }
    }
    // The canary that is searched for is on the heap itself.
    count - 1
}

fn status_kib(name: &str) -> i64 {
    let status = fs::read_to_string("/proc/self/status").expect("read /proc/self/status");
    let line = status.lines().find(|line| line.starts_with(name)).expect("the line");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
}

fn flags_at(address: usize) -> String {
    let maps = fs::read_to_string("/proc/self/smaps").expect("read /proc/self/smaps");
    let mut within = false;
    for line in maps.lines() {
        if let Some((start, rest)) =
            line.split_once(' ').and_then(|(range, _)| range.split_once('-'))
        {
            let [start, end] = [start, rest].map(|at| usize::from_str_radix(at, 16).unwrap_or(0));
            within = (start..end).contains(&address);
        } else if let (true, Some(flags)) = (within, line.strip_prefix("VmFlags: ")) {
            return flags.to_owned();
        }
    }
    String::new()
}
