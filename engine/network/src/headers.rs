use http::HeaderMap;

/// Headers by lower-case name; several of a name are joined by ", ". Each byte of a value is a
/// character of Latin-1.
pub(crate) fn joined_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| value.iter().copied().map(char::from).collect::<String>();
    headers
        .keys()
        .map(|name| {
            let values: Vec<_> =
                headers.get_all(name).iter().map(|value| text(value.as_bytes())).collect();
            (name.as_str().to_owned(), values.join(", "))
        })
        .collect()
}
