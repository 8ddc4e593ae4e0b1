//! A server of HTTP/1.1. The script decides how it answers its clients, and for how long an answer
//! holds. The host repeats an answer that holds: a flood of requests costs the script nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::module::Exports;
use rquickjs::{Class, Ctx, Function, IntoJs, Object, Persistent, Result};
use svc_network::{
    Answer, Answering, Client, HttpServer, HttpServerError, HttpServerLimits, HttpServerOptions,
    HttpServerTls, Refusal, RequestHead, Service,
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
    /// By their paths.
    held: Rc<RefCell<HashMap<String, Held>>>,
}

/// An answer for every client that asks for its path.
struct Held {
    until: Instant,
    status: u16,
    content_type: String,
    body: String,
}

fn open<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<Object<'js>> {
    let callback = |name| callback_of(ctx, options, name);
    let kept = Rc::new(RefCell::new(HashMap::new()));
    let service = ScriptService {
        held: Rc::clone(&kept),
        answer_head: callback("answerHead")?,
        answer_body: callback("answerBody")?,
        refuse: callback("refuse")?,
    };
    let host: String = options.get("host")?;
    let tls = options.get::<_, Option<Object<'js>>>("tls")?.map(|tls| tls_of(&tls)).transpose()?;
    let request = Duration::from_millis(options.get("requestTimeoutMs")?);
    let spared = options.get::<_, Vec<String>>("spared")?;
    let spared: Vec<IpAddr> = spared.iter().filter_map(|address| address.parse().ok()).collect();
    let asked = HttpServerOptions {
        host: &host,
        port: options.get("port")?,
        tls: tls.as_ref(),
        limits: HttpServerLimits { request, ..HttpServerLimits::default() },
        takes_secrets: options.get("takesSecrets")?,
        most_connections: options.get("mostConnections")?,
        spared: &spared,
    };
    let opened = event_loop::within(|| HttpServer::open(&asked, Rc::new(service)));
    let server = Rc::new(opened.map_err(|error| throw(ctx, &error))?);
    let running = Rc::clone(&server);
    event_loop::run_beside(async move { running.run().await });
    let object = server_object(ctx, &server)?;
    object.set("forget", Function::new(ctx.clone(), move || kept.borrow_mut().clear())?)?;
    Ok(object)
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
        let may_hold = matches!(head.method.as_str(), "GET" | "HEAD");
        if may_hold && let Some(answer) = self.held_for(&head.path) {
            return Some(answer);
        }
        let asked = ask(&self.answer_head, |ctx, answer| {
            let found: Option<Object<'_>> =
                answer.call((head_object(ctx, head)?, client_object(ctx, client)?))?;
            let Some(found) = found else { return Ok(None) };
            let answer = answer_of(&found)?;
            if may_hold && let Some(held) = held_of(&found)? {
                self.held.borrow_mut().insert(head.path.clone(), held);
            }
            Ok(Some(answer))
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

impl ScriptService {
    fn held_for(&self, path: &str) -> Option<Answer> {
        let held = self.held.borrow();
        let Held { until, status, content_type, body } = held.get(path)?;
        (Instant::now() < *until).then(|| Answer {
            status: *status,
            content_type: content_type.clone(),
            body: body.clone(),
            ..Answer::default()
        })
    }
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

/// The answer's copy for later, if the script says how long it holds. It has no headers.
fn held_of(found: &Object<'_>) -> Result<Option<Held>> {
    let Some(ms) = found.get::<_, Option<f64>>("holdsMs")? else { return Ok(None) };
    Ok(Some(Held {
        until: Instant::now() + Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default(),
        status: found.get("status")?,
        content_type: found.get("contentType")?,
        body: found.get("body")?,
    }))
}

fn pair(header: Vec<String>) -> Option<(String, String)> {
    let mut parts = header.into_iter();
    Some((parts.next()?, parts.next()?))
}
