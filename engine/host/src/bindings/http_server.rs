//! A server of HTTP/1.1. The script decides which clients it admits and how it answers them.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use rquickjs::module::Exports;
use rquickjs::{Class, Ctx, Function, IntoJs, Object, Persistent, Result};
use svc_network::{
    Admission, Answer, Answering, Client, Entry, HttpServer, HttpServerError, HttpServerLimits,
    HttpServerOptions, HttpServerTls, Refusal, RequestHead, Service,
};
use svc_secrets::SecretBytes;
use tokio::sync::oneshot;

use super::calls::{ask, callback_of};
use super::errors::{throw_system_error, throw_type};
use super::export_functions::export_functions;
use super::secrets::{self, SecretHandle};
use crate::event_loop::{self, Callback};

pub const EXPORTS: &[&str] = &["openHttpServer"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "openHttpServer" => |ctx: Ctx<'js>, options: Object<'js>| open(&ctx, &options),
    }
    Ok(())
}

/// The functions of the script that answer.
struct ScriptService {
    answer_head: Callback,
    answer_body: Callback,
    refuse: Callback,
}

/// The functions of the script that decide who comes in.
struct ScriptKeeper {
    enter: Callback,
    answering: Callback,
    leave: Callback,
}

fn open<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<Object<'js>> {
    let callback = |name| callback_of(ctx, options, name);
    let service = ScriptService {
        answer_head: callback("answerHead")?,
        answer_body: callback("answerBody")?,
        refuse: callback("refuse")?,
    };
    let keeper = ScriptKeeper {
        enter: callback("enter")?,
        answering: callback("answering")?,
        leave: callback("leave")?,
    };
    let host: String = options.get("host")?;
    let tls = options.get::<_, Option<Object<'js>>>("tls")?.map(|tls| tls_of(&tls)).transpose()?;
    let request = Duration::from_millis(options.get("requestTimeoutMs")?);
    let asked = HttpServerOptions {
        host: &host,
        port: options.get("port")?,
        tls: tls.as_ref(),
        limits: HttpServerLimits { request, ..HttpServerLimits::default() },
        takes_secrets: options.get("takesSecrets")?,
    };
    let opened = event_loop::within(|| HttpServer::open(&asked, Rc::new(service), Rc::new(keeper)));
    let server = Rc::new(opened.map_err(|error| throw(ctx, &error))?);
    let running = Rc::clone(&server);
    event_loop::run_beside(async move { running.run().await });
    server_object(ctx, &server)
}

fn server_object<'js>(ctx: &Ctx<'js>, server: &Rc<HttpServer>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("address", server.address().ip().to_string())?;
    object.set("port", server.address().port())?;
    let (changed, closed, stopped) = (Rc::clone(server), Rc::clone(server), Rc::clone(server));
    let change = move |ctx: Ctx<'js>, tls: Object<'js>| {
        changed.change_tls(&tls_of(&tls)?).map_err(|error| throw(&ctx, &error))
    };
    object.set("changeTls", Function::new(ctx.clone(), change)?)?;
    object.set("close", Function::new(ctx.clone(), move || closed.close())?)?;
    object.set("stop", Function::new(ctx.clone(), move || stopped.stop())?)?;
    Ok(object)
}

fn tls_of(given: &Object<'_>) -> Result<HttpServerTls> {
    let key = given.get::<_, Class<'_, SecretHandle>>("key")?;
    Ok(HttpServerTls {
        certificate: given.get("certificate")?,
        key: secrets::secret_of(&key),
        client_ca: given.get("clientCa")?,
    })
}

fn throw(ctx: &Ctx<'_>, error: &HttpServerError) -> rquickjs::Error {
    match error {
        HttpServerError::Listen(error) => throw_system_error(ctx, "listen", error),
        HttpServerError::UnusableMaterial => throw_type(ctx, &error.to_string()),
    }
}

