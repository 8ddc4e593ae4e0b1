//! The cases of packages/vault's exact-json.test.ts and repeated-key.test.ts, and more.

use std::str;

use svc_secrets::{JsonKind, JsonProblem, SecretBytes, SecretJson};

fn parse(text: &str) -> Result<SecretJson, JsonProblem> {
    SecretBytes::copy_of(text.as_bytes()).parse_json()
}

fn parsed(text: &str) -> SecretJson {
    parse(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"))
}

#[test]
fn a_field_is_delivered_to_the_letter() {
    for (source, expected) in [
        ("1.0", "1.0"),
        ("12345678901234567890", "12345678901234567890"),
        ("1e3", "1e3"),
        ("-0", "-0"),
        ("1e400", "1e400"),
        ("1E+400", "1E+400"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("true", "true"),
        ("false", "false"),
        ("null", "null"),
        ("\"\"", ""),
        ("\"1.0\"", "1.0"),
        ("\"line\\nline\\ttab\"", "line\nline\ttab"),
        ("\"\\u0000\"", "\0"),
        ("\"\\\"\\\\\\/\\b\\f\\r\"", "\"\\/\u{8}\u{c}\r"),
        ("\"größe 🔑\"", "größe 🔑"),
        ("\"\\ud83d\\uDD11 \\u00e4\"", "🔑 ä"),
        ("{ \"a\" : [ 1.50 , null, \"x\" ] }", "{\"a\":[1.50,null,\"x\"]}"),
        ("{\"__proto__\": 12345678901234567890}", "{\"__proto__\":12345678901234567890}"),
        ("[]", "[]"),
        ("[ ]", "[]"),
        ("{ }", "{}"),
        ("[\"\\u0041\\/\\u001f\\u007f\\u2028\\u000a\"]", "[\"A/\\u001f\u{7f}\u{2028}\\n\"]"),
        (
            "[\"\\uD83D\\uDD11\", \"\\uD83D\", \"\\uDD11\\ud83d\"]",
            "[\"🔑\",\"\\ud83d\",\"\\udd11\\ud83d\"]",
        ),
        ("[\"a , b : c\", \"}\"]", "[\"a , b : c\",\"}\"]"),
    ] {
        let object = parsed(&format!("{{\"field\":{source}}}"));
        let field = object.member("field").unwrap();
        assert_eq!(str::from_utf8(field.bytes().expose()), Ok(expected), "{source}");
        assert_eq!(field.open(), expected);
    }
}

#[test]
fn an_integer_key_stays_in_its_place() {
    assert_eq!(parsed("{\"b\":1,\"1\":2,\"a\":3}").keys(), ["b", "1", "a"]);
    assert_eq!(parsed("{\"b\":1, \"1\":2}").open(), "{\"b\":1,\"1\":2}");
}

#[test]
fn an_object_is_asked_by_name() {
    let object =
        parsed(" {\"b\" : {\"c\":[1,{\"d\":\"x\"}]}, \"\\u0061\":2,\"\":3 , \"__proto__\":4} ");
    assert_eq!(object.kind(), JsonKind::Object);
    assert_eq!(object.keys(), ["b", "a", "", "__proto__"]);
    for (name, expected) in [("a", "2"), ("", "3"), ("__proto__", "4")] {
        assert_eq!(object.member(name).unwrap().open(), expected);
    }
    assert!(object.member("absent").is_none() && object.member("c").is_none());
    let inner = object.member("b").unwrap().member("c").unwrap();
    assert_eq!(inner.kind(), JsonKind::Array);
    assert_eq!(inner.items().len(), 2);
    assert_eq!(inner.items()[1].member("d").unwrap().open(), "x");
    assert!(inner.member("d").is_none() && inner.keys().is_empty() && object.items().is_empty());
}

#[test]
fn every_value_has_a_kind() {
    for (text, kind) in [
        ("{}", JsonKind::Object),
        ("[]", JsonKind::Array),
        ("\"\"", JsonKind::String),
        ("-1", JsonKind::Number),
        ("0", JsonKind::Number),
        ("true", JsonKind::Boolean),
        ("false", JsonKind::Boolean),
        (" null ", JsonKind::Null),
    ] {
        assert_eq!(parsed(text).kind(), kind, "{text}");
    }
}

#[test]
fn a_lone_surrogate_is_told() {
    for (text, expected) in [
        ("\"\\ud83d\\udd11\"", true),
        ("\"\\ud83d\"", false),
        ("\"\\udd11\"", false),
        ("\"\\ud83dx\\udd11\"", false),
        ("\"\\ud83d\\ud83d\\udd11\"", false),
        ("\"\\\\ud83d\"", true),
        ("[1,{\"a\":[\"\\ud83d\"]}]", false),
        ("{\"\\ud83d\":1}", false),
        ("[1,2]", true),
    ] {
        assert_eq!(parsed(text).is_well_formed(), expected, "{text}");
    }
    let lone = parsed("{\"\\ud83d\":\"\\ud83d\"}");
    assert_eq!(lone.keys(), ["\u{fffd}"]);
    assert_eq!(lone.member("\u{fffd}").unwrap().open(), "\u{fffd}");
}

#[test]
fn what_is_not_json_is_refused() {
    let deep = "[".repeat(100_000);
    let closed = format!("{}{}", "[".repeat(10_001), "]".repeat(10_001));
    for text in [
        "",
        " ",
        "{",
        "canary",
        "{\"a\":01}",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "'a'",
        "+1",
        "1.",
        ".5",
        "1e",
        "NaN",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "\"\u{1}\"",
        "[1] 2",
        "\u{feff}[]",
        "//\n1",
        "tru",
        "\"a",
        "[\"\\\"]",
        "-",
        "{\"a\"}",
        "{1:2}",
        "[1 2]",
        &deep,
        &closed,
    ] {
        let problem = parse(text).err();
        assert_eq!(problem, Some(JsonProblem::NotJson), "{:?}", text.get(..20));
    }
    assert!(SecretBytes::copy_of(b"\"\xff\"").parse_json().is_err());
    parsed(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)));
}

