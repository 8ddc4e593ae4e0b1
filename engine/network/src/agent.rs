//! The stream to the kernel agent: `svc.agent.v1.AgentService/Registration` of
//! formats/proto/svc/agent/v1, by gRPC (grpc/doc/PROTOCOL-HTTP2.md) over a unix socket or TLS.

mod agent_end;
mod grpc_frames;
mod grpc_status;
#[allow(clippy::all, clippy::pedantic, missing_docs, reason = "generated")]
#[rustfmt::skip]
pub mod messages;
mod open;
mod stream;

pub use agent_end::AgentEnd;
pub use open::{AgentTarget, open_agent_stream};
pub use stream::{AgentSender, AgentStream};
