//! Compiles ECMAScript modules to QuickJS bytecode and packs them into one file.
//!
//! `svc-engine-compiler [--debug] OUTPUT MODULE...`: each MODULE is the path of a file; its name in
//! the pack is the file's own name. With `--debug` names of files and lines stay, for errors of
//! tests: a start would have to read them. The pack is a sequence of records: the length of the
//! name and of the bytecode, each a little-endian `u32`, then the name and the bytecode. The engine
//! reads it in `engine/host/src/modules.rs`.
//!
//! The bytecode of one version of QuickJS is the same for every 64-bit little-endian machine, so
//! one pack serves x86-64 and arm64.

use rquickjs::loader::ImportAttributes;
use rquickjs::module::WriteOptions;
use rquickjs::{CatchResultExt, Context, Ctx, Error, Module, Runtime, loader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from).peekable();
    let debug = arguments.next_if(|first| first.as_os_str() == "--debug").is_some();
    let Some(output) = arguments.next() else {
        eprintln!("usage: svc-engine-compiler [--debug] OUTPUT MODULE...");
        return ExitCode::from(2);
    };
    let modules: Vec<PathBuf> = arguments.collect();
    match pack(&modules, debug).and_then(|bytes| write(&output, &bytes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("svc-engine-compiler: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("write {}: {error}", path.display()))
}

fn pack(paths: &[PathBuf], debug: bool) -> Result<Vec<u8>, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    // A module is compiled by itself: its imports are only noted.
    runtime.set_loader(Names, Empty);
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| format!("{}: not a module's name", path.display()))?;
        let source =
            std::fs::read(path).map_err(|error| format!("read {}: {error}", path.display()))?;
        let code = context.with(|ctx| {
            compile(&ctx, name, source, debug).catch(&ctx).map_err(|error| error.to_string())
        });
        let code = code.map_err(|error| format!("compile {}: {error}", path.display()))?;
        for length in [name.len(), code.len()] {
            let length = u32::try_from(length).map_err(|_| format!("{name}: too long"))?;
            bytes.extend(length.to_le_bytes());
        }
        bytes.extend(name.as_bytes());
        bytes.extend(code);
    }
    Ok(bytes)
}

fn compile(ctx: &Ctx<'_>, name: &str, source: Vec<u8>, debug: bool) -> Result<Vec<u8>, Error> {
    let options = WriteOptions { strip_debug: !debug, strip_source: true, ..Default::default() };
    Module::declare(ctx.clone(), name, source)?.write(options)
}

/// Leaves the names of imported modules as they are written.
struct Names;

impl loader::Resolver for Names {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String, Error> {
        Ok(name.to_owned())
    }
}

/// Gives an empty module for every import, which is enough to compile the one that imports it.
struct Empty;

impl loader::Loader for Empty {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, rquickjs::module::Declared>, Error> {
        Module::declare(ctx.clone(), name, "")
    }
}
