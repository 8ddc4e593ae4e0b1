//! JSON whose values stay where they are: RFC 8259, as strict as `JSON.parse` of ECMAScript.

mod escapes;
mod parse;
mod scan;
mod secret_json;

pub use parse::JsonProblem;
pub use secret_json::{JsonKind, SecretJson};