impl Service for ScriptService {
    fn answer_head(&self, head: &RequestHead, client: &Client) -> Option<Answer> {
        let asked = ask(&self.answer_head, |ctx, answer| {
            let found: Option<Object<'_>> =
                answer.call((head_object(ctx, head)?, client_object(ctx, client)?))?;
            found.as_ref().map(answer_of).transpose()
        });
        asked.unwrap_or_else(|| Some(Answer::internal()))
    }

    fn answer_body(&self, head: RequestHead, body: SecretBytes, client: Client) -> Answering {
        let (answer, answered) = oneshot::channel();
        let answer = RefCell::new(Some(answer));
        ask(&self.answer_body, |ctx, asked| {
            let (head, client) = (head_object(ctx, &head)?, client_object(ctx, &client)?);
            let give = move |found: Object<'_>| {
                let found = answer_of(&found)?;
                if let Some(answer) = answer.take() {
                    // The client may have left.
                    let _ = answer.send(found);
                }
                Ok::<_, rquickjs::Error>(())
            };
            let give = Function::new(ctx.clone(), give)?;
            asked.call::<_, ()>((head, secrets::handle(ctx, body)?, client, give))
        });
        Box::pin(async move { answered.await.unwrap_or_else(|_| Answer::internal()) })
    }

    fn refuse(&self, refusal: &Refusal) -> Answer {
        let asked = ask(&self.refuse, |ctx, answer| {
            let given = Object::new(ctx.clone())?;
            given.set("status", refusal.status)?;
            given.set("code", refusal.code)?;
            given.set("message", refusal.message.as_str())?;
            answer_of(&answer.call::<_, Object<'_>>((given,))?)
        });
        asked.unwrap_or_else(Answer::internal)
    }
}

impl Admission for ScriptKeeper {
    fn enter(&self, visit: u64, address: IpAddr) -> Entry {
        let entry = ask(&self.enter, |_, enter| enter.call((number(visit), address.to_string())));
        match entry {
            Some(0) => Entry::In,
            Some(other) => u64::try_from(other).map_or(Entry::Refused, Entry::InFor),
            None => Entry::Refused,
        }
    }

    fn answering(&self, visit: u64, is_answering: bool) {
        ask(&self.answering, |_, note| note.call::<_, ()>((number(visit), is_answering)));
    }

    fn leave(&self, visit: u64) {
        ask(&self.leave, |_, leave| leave.call::<_, ()>((number(visit),)));
    }
}

/// A count of visits stays below 2^53 for longer than any machine runs.
#[allow(clippy::cast_precision_loss)]
fn number(visit: u64) -> f64 {
    visit as f64
}

fn head_object<'js>(ctx: &Ctx<'js>, head: &RequestHead) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let headers: Vec<Vec<&str>> =
        head.headers.iter().map(|(name, value)| vec![name.as_str(), value.as_str()]).collect();
    object.set("method", head.method.as_str())?;
    object.set("path", head.path.as_str())?;
    object.set("headers", headers)?;
    object.set("bodyLength", head.body_length)?;
    Ok(object)
}

fn client_object<'js>(ctx: &Ctx<'js>, client: &Client) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("address", client.address.to_string())?;
    object.set("certificateName", client.certificate_name.as_deref().into_js(ctx)?)?;
    Ok(object)
}

fn answer_of<'js>(found: &Object<'js>) -> Result<Answer> {
    let headers = found.get::<_, Option<Vec<Vec<String>>>>("headers")?.unwrap_or_default();
    let on_gone = found.get::<_, Option<Function<'js>>>("onGone")?;
    Ok(Answer {
        status: found.get("status")?,
        content_type: found.get("contentType")?,
        body: found.get("body")?,
        headers: headers.into_iter().filter_map(pair).collect(),
        on_gone: on_gone.map(|on_gone| {
            let on_gone = Persistent::save(found.ctx(), on_gone);
            Box::new(move || {
                ask(&on_gone, |_, on_gone| on_gone.call::<_, ()>(()));
            }) as Box<dyn FnOnce()>
        }),
    })
}

fn pair(header: Vec<String>) -> Option<(String, String)> {
    let mut parts = header.into_iter();
    Some((parts.next()?, parts.next()?))
}
