//! The stream to the kernel agent.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::{Rc, Weak};

use rquickjs::module::Exports;
use rquickjs::{Class, Ctx, Function, Object, Result};
use svc_network::agent::messages::{RegistrationRequest, RegistrationResponse};
use svc_network::agent::{AgentEnd, AgentTarget, open_agent_stream};
use tokio::sync::Notify;

use super::agent_messages::{answer_object, request_of};
use super::calls::{ask, callback_of};
use super::errors::throw_type;
use super::export_functions::export_functions;
use super::http::tls_of;
use super::secrets::{self, SecretHandle};
use crate::event_loop::{self, Callback};
use crate::sys::processes;

pub const EXPORTS: &[&str] = &["openAgentStream"];

pub fn export<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
    export_functions! { ctx, exports,
        "openAgentStream" => |ctx: Ctx<'js>, options: Object<'js>| open(&ctx, &options),
    }
    Ok(())
}

/// The functions of the script that hear of a stream.
struct Listener {
    on_message: Callback,
    on_end: Callback,
}

/// Requests of the script to an open stream. The stream's task owns it. Once the task has ended,
/// the script's functions do nothing.
#[derive(Default)]
struct Outbox {
    unsent: RefCell<Vec<RegistrationRequest>>,
    sending: Notify,
    closing: Notify,
}

fn open<'js>(ctx: &Ctx<'js>, options: &Object<'js>) -> Result<Object<'js>> {
    let target = target_of(ctx, &options.get("target")?)?;
    let listener = Listener {
        on_message: callback_of(ctx, options, "onMessage")?,
        on_end: callback_of(ctx, options, "onEnd")?,
    };
    let outbox = Rc::new(Outbox::default());
    let stream = stream_object(ctx, &outbox)?;
    event_loop::run_beside(async move {
        if let Some(end) = follow(target, &outbox, &listener).await {
            // Nothing that the script sends from here on is kept.
            drop(outbox);
            listener.hear_end(&end);
        }
    });
    Ok(stream)
}

fn target_of<'js>(ctx: &Ctx<'js>, given: &Object<'js>) -> Result<AgentTarget> {
    match given.get::<_, String>("kind")?.as_str() {
        "socket" => Ok(AgentTarget::Socket(PathBuf::from(given.get::<_, String>("path")?))),
        "tcp" => {
            let token = given.get::<_, Option<Class<'js, SecretHandle>>>("token")?;
            Ok(AgentTarget::Tcp {
                authority: given.get("authority")?,
                tls: tls_of(&given.get("tls")?)?,
                bearer: token.as_ref().map(secrets::secret_of),
            })
        }
        _ => Err(throw_type(ctx, "a target is a socket or tcp")),
    }
}

fn stream_object<'js>(ctx: &Ctx<'js>, outbox: &Rc<Outbox>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let opener = processes::pid();
    let (sending, closing) = (Rc::downgrade(outbox), Rc::downgrade(outbox));
    let send = move |ctx: Ctx<'js>, message: Object<'js>| {
        let message = request_of(&ctx, &message)?;
        if let Some(outbox) = alive(&sending, opener) {
            outbox.unsent.borrow_mut().push(message);
            outbox.sending.notify_one();
        }
        Ok::<_, rquickjs::Error>(())
    };
    let close = move || {
        if let Some(outbox) = alive(&closing, opener) {
            outbox.closing.notify_one();
        }
    };
    object.set("send", Function::new(ctx.clone(), send)?)?;
    object.set("close", Function::new(ctx.clone(), close)?)?;
    Ok(object)
}

/// In the child of a fork the task exists and never runs. To wake it would write to a descriptor
/// of the parent's event loop. The child may use that number for another file.
fn alive(outbox: &Weak<Outbox>, opener: i32) -> Option<Rc<Outbox>> {
    if processes::pid() == opener { outbox.upgrade() } else { None }
}

/// Runs a stream to its end, and says why it ended; `None` if the script has closed it.
async fn follow(target: AgentTarget, outbox: &Outbox, listener: &Listener) -> Option<AgentEnd> {
    let opened = tokio::select! {
        biased;
        () = outbox.closing.notified() => return None,
        opened = open_agent_stream(target) => opened,
    };
    let (sender, mut stream) = match opened {
        Ok(opened) => opened,
        Err(end) => return Some(end),
    };
    loop {
        for message in outbox.unsent.take() {
            sender.send(&message);
        }
        tokio::select! {
            biased;
            () = outbox.closing.notified() => return None,
            () = outbox.sending.notified() => {}
            heard = stream.next() => match heard {
                Ok(message) => listener.hear(&message),
                Err(end) => return Some(end),
            },
        }
    }
}

impl Listener {
    fn hear(&self, message: &RegistrationResponse) {
        ask(&self.on_message, |ctx, hear| hear.call::<_, ()>((answer_object(ctx, message)?,)));
    }

    fn hear_end(&self, end: &AgentEnd) {
        ask(&self.on_end, |_, hear| hear.call::<_, ()>((end.reason.as_str(),)));
    }
}
