//! The module `svc:engine`, the script's only way to the host. For TypeScript it is declared in
//! `packages/engine/src/svc-engine.d.ts` and, for the agent, `svc-engine-agent.d.ts`. They say what
//! each export does.

// Functions of the script get their own arguments as values.
#![allow(clippy::needless_pass_by_value)]

mod agent;
mod agent_messages;
mod calls;
mod errors;
mod events;
mod exec_preparer;
mod export_functions;
mod files;
mod http;
mod http_server;
mod last_resort;
mod locked_memory;
mod modules;
mod native;
mod secrets;
mod surroundings;
mod text;
mod tls;

pub use secrets::{JsonHandle, SecretHandle};
pub use surroundings::{begin, leave_out};

use rquickjs::module::{Declarations, Exports, ModuleDef};
use rquickjs::{Ctx, Result};

/// The name by which the script imports it.
pub const NAME: &str = "svc:engine";

/// Its exports.
pub struct EngineModule;

const EXPORTS: &[&[&str]] = &[
    surroundings::EXPORTS,
    modules::EXPORTS,
    native::EXPORTS,
    events::EXPORTS,
    exec_preparer::EXPORTS,
    files::EXPORTS,
    text::EXPORTS,
    secrets::EXPORTS,
    locked_memory::EXPORTS,
    tls::EXPORTS,
    http::EXPORTS,
    http_server::EXPORTS,
    last_resort::EXPORTS,
    agent::EXPORTS,
];

impl ModuleDef for EngineModule {
    fn declare(declarations: &Declarations<'_>) -> Result<()> {
        for name in EXPORTS.iter().copied().flatten() {
            declarations.declare(*name)?;
        }
        Ok(())
    }

    fn evaluate<'js>(ctx: &Ctx<'js>, exports: &Exports<'js>) -> Result<()> {
        surroundings::export(ctx, exports)?;
        modules::export(ctx, exports)?;
        native::export(ctx, exports)?;
        events::export(ctx, exports)?;
        exec_preparer::export(ctx, exports)?;
        files::export(ctx, exports)?;
        text::export(ctx, exports)?;
        secrets::export(ctx, exports)?;
        locked_memory::export(ctx, exports)?;
        tls::export(ctx, exports)?;
        http::export(ctx, exports)?;
        http_server::export(ctx, exports)?;
        last_resort::export(ctx, exports)?;
        agent::export(ctx, exports)
    }
}
