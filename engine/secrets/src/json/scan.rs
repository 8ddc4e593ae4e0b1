//! Finds ends in a text that is known to be JSON.

/// The index of the first byte from `at` that is not a white space.
pub(super) fn skip_white_space(text: &[u8], at: usize) -> usize {
    let white = text[at..].iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
    at + white
}

/// The index behind a string that begins at `at`.
pub(super) fn end_of_string(text: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    loop {
        end += memchr::memchr2(b'"', b'\\', &text[end..]).unwrap_or(text.len() - end);
        match text.get(end) {
            // Two bytes are enough: behind \u are digits.
            Some(b'\\') => end += 2,
            Some(_) => return end + 1,
            None => return end,
        }
    }
}

/// The index behind a value that begins at `at`.
pub(super) fn end_of_value(text: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut end = at;
    loop {
        match text.get(end) {
            Some(b'"') => end = end_of_string(text, end),
            Some(b'{' | b'[') => {
                depth += 1;
                end += 1;
            }
            Some(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                end += 1;
            }
            Some(b',' | b':' | b' ' | b'\t' | b'\r' | b'\n') => end += 1,
            Some(_) => end = end_of_word(text, end),
            None => return end,
        }
        if depth == 0 {
            return end;
        }
    }
}

/// The index behind a number, `true`, `false` or `null`.
fn end_of_word(text: &[u8], at: usize) -> usize {
    let length = text[at..].iter().take_while(|byte| !b",:]} \t\r\n".contains(byte)).count();
    at + length
}