#[test]
fn a_repeated_key_is_refused() {
    for text in [
        "{\"a\":1,\"a\":2}",
        "{\"a\":1 , \"a\" : 1}",
        "{\"a\":1,\"b\":{},\"a\":2}",
        "{\"x\":{\"y\":[{\"a\":1,\"a\":1}]}}",
        "[{\"a\":1},{\"b\":1,\"b\":2}]",
        "{\"a\":1,\"\\u0061\":2}",
        "{\"🔑\":1,\"\\ud83d\\udd11\":2}",
        "{\"\\ud83d\":1,\"\\uD83D\":2}",
        "{\"a\\\"\":1,\"a\\\"\":2}",
        "{\"__proto__\":1,\"__proto__\":2}",
        "{\"\":1,\"\":2}",
        "{\"a\":\"}\",\"a\":\"{\"}",
    ] {
        assert_eq!(parse(text).err(), Some(JsonProblem::RepeatedKey), "{text}");
    }
}

#[test]
fn a_key_that_only_looks_repeated_is_taken() {
    for text in [
        "{}",
        "\"a\"",
        "{\"a\":\"a\"}",
        "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}",
        "[{\"a\":1},{\"a\":1},\"a\",\"a\"]",
        "{\"a\":\"\\\"a\\\":1\",\"b\":\"a\\\\\",\"A\":1}",
        "{\"a\":[\"a\",\"a\",{\"a\":\"a\"}],\"b\":\"\\\\\\\"\"}",
        "{\"\\ud83d\":1,\"\u{fffd}\":2}",
    ] {
        parsed(text);
    }
}

#[test]
fn ten_megabytes_are_looked_through_at_once() {
    let value = "x\\\\".repeat(1000);
    let fields: Vec<_> = (0..5000).map(|index| format!("\"KEY_{index}\":\"{value}\"")).collect();
    let json = parsed(&format!("{{{}}}", fields.join(",")));
    assert_eq!(json.keys().len(), 5000);
    assert_eq!(json.member("KEY_4999").unwrap().bytes().len(), 2000);
}
