use std::{
    cell::{Cell, RefCell},
    convert::Infallible,
    future::{Future, poll_fn},
    net::IpAddr,
    pin::{Pin, pin},
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rustix::net::sockopt::set_socket_linger;
use svc_secrets::{SecretBuilder, SecretBytes};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until, timeout, timeout_at},
};
use tokio_rustls::TlsAcceptor;

use super::{
    Answer, Client, HttpServerLimits, Refusal, RequestHead, Service, request_head::read_head,
    server_tls::Handshakes, socket::Socket, visits::Visit,
};

const MAX_HEADERS: usize = 64;

/// One connection with its one request.
pub(super) struct Serving {
    pub service: Rc<dyn Service>,
    pub handshakes: Option<Rc<Handshakes>>,
    pub limits: HttpServerLimits,
    pub visit: Visit,
    /// When the request has to be there, and then when the client has to have its answer.
    pub deadline: Cell<Instant>,
    pub is_answering: Cell<bool>,
    pub on_gone: RefCell<Option<Box<dyn FnOnce()>>>,
}

impl Serving {
    /// Serves a client until it has left or has to.
    pub async fn serve(self, stream: TcpStream, address: IpAddr) {
        // A client without an answer gets a reset, which frees everything at once; socket(7).
        let _ = set_socket_linger(&stream, Some(Duration::ZERO));
        let _ = stream.set_nodelay(true);
        let socket = Socket(Rc::new(stream));
        let this = Rc::new(self);
        let sent_away = Rc::clone(&this.visit.sent_away);
        let mut ends: [Pin<Box<dyn Future<Output = ()>>>; 3] = [
            Box::pin(async move { sent_away.notified().await }),
            Box::pin({
                let socket = socket.clone();
                async move { socket.reset().await }
            }),
            Box::pin(Rc::clone(&this).stay(socket, address)),
        ];
        poll_fn(|context| {
            let is_over = ends.iter_mut().any(|end| end.as_mut().poll(context).is_ready());
            if is_over { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        drop(ends);
        if let Some(on_gone) = this.on_gone.take() {
            on_gone();
        }
    }

    async fn stay(self: Rc<Self>, socket: Socket, address: IpAddr) {
        let Some(handshakes) = self.handshakes.clone() else {
            let client = Client { address, certificate_name: None };
            return Box::pin(self.talk(socket.clone(), &socket, client)).await;
        };
        let acceptor = TlsAcceptor::from(Arc::clone(&handshakes.config));
        // Each step has its own memory, and only while it lasts: there may be hundreds.
        let shaking = Box::pin(timeout_at(self.deadline.get(), acceptor.accept(socket.clone())));
        let Ok(Ok(stream)) = shaking.await else { return };
        let certificate_name = handshakes.verified_name(stream.get_ref().1.peer_certificates());
        Box::pin(self.talk(stream, &socket, Client { address, certificate_name })).await;
    }

    async fn talk(
        self: Rc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
        socket: &Socket,
        client: Client,
    ) {
        let this = Rc::clone(&self);
        let answer = service_fn(move |request| {
            let answering = Rc::clone(&this).answer(request, client.clone());
            Box::pin(async move { Ok::<_, Infallible>(answering.await) })
        });
        let mut connection = http1::Builder::new()
            .keep_alive(false)
            .half_close(true)
            .max_buf_size(self.limits.head_bytes)
            .max_headers(MAX_HEADERS)
            .serve_connection(TokioIo::new(stream), answer);
        let mut late = pin!(sleep_until(self.deadline.get()));
        let ended = poll_fn(|context| match connection.poll_without_shutdown(context) {
            Poll::Pending if self.is_late(late.as_mut(), context) => Poll::Ready(None),
            polled => polled.map(Some),
        })
        .await;
        let is_answered = match ended {
            None => false,
            Some(Ok(())) => true,
            // hyper has refused the request by its own status.
            Some(Err(error)) => error.is_parse(),
        };
        if is_answered {
            let _ = set_socket_linger(&*socket.0, None);
            let stream = connection.into_parts().io.into_inner();
            let _ = timeout(self.limits.linger, Box::pin(linger(stream))).await;
        }
    }

    /// The time of a client does not pass while its answer is looked for.
    fn is_late(&self, mut late: Pin<&mut Sleep>, context: &mut Context<'_>) -> bool {
        if late.deadline() != self.deadline.get() {
            late.as_mut().reset(self.deadline.get());
        }
        !self.is_answering.get() && late.poll(context).is_ready()
    }

    async fn answer(
        self: Rc<Self>,
        request: Request<Incoming>,
        client: Client,
    ) -> Response<Full<Bytes>> {
        let mut answer = self.find_answer(request, client).await;
        *self.on_gone.borrow_mut() = answer.on_gone.take();
        answer.into_response()
    }

    async fn find_answer(&self, request: Request<Incoming>, client: Client) -> Answer {
        let (parts, body) = request.into_parts();
        let head = match read_head(&parts) {
            Ok(head) => head,
            Err(refusal) => return self.service.refuse(&refusal),
        };
        if let Some(answer) = self.service.answer_head(&head, &client) {
            return answer;
        }
        let most = self.limits.body_bytes;
        if head.body_length > most {
            let message = format!("the body has {} bytes: at most {most}", head.body_length);
            return self.service.refuse(&Refusal { status: 413, code: "BODY_TOO_LARGE", message });
        }
        match read_body(body, &head).await {
            Some(body) => {
                let _answering = Answering::begin(self);
                self.service.answer_body(head, body, client).await
            }
            // The client is gone, or will be sent away: no answer reaches it.
            None => Answer::default(),
        }
    }
}

/// A request that is whole. Its visit is not sent away meanwhile.
struct Answering<'a>(&'a Serving);

impl<'a> Answering<'a> {
    fn begin(serving: &'a Serving) -> Self {
        serving.is_answering.set(true);
        serving.visit.answering(true);
        Self(serving)
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.is_answering.set(false);
        self.0.deadline.set(Instant::now() + self.0.limits.request);
        self.0.visit.answering(false);
    }
}

async fn read_body(mut body: Incoming, head: &RequestHead) -> Option<SecretBytes> {
    let mut bytes = SecretBuilder::with_capacity(head.body_length);
    while let Some(frame) = body.frame().await {
        if let Ok(part) = frame.ok()?.into_data() {
            bytes.push(&part);
        }
    }
    (bytes.len() == head.body_length).then(|| bytes.finish())
}

/// All is said. Bytes that the client still sends are read and dropped. A socket closed with unread
/// bytes makes the kernel send a reset, which may destroy the answer; RFC 9112 section 9.6.
async fn linger(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let _ = stream.shutdown().await;
    let mut dropped = [0; 1024];
    while stream.read(&mut dropped).await.is_ok_and(|count| count > 0) {}
}
