//! The script's arrays and memory outside of its heap.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use rquickjs::{Ctx, Error, Exception, FromJs, Result, TypedArray, Value, qjs};

/// The address of a typed array's bytes; null for `null`.
pub struct Bytes {
    pub start: *mut c_void,
    pub length: usize,
}

impl<'js> FromJs<'js> for Bytes {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        if value.is_null() {
            return Ok(Self { start: ptr::null_mut(), length: 0 });
        }
        let (mut offset, mut length, mut element) = (0, 0, 0);
        // SAFETY: the context and the value are alive; the pointers lead to three numbers. The
        // buffer that it returns is a reference of ours, which is given back below; the array
        // itself keeps it alive.
        unsafe {
            let context = ctx.as_raw().as_ptr();
            let buffer = qjs::JS_GetTypedArrayBuffer(
                context,
                value.as_raw(),
                &raw mut offset,
                &raw mut length,
                &raw mut element,
            );
            if qjs::JS_IsException(buffer) {
                return Err(Error::Exception);
            }
            let mut total = 0;
            let start = qjs::JS_GetArrayBuffer(context, &raw mut total, buffer);
            qjs::JS_FreeValue(context, buffer);
            if start.is_null() && length > 0 {
                return Err(Exception::throw_type(ctx, "the array's memory is gone"));
            }
            let offset = usize::try_from(offset).unwrap_or(0);
            let length = usize::try_from(length).unwrap_or(0);
            Ok(Self { start: start.wrapping_add(offset).cast(), length })
        }
    }
}

impl Bytes {
    /// Lends the bytes.
    pub fn with<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        if self.length == 0 {
            return read(&[]);
        }
        // SAFETY: an array of the script's has that many bytes there, and no script runs while they
        // are lent: none can detach it.
        read(unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) })
    }

    /// Lends the bytes for writing.
    pub fn with_mut<R>(&self, write: impl FnOnce(&mut [u8]) -> R) -> R {
        if self.length == 0 {
            return write(&mut []);
        }
        // SAFETY: as in `with`; nothing else in the host refers to them meanwhile.
        write(unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.length) })
    }
}

/// An array over memory at an address that the caller knows to be mapped for as long as it is used.
///
/// # Errors
///
/// If there is no memory for the array itself.
pub fn view<'js>(ctx: &Ctx<'js>, address: usize, length: usize) -> Result<TypedArray<'js, u8>> {
    // SAFETY: no free function is given, because the memory is the caller's. The caller is
    // responsible for the address: packages/kernel gives those of its mappings and of the
    // initial stack.
    let buffer = unsafe {
        let start = ptr::with_exposed_provenance_mut::<u8>(address);
        let raw = qjs::JS_NewArrayBuffer(
            ctx.as_raw().as_ptr(),
            start,
            length as _,
            0,
            None,
            ptr::null_mut(),
            false,
        );
        if qjs::JS_IsException(raw) {
            return Err(Error::Exception);
        }
        Value::from_raw(ctx.clone(), raw)
    };
    let buffer = buffer.into_object().and_then(rquickjs::ArrayBuffer::from_object);
    TypedArray::from_arraybuffer(buffer.ok_or(Error::Unknown)?)
}

/// A variable of this process's environment.
pub struct Variable {
    /// The address of `NAME=value`.
    pub address: usize,
    /// Bytes of `NAME=value`.
    pub length: usize,
    /// The offset of the value in it; its end if there is no `=`.
    pub value_offset: usize,
    /// Bytes that are not UTF-8 are replaced.
    pub name: Cow<'static, str>,
}

/// The environment, in the order of its vector; environ(7). No value is copied.
pub fn environment() -> Vec<Variable> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    let mut variables = Vec::new();
    // SAFETY: the C library has set the vector before main, and nothing in this process changes it.
    // It ends with null. The strings lie on the initial stack, which stays.
    unsafe {
        let mut slot = environ;
        while !slot.is_null() && !(*slot).is_null() {
            variables.push(variable(CStr::from_ptr(*slot)));
            slot = slot.add(1);
        }
    }
    variables
}

fn variable(text: &'static CStr) -> Variable {
    let bytes = text.to_bytes();
    let equals = bytes.iter().position(|byte| *byte == b'=');
    Variable {
        address: text.as_ptr().expose_provenance(),
        length: bytes.len(),
        value_offset: equals.map_or(bytes.len(), |equals| equals + 1),
        name: String::from_utf8_lossy(&bytes[..equals.unwrap_or(bytes.len())]),
    }
}
