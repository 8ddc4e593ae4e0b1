//! Locked memory: how the process treats secrets if the kernel does not lock their pages.

use std::sync::OnceLock;

use rquickjs::module::Exports;
use rquickjs::{Ctx, Object, Result};
use svc_secrets::NotLocked;

use super::errors::throw_system_error;
use super::export_functions::export_functions;
use crate::sys::views::Bytes;
use crate::sys::{descriptors, processes};

pub const EXPORTS: &[&str] = &["areSecretsLocked", "requireLockedSecrets", "yieldSecretLocks"];

/// The message and the exit status of the process when a page cannot be locked.
struct LastWords {
    fd: i32,
    before: Vec<u8>,
    behind: Vec<u8>,
    status: i32,
}

static LAST_WORDS: OnceLock<LastWords> = OnceLock::new();

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "areSecretsLocked" => svc_secrets::are_secrets_locked,
        "requireLockedSecrets" =>
            |ctx: Ctx<'js>, last: Object<'js>| require_locked(&ctx, &last),
        "yieldSecretLocks" => svc_secrets::yield_locks,
    }
    Ok(())
}

fn require_locked<'js>(ctx: &Ctx<'js>, last: &Object<'js>) -> Result<()> {
    let bytes = |name| last.get::<_, Bytes>(name).map(|bytes| bytes.with(<[u8]>::to_vec));
    let words = LastWords {
        fd: last.get("fd")?,
        before: bytes("before")?,
        behind: bytes("behind")?,
        status: last.get("status")?,
    };
    // A second time it asks for the same.
    let _ = LAST_WORDS.set(words);
    svc_secrets::require_locked(end).map_err(|NotLocked { errno, .. }| {
        let cause = std::io::Error::from_raw_os_error(errno);
        throw_system_error(ctx, "mlock2", &cause)
    })
}

/// Nothing is allocated here: the allocator itself may have found that it has no locked page.
fn end(refused: &NotLocked) -> ! {
    let Some(LastWords { fd, before, behind, status }) = LAST_WORDS.get() else {
        processes::exit(1)
    };
    let mut room = [0; MOST_DIGITS];
    for part in [before, digits(refused.wanted_bytes, &mut room), behind] {
        // Without a reader the message is lost, and the process ends all the same.
        let _ = descriptors::write(*fd, part);
    }
    processes::exit(*status)
}

/// Those of 2^64.
const MOST_DIGITS: usize = 20;

/// A number in decimal digits, at the end of the room for them.
fn digits(number: usize, room: &mut [u8; MOST_DIGITS]) -> &[u8] {
    let mut rest = number;
    let mut first = MOST_DIGITS;
    loop {
        first -= 1;
        room[first] = b"0123456789"[rest % 10];
        rest /= 10;
        if rest == 0 {
            return &room[first..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_DIGITS, digits};

    #[test]
    fn writes_numbers_as_they_are_read() {
        for number in [0, 7, 10, 65536, usize::MAX] {
            let mut room = [0; MOST_DIGITS];
            assert_eq!(digits(number, &mut room), number.to_string().as_bytes());
        }
    }
}
