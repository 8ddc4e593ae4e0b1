//! The mappings of this process; `proc_pid_maps(5)`.

use std::fs;
use std::ops::Range;

use super::arena;

/// A mapping.
pub struct Mapping {
    pub addresses: Range<usize>,
    /// Its file, or a name such as `[stack]`; empty for anonymous memory.
    pub name: String,
}

/// The main thread's stack may grow to this; `RLIMIT_STACK` is mostly half of it.
const STACK_BYTES: usize = 16 << 20;

impl Mapping {
    /// Its addresses, and those that it may grow to.
    pub fn reach(&self) -> Range<usize> {
        let grows = if self.is_stack() { STACK_BYTES } else { 0 };
        self.addresses.start - grows..self.addresses.end
    }

    pub fn is_stack(&self) -> bool {
        self.name == "[stack]"
    }

    pub fn is_arena(&self) -> bool {
        arena::content().addr().get() == self.addresses.start
    }
}

/// All of them.
pub fn read() -> Result<Vec<Mapping>, String> {
    let text = fs::read_to_string("/proc/self/maps")
        .map_err(|error| format!("read /proc/self/maps: {error}"))?;
    text.lines().map(|line| parse(line).ok_or_else(|| format!("a mapping: {line}"))).collect()
}

fn parse(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    let name = words.nth(4).unwrap_or_default().to_owned();
    Some(Mapping { addresses: address(start)?..address(end)?, name })
}

#[cfg(test)]
mod tests {
    use super::{parse, read};

    #[test]
    fn reads_mappings() {
        let stack = parse("7ffc0000-7ffd0000 rw-p 00000000 00:00 0     [stack]").unwrap();
        assert_eq!(stack.addresses, 0x7ffc_0000..0x7ffd_0000);
        assert_eq!(stack.name, "[stack]");
        assert_eq!(parse("10-20 r-xp 00000000 08:01 12").unwrap().name, "");
        assert!(parse("no mapping").is_none());
    }

    #[test]
    fn finds_a_variable_of_this_function() {
        let here = 0_u8;
        let address = (&raw const here).addr();
        assert!(read().unwrap().iter().any(|found| found.addresses.contains(&address)));
    }
}
