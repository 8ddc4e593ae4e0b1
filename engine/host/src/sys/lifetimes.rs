//! Types of the host that the script holds by handles.

use rquickjs::JsLifetime;

use crate::bindings::{JsonHandle, SecretHandle};

// SAFETY: it holds nothing of the script's, so it lives as long as it likes.
unsafe impl JsLifetime<'_> for SecretHandle {
    type Changed<'to> = Self;
}

// SAFETY: as above.
unsafe impl JsLifetime<'_> for JsonHandle {
    type Changed<'to> = Self;
}
