//! Questions that a secret answers, without showing itself.

use svc_secrets::{SecretBuilder, SecretBytes};

fn secret(text: &str) -> SecretBytes {
    SecretBytes::copy_of(text.as_bytes())
}

#[test]
fn prints_nothing_of_itself() {
    assert_eq!(
        format!("{:?} {:#?}", secret("canary"), Some(secret("canary"))).matches("canary").count(),
        0
    );
    assert_eq!(format!("{:?}", secret("canary")), "[secret]");
}

#[test]
fn answers_questions_about_its_bytes() {
    let value = secret("s.token");
    assert_eq!((value.len(), value.is_empty(), secret("").is_empty()), (7, false, true));
    assert!(value.includes(b'.') && !value.includes(0));
    assert!(value.starts_with("s.") && value.starts_with("") && !value.starts_with("s.token "));
    assert!(value.equals("s.token") && !value.equals("s.toke") && !value.equals("S.token"));
    assert!(value.is_utf8() && !SecretBytes::copy_of(b"\xff").is_utf8());
}

#[test]
fn finds_the_first_invisible_byte() {
    for (text, expected) in [
        ("visible!~", None),
        ("", None),
        ("a b", Some(1)),
        ("a\x7f", Some(1)),
        ("ä", Some(0)),
        ("ab\n", Some(2)),
    ] {
        assert_eq!(secret(text).first_invisible(), expected, "{text:?}");
    }
}

#[test]
fn is_trimmed_as_ecmascript_trims() {
    for (text, expected) in [
        ("  value\r\n", "value"),
        ("value", "value"),
        ("", ""),
        (" \t\n ", ""),
        ("\u{feff}\u{a0}\u{3000}a b\u{2028}\u{2029}\u{b}\u{c}", "a b"),
        ("\u{85}value\u{85}", "\u{85}value\u{85}"),
        ("\u{200b}value", "\u{200b}value"),
    ] {
        assert!(secret(text).trimmed().equals(expected), "{text:?}");
    }
    assert_eq!(SecretBytes::copy_of(b" \xff ").trimmed().expose(), b" \xff ");
    assert!(secret("  twice  ").trimmed().trimmed().equals("twice"));
}

#[test]
fn loses_one_line_end_and_nothing_else() {
    for (bytes, expected) in [
        (&b"value\n"[..], &b"value"[..]),
        (b"value\r\n", b"value"),
        (b" value \n\n", b" value \n"),
        (b"value", b"value"),
        (b"value\r", b"value\r"),
        (b"\xff\n", b"\xff"),
        (b"\n", b""),
        (b"\r\n", b""),
        (b"", b""),
    ] {
        assert_eq!(SecretBytes::copy_of(bytes).without_line_end().expose(), expected);
    }
    assert!(secret(" a\n ").trimmed().without_line_end().equals("a"));
}

#[test]
fn is_copied_out_only_where_there_is_room() {
    let value = secret("value");
    let mut room = [b'x'; 7];
    assert_eq!(value.write_to(&mut room), Some(5));
    assert_eq!(&room, b"valuexx");
    assert_eq!(value.write_to(&mut room[..4]), None);
    assert_eq!(&room, b"valuexx");
}

#[test]
fn a_text_is_opened_with_secrets_masked() {
    let open = |text: &str, masked: &[&str]| {
        secret(text).open(&masked.iter().map(|part| secret(part)).collect::<Vec<_>>())
    };
    for (text, masked, expected) in [
        ("permission denied", &[][..], "permission denied"),
        ("bad s.token: s.token", &["s.token"], "bad [secret]: [secret]"),
        ("abc", &["abc"], "abc"),
        ("abcd", &["abcd"], "[secret]"),
        ("xabcdefx", &["abcd", "cdef"], "x[secret]x"),
        ("aaaaaaa", &["aaaa"], "[secret]"),
        ("abcdabcd", &["abcd"], "[secret][secret]"),
        ("", &["abcd"], ""),
    ] {
        assert_eq!(open(text, masked).as_deref(), Some(expected), "{text:?} {masked:?}");
    }
    assert_eq!(SecretBytes::copy_of(b"\xff").open(&[]), None);
    let half = SecretBytes::copy_of(&"xyzä".as_bytes()[..4]);
    assert_eq!(secret("_xyzä_").open(&[half]).as_deref(), Some("_[secret]_"));
}

#[test]
fn grows_from_parts() {
    for (parts, size, capacity) in
        [(0, 0, 0), (1, 1, 0), (1000, 7, 0), (300, 1000, 5000), (2, 1, 100_000), (3, 3000, 1 << 20)]
    {
        let mut builder = SecretBuilder::with_capacity(capacity);
        let mut expected = Vec::new();
        for index in 0..parts {
            let part = vec![u8::try_from(index % 251).unwrap(); size];
            builder.push(&part);
            expected.extend(part);
        }
        assert_eq!(builder.len(), parts * size);
        assert_eq!(builder.finish().expose(), expected);
    }
}

#[test]
fn is_escaped_as_the_inside_of_a_json_string() {
    let mut builder = SecretBuilder::default();
    builder.push_json_escaped("\"\\\n\u{1}\u{1f}/\u{7f}ä🔑\u{2028}".as_bytes());
    builder.push_json_escaped(b"\xff");
    assert!(builder.finish().equals("\\\"\\\\\\n\\u0001\\u001f/\u{7f}ä🔑\u{2028}\u{fffd}"));
}
