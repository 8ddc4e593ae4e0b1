//! Damaged JSON: any bytes get an answer, and the same one twice.

use serde_json::Value;
use svc_secrets::{JsonKind, SecretBytes, SecretJson};

const SEEDS: [&str; 6] = [
    r#"{"data":{"data":{"password":"hunter2","port":5432.0,"on":true,"none":null},"metadata":{}}}"#,
    r#"["\ud83d\udd11","\u0000\"\\\/\b\f\n\r\t",[[],{}],-0.5e-10, 1E400]"#,
    r#"{"auth":{"client_token":"hvs.x","policies":["a","b"],"lease_duration":3600}}"#,
    r#"{"errors":["permission denied"],"":{"":{"":[]}}}"#,
    "\"größe 🔑 \u{2028}\"",
    " [ 1 , 2 , { \"a\" : \"b\" } ] ",
];
const PIECES: [&[u8]; 20] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b",",
    b":",
    b"\\u",
    b"\\ud83d",
    b"0",
    b"-",
    b"e",
    b".",
    b"null",
    b" ",
    b"\xff",
    b"\xc3\xa4",
    b"\0",
    b"\"a\":1,",
];

#[test]
fn damaged_json_is_refused_or_means_the_same() {
    let mut random = Random(0x5eed);
    let mut taken = 0;
    for round in 0..40_000 {
        let mut text = SEEDS[round % SEEDS.len()].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            damage(&mut text, &mut random);
        }
        if let Ok(json) = SecretBytes::copy_of(&text).parse_json() {
            taken += 1;
            check(&text, &json);
        }
    }
    // The damage is neither always fatal nor never.
    assert!((1000..30_000).contains(&taken), "{taken} were taken");
}

fn damage(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len() + 1);
    match random.below(3) {
        0 => drop(text.drain(at..(at + random.below(4)).min(text.len()))),
        1 => drop(text.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied())),
        _ => {
            let from = random.below(text.len() + 1);
            let part = text[from..(from + random.below(8)).min(text.len())].to_vec();
            text.splice(at..at, part);
        }
    }
}

fn check(text: &[u8], json: &SecretJson) {
    let shown = String::from_utf8_lossy(text);
    visit(json);
    let compact = match json.kind() {
        // Its bytes are its text, not JSON.
        JsonKind::String => return,
        _ => json.bytes(),
    };
    let again = compact.parse_json().unwrap_or_else(|problem| panic!("{shown}: {problem:?}"));
    assert_eq!(again.bytes().expose(), compact.expose(), "{shown}");
    // serde_json refuses lone surrogates and numbers without a double. It judges the rest.
    if let Ok(value) = serde_json::from_slice::<Value>(text) {
        assert_eq!(serde_json::from_slice::<Value>(compact.expose()).ok(), Some(value), "{shown}");
    }
}

fn visit(json: &SecretJson) {
    assert_eq!(json.is_well_formed(), well_formed(json));
    for name in json.keys() {
        visit(&json.member(name).expect("a key has a member"));
    }
    json.items().iter().for_each(visit);
}

/// By another way: if a surrogate is alone the compact text has an escape for it.
fn well_formed(json: &SecretJson) -> bool {
    match json.kind() {
        JsonKind::String => json.is_well_formed(),
        // A backslash of a text is two.
        _ => !json.open().replace("\\\\", "").contains("\\ud"),
    }
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }
}
