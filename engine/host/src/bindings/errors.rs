//! Errors that bindings throw in the script.

use rquickjs::Ctx;

/// An Error with `syscall` and `errno`, as packages/kernel expects it.
pub fn throw_system_error(ctx: &Ctx<'_>, syscall: &str, error: &std::io::Error) -> rquickjs::Error {
    let thrown = rquickjs::Exception::from_message(ctx.clone(), syscall).and_then(|exception| {
        exception.as_object().set("syscall", syscall)?;
        exception.as_object().set("errno", error.raw_os_error().unwrap_or(0))?;
        Ok(exception)
    });
    match thrown {
        Ok(exception) => exception.throw(),
        Err(error) => error,
    }
}

/// A TypeError: the script has passed a value that no operation takes.
pub fn throw_type(ctx: &Ctx<'_>, wrong: &str) -> rquickjs::Error {
    rquickjs::Exception::throw_type(ctx, wrong)
}
