use std::{
    cell::RefCell,
    collections::VecDeque,
    future::{Future, poll_fn},
    pin::Pin,
    rc::{Rc, Weak},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use h2::{
    RecvStream, SendStream,
    client::{Connection, ResponseFuture, SendRequest},
};
use http::{Request, StatusCode};
use prost::Message;

use super::{
    agent_end::AgentEnd,
    grpc_frames::{FrameReader, frame},
    grpc_status::end_of,
    messages::{RegistrationRequest, RegistrationResponse},
};
use crate::client::Stream;

/// Messages that wait to be sent.
#[derive(Default)]
struct Outbox {
    waiting: VecDeque<Bytes>,
    /// The waker of the stream.
    waker: Option<Waker>,
}

/// Sends messages while the stream is listened to.
#[derive(Clone)]
pub struct AgentSender(Weak<RefCell<Outbox>>);

impl AgentSender {
    /// Sends a message; nothing if the stream is over.
    pub fn send(&self, message: &RegistrationRequest) {
        let Some(outbox) = self.0.upgrade() else { return };
        let mut outbox = outbox.borrow_mut();
        outbox.waiting.push_back(frame(message));
        if let Some(waker) = outbox.waker.take() {
            waker.wake();
        }
    }
}

/// A stream to the agent. Nothing moves on it but in `next`; dropped, it closes its connection.
pub struct AgentStream {
    connection: Connection<Stream, Bytes>,
    outgoing: SendStream<Bytes>,
    outbox: Rc<RefCell<Outbox>>,
    incoming: Incoming,
    frames: FrameReader,
}

enum Incoming {
    Head(ResponseFuture),
    Messages(RecvStream),
}

impl AgentStream {
    pub(super) fn begin(
        mut sender: SendRequest<Bytes>,
        connection: Connection<Stream, Bytes>,
        request: Request<()>,
    ) -> Result<(AgentSender, Self), AgentEnd> {
        let (response, outgoing) =
            sender.send_request(request, false).map_err(|error| AgentEnd::of_h2(&error))?;
        let outbox = Rc::new(RefCell::default());
        let sender = AgentSender(Rc::downgrade(&outbox));
        let incoming = Incoming::Head(response);
        Ok((
            sender,
            Self { connection, outgoing, outbox, incoming, frames: FrameReader::default() },
        ))
    }

    /// Waits for the next message, and sends meanwhile.
    ///
    /// # Errors
    /// The stream's end, after which there is nothing more to wait for.
    pub async fn next(&mut self) -> Result<RegistrationResponse, AgentEnd> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<RegistrationResponse, AgentEnd>> {
        if let Err(error) = self.send_waiting(context) {
            return Poll::Ready(Err(error));
        }
        // Messages that came before the connection's end are heard first.
        let moved = Pin::new(&mut self.connection).poll(context);
        if let Poll::Ready(heard) = self.poll_incoming(context) {
            return Poll::Ready(heard);
        }
        match moved {
            Poll::Ready(Ok(())) => Poll::Ready(Err(AgentEnd::new("the connection was closed"))),
            Poll::Ready(Err(error)) => Poll::Ready(Err(AgentEnd::of_h2(&error))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn send_waiting(&mut self, context: &mut Context<'_>) -> Result<(), AgentEnd> {
        let mut outbox = self.outbox.borrow_mut();
        outbox.waker = Some(context.waker().clone());
        for bytes in outbox.waiting.drain(..) {
            // Messages are some hundred bytes: h2 keeps them if the agent's window is full.
            self.outgoing.send_data(bytes, false).map_err(|error| AgentEnd::of_h2(&error))?;
        }
        Ok(())
    }

    fn poll_incoming(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<RegistrationResponse, AgentEnd>> {
        loop {
            match self.take_message() {
                Ok(None) => {}
                Ok(Some(message)) => return Poll::Ready(Ok(message)),
                Err(end) => return Poll::Ready(Err(end)),
            }
            let polled = match &mut self.incoming {
                Incoming::Head(response) => poll_head(response, context),
                Incoming::Messages(body) => poll_body(body, &mut self.frames, context),
            };
            match polled {
                Poll::Ready(Ok(Some(body))) => self.incoming = Incoming::Messages(body),
                Poll::Ready(Ok(None)) => {}
                Poll::Ready(Err(end)) => return Poll::Ready(Err(end)),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn take_message(&mut self) -> Result<Option<RegistrationResponse>, AgentEnd> {
        let unusable = |found: &str| AgentEnd::new(format!("read an answer: {found}"));
        match self.frames.take().map_err(|_| unusable("it is compressed, or too long"))? {
            None => Ok(None),
            Some(bytes) => RegistrationResponse::decode(bytes)
                .map(Some)
                .map_err(|_| unusable("it is not a message of the agent")),
        }
    }
}

/// The body, once the agent has taken the stream.
fn poll_head(
    response: &mut ResponseFuture,
    context: &mut Context<'_>,
) -> Poll<Result<Option<RecvStream>, AgentEnd>> {
    Pin::new(response).poll(context).map(|answered| {
        let response = answered.map_err(|error| AgentEnd::of_h2(&error))?;
        if response.status() != StatusCode::OK {
            return Err(AgentEnd::new(format!("HTTP status {}", response.status().as_u16())));
        }
        match end_of(response.headers()) {
            Some(end) => Err(end),
            None => Ok(Some(response.into_body())),
        }
    })
}

/// Adds bytes to the frames; the end if trailers come.
fn poll_body(
    body: &mut RecvStream,
    frames: &mut FrameReader,
    context: &mut Context<'_>,
) -> Poll<Result<Option<RecvStream>, AgentEnd>> {
    match body.poll_data(context) {
        Poll::Pending => Poll::Pending,
        Poll::Ready(Some(Ok(bytes))) => {
            frames.push(&bytes);
            let given_back = body.flow_control().release_capacity(bytes.len());
            Poll::Ready(given_back.map(|()| None).map_err(|error| AgentEnd::of_h2(&error)))
        }
        Poll::Ready(Some(Err(error))) => Poll::Ready(Err(AgentEnd::of_h2(&error))),
        Poll::Ready(None) => body.poll_trailers(context).map(|trailers| {
            let trailers = trailers.map_err(|error| AgentEnd::of_h2(&error))?;
            let end = trailers.as_ref().and_then(end_of);
            Err(end.unwrap_or_else(|| AgentEnd::new("the stream was closed")))
        }),
    }
}
