use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    io,
    net::IpAddr,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use rustix::net::sockopt::set_socket_linger;
use svc_secrets::{SecretBuilder, SecretBytes};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::TlsAcceptor;

use super::{
    Answer, Client, HttpServerLimits, Refusal, Service,
    doorway::Doorway,
    head_reader::{Asked, await_head},
    request_head::Request,
    server_tls::Handshakes,
    socket::Socket,
    visits::Visit,
};

/// RFC 9110 section 15.2.1.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// One connection with its one request.
pub(super) struct Serving {
    pub service: Rc<dyn Service>,
    pub handshakes: Option<Rc<Handshakes>>,
    pub limits: HttpServerLimits,
    pub visit: Visit,
    pub doorway: Rc<Doorway>,
    /// When the request has to be there.
    pub deadline: Instant,
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
        let mut accepting = acceptor.accept(socket.clone());
        // Each step has its own memory, and only while it lasts: there may be hundreds.
        let shaking =
            poll_fn(|context| self.doorway.work(|| Pin::new(&mut accepting).poll(context)));
        let Ok(Ok(stream)) = Box::pin(timeout_at(self.deadline, shaking)).await else { return };
        let certificate_name = handshakes.verified_name(stream.get_ref().1.peer_certificates());
        Box::pin(self.talk(stream, &socket, Client { address, certificate_name })).await;
    }

    async fn talk(
        self: Rc<Self>,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        socket: &Socket,
        client: Client,
    ) {
        let Ok(Some(bytes)) = self.find_answer(&mut stream, client).await else { return };
        let deadline = Instant::now() + self.limits.request;
        if !matches!(timeout_at(deadline, self.send(&mut stream, &bytes)).await, Ok(Ok(()))) {
            return;
        }
        let _ = set_socket_linger(&*socket.0, None);
        let _ = timeout(self.limits.linger, Box::pin(self.linger(stream))).await;
    }

    /// The bytes of the answer. `None` if the client has left.
    async fn find_answer(
        &self,
        stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
        client: Client,
    ) -> io::Result<Option<Vec<u8>>> {
        let deadline = self.deadline;
        let asking = await_head(&self.doorway, stream, self.limits.head_bytes);
        let Some(asked) = timeout_at(deadline, asking).await?? else { return Ok(None) };
        let Asked { request: Request { head, expects_continue }, body } = match asked {
            Ok(asked) => asked,
            Err(refusal) => return Ok(Some(self.service.refuse(&refusal).into_bytes(false))),
        };
        let is_head = head.method == "HEAD";
        if let Some(answer) = self.service.answer_head(&head, &client) {
            return Ok(Some(self.noted(answer, is_head)));
        }
        let most = self.limits.body_bytes;
        if head.body_length > most {
            let message = format!("the body has {} bytes: at most {most}", head.body_length);
            let refusal = Refusal { status: 413, code: "BODY_TOO_LARGE", message };
            return Ok(Some(self.service.refuse(&refusal).into_bytes(is_head)));
        }
        if expects_continue && body.is_empty() && head.body_length > 0 {
            timeout_at(deadline, self.send(stream, CONTINUE)).await??;
        }
        let reading = self.read_body(stream, body, head.body_length);
        let Some(body) = timeout_at(deadline, reading).await?? else { return Ok(None) };
        let answer = {
            let _answering = Answering::begin(&self.visit);
            self.service.answer_body(head, body, client).await
        };
        Ok(Some(self.noted(answer, is_head)))
    }

    fn noted(&self, mut answer: Answer, is_head: bool) -> Vec<u8> {
        *self.on_gone.borrow_mut() = answer.on_gone.take();
        answer.into_bytes(is_head)
    }

    /// The body, of which a part has come with the head. `None` if the client leaves before it is
    /// whole.
    async fn read_body(
        &self,
        stream: &mut (impl AsyncRead + Unpin),
        mut body: SecretBuilder,
        length: usize,
    ) -> io::Result<Option<SecretBytes>> {
        while body.len() < length {
            let missing = length - body.len();
            let read = self.doorway.read(stream, missing, |bytes| body.push(bytes));
            if read.await?.is_none() {
                return Ok(None);
            }
        }
        // Bytes of another request are not answered.
        body.truncate(length);
        Ok(Some(body.finish()))
    }

    async fn send(
        &self,
        stream: &mut (impl AsyncWrite + Unpin),
        mut bytes: &[u8],
    ) -> io::Result<()> {
        while !bytes.is_empty() {
            let sent = poll_fn(|context| {
                self.doorway.work(|| Pin::new(&mut *stream).poll_write(context, bytes))
            });
            bytes = &bytes[sent.await?..];
        }
        poll_fn(|context| self.doorway.work(|| Pin::new(&mut *stream).poll_flush(context))).await
    }

    /// All is said. Bytes that the client still sends are read and dropped. A socket closed with
    /// unread bytes makes the kernel send a reset, which may destroy the answer; RFC 9112 section
    /// 9.6.
    async fn linger(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin) {
        let _ = stream.shutdown().await;
        while let Ok(Some(())) = self.doorway.read(&mut stream, usize::MAX, |_| ()).await {}
    }
}

/// A request that is whole. Its visit is not sent away meanwhile.
struct Answering<'a>(&'a Visit);

impl<'a> Answering<'a> {
    fn begin(visit: &'a Visit) -> Self {
        visit.answering(true);
        Self(visit)
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.answering(false);
    }
}
