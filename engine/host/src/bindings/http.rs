//! Requests over HTTP.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::module::Exports;
use rquickjs::{Class, Ctx, Exception, Function, Object, Persistent, Promise, Result, Value};
use svc_network::{BodyPart, HttpError, HttpRequest, HttpResponse, HttpTls, InvalidRequest};
use tokio::sync::oneshot;

use super::errors::throw_type;
use super::export_functions::export_functions;
use super::secrets::{self, Part, SecretHandle};
use crate::event_loop::{self, Callback, Settlement};

pub const EXPORTS: &[&str] =
    &["closeIdleConnections", "letRequestsBegin", "limitConnections", "sendHttp"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "closeIdleConnections" => || event_loop::http_client().close_idle(),
        "letRequestsBegin" => let_requests_begin,
        "limitConnections" => event_loop::limit_connections,
        "sendHttp" => |ctx: Ctx<'js>, request: Object<'js>| send(&ctx, &request),
    }
    Ok(())
}

fn let_requests_begin(ctx: Ctx<'_>) -> Result<Promise<'_>> {
    let (promise, resolve, _) = ctx.promise()?;
    let resolve = Persistent::save(&ctx, resolve);
    event_loop::let_requests_begin(Box::new(move |ctx| resolve.restore(ctx)?.call(())));
    Ok(promise)
}

/// `HttpExchange`: the promise of an answer, and a way to give up.
fn send<'js>(ctx: &Ctx<'js>, request: &Object<'js>) -> Result<Object<'js>> {
    let request = request_of(ctx, request)?;
    let (promise, resolve, reject) = ctx.promise()?;
    let (abort, aborted) = oneshot::channel();
    let settle =
        Settle { resolve: Persistent::save(ctx, resolve), reject: Persistent::save(ctx, reject) };
    let client = event_loop::http_client();
    event_loop::start_request(async move {
        let sent = tokio::select! {
            sent = client.send(request) => sent,
            Ok(()) = aborted => Err(client.dropped()),
        };
        settle.by(sent)
    });
    exchange(ctx, promise, abort)
}

fn exchange<'js>(
    ctx: &Ctx<'js>,
    response: Promise<'js>,
    abort: oneshot::Sender<()>,
) -> Result<Object<'js>> {
    let exchange = Object::new(ctx.clone())?;
    let abort = Rc::new(RefCell::new(Some(abort)));
    exchange.set("response", response)?;
    exchange.set(
        "abort",
        Function::new(ctx.clone(), move || {
            if let Some(abort) = abort.take() {
                // One that has its answer hears of it no more.
                let _ = abort.send(());
            }
        })?,
    )?;
    Ok(exchange)
}

/// The functions of a promise.
struct Settle {
    resolve: Callback,
    reject: Callback,
}

impl Settle {
    fn by(self, sent: std::result::Result<HttpResponse, HttpError>) -> Settlement {
        Box::new(move |ctx| {
            let (resolve, reject) = (self.resolve.restore(ctx)?, self.reject.restore(ctx)?);
            match sent {
                Ok(response) => resolve.call((response_object(ctx, response)?,)),
                Err(error) => reject.call((error_object(ctx, &error)?,)),
            }
        })
    }
}

fn response_object<'js>(ctx: &Ctx<'js>, response: HttpResponse) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let headers = Object::new(ctx.clone())?;
    for (name, value) in response.headers {
        headers.set(name, value)?;
    }
    object.set("status", response.status)?;
    object.set("headers", headers)?;
    object.set("body", secrets::handle(ctx, response.body)?)?;
    Ok(object)
}

fn error_object<'js>(ctx: &Ctx<'js>, error: &HttpError) -> Result<Object<'js>> {
    let fault = error.fault.name();
    let message = if error.detail.is_empty() { fault } else { &error.detail };
    let object = Exception::from_message(ctx.clone(), message)?.into_object();
    object.set("fault", fault)?;
    object.set("answered", error.answered)?;
    if !error.names.is_empty() {
        object.set("names", error.names.clone())?;
    }
    Ok(object)
}

fn request_of<'js>(ctx: &Ctx<'js>, given: &Object<'js>) -> Result<HttpRequest> {
    let invalid = |wrong: InvalidRequest| throw_type(ctx, &wrong.to_string());
    let (method, url): (String, String) = (given.get("method")?, given.get("url")?);
    let mut request = HttpRequest::new(&method, &url, given.get("maxBytes")?).map_err(invalid)?;
    for header in given.get::<_, Vec<Vec<Value<'js>>>>("headers")? {
        let mut parts = secrets::parts_of(header)?.into_iter();
        let (Some(Part::Text(name)), Some(value)) = (parts.next(), parts.next()) else {
            return Err(throw_type(ctx, "a header is a name and a value"));
        };
        let added = match &value {
            Part::Text(text) => request.header(&name, text),
            Part::Secret(secret) => request.secret_header(&name, secret),
        };
        request = added.map_err(invalid)?;
    }
    if let Some(parts) = given.get::<_, Option<Vec<Value<'js>>>>("body")? {
        let parts: Vec<_> = secrets::parts_of(parts)?.into_iter().map(body_part).collect();
        request = request.body(&parts);
    }
    if given.get("ownConnection")? {
        request = request.own_connection();
    }
    Ok(request.tls(tls_of(&given.get("tls")?)?))
}

fn body_part(part: Part) -> BodyPart {
    match part {
        Part::Text(text) => BodyPart::Text(text),
        Part::Secret(secret) => BodyPart::JsonSecret(secret),
    }
}

/// `HttpTls` of the script.
pub fn tls_of<'js>(given: &Object<'js>) -> Result<HttpTls> {
    let key = given.get::<_, Option<Class<'js, SecretHandle>>>("key")?;
    Ok(HttpTls {
        skip_verify: given.get("skipVerify")?,
        ca: given.get("ca")?,
        cert: given.get("cert")?,
        key: key.as_ref().map(secrets::secret_of),
        server_name: given.get("serverName")?,
    })
}
