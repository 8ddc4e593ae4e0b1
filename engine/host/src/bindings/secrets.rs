//! Secrets by handles: the script has a handle, and the host keeps the bytes.

use std::path::Path;

use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::{Constructor, This};
use rquickjs::module::Exports;
use rquickjs::object::Accessor;
use rquickjs::{Class, Ctx, Exception, Function, IntoJs, Object, Result, Value};
use svc_secrets::{JsonKind, JsonProblem, ReadError, SecretBytes, SecretJson, hmac_sha256};

use super::errors::throw_system_error;
use super::export_functions::export_functions;
use crate::sys::descriptors;
use crate::sys::views::Bytes;

pub const EXPORTS: &[&str] = &["SecretBytes", "hmacSha256"];

/// Defines the methods of a prototype.
macro_rules! methods {
    ($ctx:ident, $prototype:ident, $($name:literal => $method:expr),* $(,)?) => {
        $($prototype.set($name, Function::new($ctx.clone(), $method)?)?;)*
    };
}

/// `SecretBytes` of the script.
pub struct SecretHandle(pub SecretBytes);

/// `SecretJson` of the script.
pub struct JsonHandle(SecretJson);

/// A text or a secret.
pub enum Part {
    Text(String),
    Secret(SecretBytes),
}

type This1<'js, C> = This<Class<'js, C>>;

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    let secrets = Object::new(ctx.clone())?;
    secrets.set("from", Function::new(ctx.clone(), from)?)?;
    secrets.set("read", Function::new(ctx.clone(), read)?)?;
    secrets.set("readDescriptor", Function::new(ctx.clone(), read_descriptor)?)?;
    exports.export("SecretBytes", secrets)?;
    export_functions! { ctx, exports, "hmacSha256" => hmac }
    Ok(())
}

/// Gives a secret to the script.
pub fn handle<'js>(ctx: &Ctx<'js>, secret: SecretBytes) -> Result<Class<'js, SecretHandle>> {
    Class::instance(ctx.clone(), SecretHandle(secret))
}

/// The secret behind a handle.
pub fn secret_of(handle: &Class<'_, SecretHandle>) -> SecretBytes {
    handle.borrow().0.clone()
}

/// Texts and secrets, as the script mixes them.
pub fn parts_of(values: Vec<Value<'_>>) -> Result<Vec<Part>> {
    values.into_iter().map(part_of).collect()
}

