//! Text and URLs.

use rquickjs::module::Exports;
use rquickjs::prelude::Opt;
use rquickjs::{Ctx, Object, Result, String as Text, TypedArray};
use url::{Position, Url};

use super::export_functions::export_functions;
use crate::sys::views::Bytes;

pub const EXPORTS: &[&str] = &["decodeUtf8", "encodeUtf8", "parseUrl"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "decodeUtf8" => decode_utf8,
        "encodeUtf8" => encode_utf8,
        "parseUrl" => parse_url,
    }
    Ok(())
}

fn encode_utf8(ctx: Ctx<'_>, text: String) -> Result<TypedArray<'_, u8>> {
    TypedArray::new(ctx, text.into_bytes())
}

fn decode_utf8(ctx: Ctx<'_>, bytes: Bytes, fatal: bool) -> Result<Option<Text<'_>>> {
    bytes.with(|bytes| {
        if !fatal {
            return Text::from_str(ctx, &String::from_utf8_lossy(bytes)).map(Some);
        }
        std::str::from_utf8(bytes).ok().map(|text| Text::from_str(ctx, text)).transpose()
    })
}

/// The URL Standard's parser gives the parts as its getters do.
fn parse_url(ctx: Ctx<'_>, text: String, base: Opt<Option<String>>) -> Result<Option<Object<'_>>> {
    let base = base.0.flatten().map(|base| Url::parse(&base)).transpose();
    let parsed = base.and_then(|base| Url::options().base_url(base.as_ref()).parse(&text));
    parsed.ok().map(|url| parts(ctx, &url)).transpose()
}

fn parts<'js>(ctx: Ctx<'js>, url: &Url) -> Result<Object<'js>> {
    let object = Object::new(ctx)?;
    let port = url.port().map(|port| port.to_string()).unwrap_or_default();
    let search = url.query().filter(|query| !query.is_empty());
    let hash = url.fragment().filter(|fragment| !fragment.is_empty());
    object.set("href", url.as_str())?;
    object.set("protocol", format!("{}:", url.scheme()))?;
    object.set("username", url.username())?;
    object.set("password", url.password().unwrap_or_default())?;
    object.set("host", &url[Position::BeforeHost..Position::AfterPort])?;
    object.set("hostname", url.host_str().unwrap_or_default())?;
    object.set("port", port)?;
    object.set("pathname", url.path())?;
    object.set("search", search.map(|query| format!("?{query}")).unwrap_or_default())?;
    object.set("hash", hash.map(|fragment| format!("#{fragment}")).unwrap_or_default())?;
    object.set("origin", url.origin().ascii_serialization())?;
    Ok(object)
}
