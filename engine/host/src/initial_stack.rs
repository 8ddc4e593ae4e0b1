//! The stack that a program begins with, as the kernel makes it: argc, argv, envp and the auxiliary
//! vector.

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;

const WORD_BYTES: u64 = 8;
/// The kernel's auxiliary vector is longer, so that no read reaches the strings behind it.
const CHUNK_BYTES: usize = 256;
const CHUNK_WORDS: usize = CHUNK_BYTES / 8;
const MAX_CHUNKS: usize = 4096;
const AT_SYSINFO_EHDR: u64 = 33;

/// The address of the vDSO: the first entry of the auxiliary vector; getauxval(3).
/// Only pointers are read. `None` if that entry is another one.
///
/// # Errors
///
/// Those of the read, and `InvalidData` if argc cannot be right.
pub fn vdso_address(memory: &impl ReadAt, stack: u64) -> Result<Option<u64>> {
    let argc = words_at(memory, stack)?[0];
    // Behind argc, argv and its NULL.
    let skipped = argc.checked_add(2).and_then(|words| words.checked_mul(WORD_BYTES));
    let variables = skipped.and_then(|bytes| stack.checked_add(bytes));
    let mut at = variables.ok_or_else(|| Error::from(ErrorKind::InvalidData))?;
    for _ in 0..MAX_CHUNKS {
        let words = words_at(memory, at)?;
        if let Some(end) = words.iter().position(|word| *word == 0) {
            let entry = words_at(memory, at + WORD_BYTES * (end as u64 + 1))?;
            return Ok((entry[0] == AT_SYSINFO_EHDR).then_some(entry[1]));
        }
        at = at.wrapping_add(CHUNK_BYTES as u64);
    }
    Ok(None)
}

fn words_at(memory: &impl ReadAt, address: u64) -> Result<[u64; CHUNK_WORDS]> {
    let mut bytes = [0; CHUNK_BYTES];
    memory.read_at(&mut bytes, address)?;
    let mut words = [0; CHUNK_WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_ne_bytes(*bytes);
    }
    Ok(words)
}

/// Memory that can be read at an address.
pub trait ReadAt {
    /// Reads all bytes of `target`, or fails.
    fn read_at(&self, target: &mut [u8], address: u64) -> Result<()>;
}

impl ReadAt for File {
    fn read_at(&self, target: &mut [u8], address: u64) -> Result<()> {
        self.read_exact_at(target, address)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind, Result};

    use super::{CHUNK_WORDS, ReadAt, vdso_address};

    const STACK: u64 = 0x7ffc_0000_1000;
    const VDSO: u64 = 0x7ffc_0008_0000;
    /// More than one read fetches.
    const MANY: usize = 3 * CHUNK_WORDS + 5;

    /// A stack of words; nothing can be read around it.
    struct Stack(Vec<u64>);

    impl ReadAt for Stack {
        fn read_at(&self, target: &mut [u8], address: u64) -> Result<()> {
            let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_ne_bytes()).collect();
            let start = address.checked_sub(STACK).and_then(|start| usize::try_from(start).ok());
            let found = start.and_then(|start| bytes.get(start..start + target.len()));
            target.copy_from_slice(found.ok_or_else(|| Error::from(ErrorKind::InvalidData))?);
            Ok(())
        }
    }

    /// argc, argv, envp and the auxiliary vector, with strings behind them.
    fn initial_stack(arguments: usize, variables: usize, first_entry: u64) -> Stack {
        let mut words = vec![arguments as u64];
        words.extend(std::iter::repeat_n(0x1000, arguments));
        words.push(0);
        words.extend(std::iter::repeat_n(0x2000, variables));
        words.extend([0, first_entry, VDSO]);
        words.extend(std::iter::repeat_n(0, 2 * CHUNK_WORDS));
        Stack(words)
    }

    #[test]
    fn finds_the_vdso_behind_any_number_of_arguments_and_variables() {
        for (arguments, variables) in [(1, 0), (1, 1), (0, 7), (900, 3), (2, MANY), (MANY, MANY)] {
            let found = vdso_address(&initial_stack(arguments, variables, 33), STACK);
            assert_eq!(found.unwrap(), Some(VDSO), "{arguments} arguments, {variables} variables");
        }
    }

    #[test]
    fn finds_no_vdso_where_the_first_entry_is_another_one() {
        assert_eq!(vdso_address(&initial_stack(1, 1, 3), STACK).unwrap(), None);
    }

    #[test]
    fn refuses_a_stack_that_cannot_be_read_or_has_no_end() {
        let endless = Stack(std::iter::once(0).chain(std::iter::repeat_n(1, 64)).collect());
        assert!(vdso_address(&endless, STACK).is_err());
        for argc in [u64::MAX, u64::MAX / 8, 1 << 40] {
            let stack = Stack([argc].into_iter().chain(std::iter::repeat_n(0, 64)).collect());
            assert!(vdso_address(&stack, STACK).is_err(), "argc {argc}");
        }
        assert!(vdso_address(&Stack(Vec::new()), STACK).is_err());
    }
}