/// One of them.
pub fn part_of(value: Value<'_>) -> Result<Part> {
    match value.as_string() {
        Some(text) => Ok(Part::Text(text.to_string()?)),
        None => Ok(Part::Secret(secret_of(&value.get::<Class<'_, SecretHandle>>()?))),
    }
}

fn from(ctx: Ctx<'_>, bytes: Bytes) -> Result<Class<'_, SecretHandle>> {
    handle(&ctx, bytes.with(SecretBytes::copy_of))
}

fn read(ctx: Ctx<'_>, path: String, limit: usize) -> Result<Class<'_, SecretHandle>> {
    handle_of(&ctx, SecretBytes::read(Path::new(&path), limit))
}

fn read_descriptor(ctx: Ctx<'_>, fd: i32, limit: usize) -> Result<Class<'_, SecretHandle>> {
    match descriptors::lend(fd, |fd| SecretBytes::read_descriptor(fd, limit)) {
        Ok(read) => handle_of(&ctx, read),
        Err(cause) => Err(throw_system_error(&ctx, "fcntl", &cause)),
    }
}

fn handle_of<'js>(
    ctx: &Ctx<'js>,
    read: std::result::Result<SecretBytes, ReadError>,
) -> Result<Class<'js, SecretHandle>> {
    read.map_or_else(
        |error| {
            let cause = std::io::Error::from_raw_os_error(error.errno);
            Err(throw_system_error(ctx, error.syscall, &cause))
        },
        |secret| handle(ctx, secret),
    )
}

fn hmac(key: Bytes, parts: Vec<Value<'_>>) -> Result<String> {
    let parts = parts_of(parts)?;
    let bytes = parts.iter().map(|part| match part {
        Part::Text(text) => text.as_bytes(),
        Part::Secret(secret) => secret.expose(),
    });
    Ok(key.with(|key| hmac_sha256(key, bytes)))
}

impl<'js> Trace<'js> for SecretHandle {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

impl<'js> JsClass<'js> for SecretHandle {
    const NAME: &'static str = "SecretBytes";

    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }

    fn prototype(ctx: &Ctx<'js>) -> Result<Option<Object<'js>>> {
        let prototype = Object::new(ctx.clone())?;
        let length = |this: This1<'js, Self>| this.borrow().0.len();
        prototype.prop("length", Accessor::from(length))?;
        methods! { ctx, prototype,
            "includes" => |this: This1<'js, Self>, byte: u8| this.borrow().0.includes(byte),
            "startsWith" =>
                |this: This1<'js, Self>, text: String| this.borrow().0.starts_with(&text),
            "equals" => |this: This1<'js, Self>, text: String| this.borrow().0.equals(&text),
            "isUtf8" => |this: This1<'js, Self>| this.borrow().0.is_utf8(),
            "trimmed" => |ctx: Ctx<'js>, this: This1<'js, Self>| {
                handle(&ctx, this.borrow().0.trimmed())
            },
            "withoutLineEnd" => |ctx: Ctx<'js>, this: This1<'js, Self>| {
                handle(&ctx, this.borrow().0.without_line_end())
            },
            "firstInvisible" => |this: This1<'js, Self>| {
                this.borrow().0.first_invisible().map_or(-1, index)
            },
            "writeTo" => write_to,
            "parseJson" => parse_json,
            "open" => open,
            "toString" => || "[secret]",
            "toJSON" => || "[secret]",
        }
        Ok(Some(prototype))
    }
}

/// Secrets are shorter than 2^31 bytes: an answer has at most 32 MiB.
fn index(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}

fn write_to<'js>(ctx: Ctx<'js>, this: This1<'js, SecretHandle>, target: Bytes) -> Result<usize> {
    let written = target.with_mut(|target| this.borrow().0.write_to(target));
    written.ok_or_else(|| Exception::throw_range(&ctx, "the target is shorter than the secret"))
}

fn parse_json<'js>(ctx: Ctx<'js>, this: This1<'js, SecretHandle>) -> Result<Value<'js>> {
    match this.borrow().0.parse_json() {
        Ok(json) => json_handle(&ctx, json).and_then(|handle| handle.into_js(&ctx)),
        Err(JsonProblem::NotJson) => "not JSON".into_js(&ctx),
        Err(JsonProblem::RepeatedKey) => "repeated key".into_js(&ctx),
    }
}

fn open<'js>(
    this: This1<'js, SecretHandle>,
    masked: Vec<Class<'js, SecretHandle>>,
) -> Option<String> {
    let masked: Vec<_> = masked.iter().map(secret_of).collect();
    this.borrow().0.open(&masked)
}

fn json_handle<'js>(ctx: &Ctx<'js>, json: SecretJson) -> Result<Class<'js, JsonHandle>> {
    Class::instance(ctx.clone(), JsonHandle(json))
}

impl<'js> Trace<'js> for JsonHandle {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

impl<'js> JsClass<'js> for JsonHandle {
    const NAME: &'static str = "SecretJson";

    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }

    fn prototype(ctx: &Ctx<'js>) -> Result<Option<Object<'js>>> {
        let prototype = Object::new(ctx.clone())?;
        prototype.prop("kind", Accessor::from(kind))?;
        methods! { ctx, prototype,
            "keys" => keys,
            "member" => member,
            "items" => items,
            "isWellFormed" => |this: This1<'js, Self>| this.borrow().0.is_well_formed(),
            "bytes" => |ctx: Ctx<'js>, this: This1<'js, Self>| {
                handle(&ctx, this.borrow().0.bytes())
            },
            "open" => |this: This1<'js, Self>| this.borrow().0.open(),
        }
        Ok(Some(prototype))
    }
}

fn kind(this: This1<'_, JsonHandle>) -> &'static str {
    match this.borrow().0.kind() {
        JsonKind::Object => "object",
        JsonKind::Array => "array",
        JsonKind::String => "string",
        JsonKind::Number => "number",
        JsonKind::Boolean => "boolean",
        JsonKind::Null => "null",
    }
}

fn keys(this: This1<'_, JsonHandle>) -> Vec<String> {
    this.borrow().0.keys().into_iter().map(str::to_owned).collect()
}

fn member<'js>(
    ctx: Ctx<'js>,
    this: This1<'js, JsonHandle>,
    name: String,
) -> Result<Option<Class<'js, JsonHandle>>> {
    this.borrow().0.member(&name).map(|json| json_handle(&ctx, json)).transpose()
}

fn items<'js>(ctx: Ctx<'js>, this: This1<'js, JsonHandle>) -> Result<Vec<Class<'js, JsonHandle>>> {
    this.borrow().0.items().into_iter().map(|json| json_handle(&ctx, json)).collect()
}
