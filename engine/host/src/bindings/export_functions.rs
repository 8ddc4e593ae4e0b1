//! How a binding gives its functions to the script.

/// Exports functions by their names.
macro_rules! export_functions {
    ($ctx:ident, $exports:ident, $($name:literal => $function:expr),* $(,)?) => {
        $($exports.export($name, rquickjs::Function::new($ctx.clone(), $function)?)?;)*
    };
}
pub(crate) use export_functions;
