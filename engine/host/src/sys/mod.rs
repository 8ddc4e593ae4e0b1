//! The syscall layer: the only code with `unsafe`. Each block says why it is sound.

#![allow(unsafe_code)]

pub mod bytecode;
pub mod code_pages;
pub mod command_line;
pub mod damage;
pub mod descriptors;
pub mod exec_listener;
pub mod heap;
pub mod image;
pub mod last_resort;
pub mod libc_functions;
mod lifetimes;
pub mod named_memory;
pub mod processes;
pub mod signals;
pub mod stack;
pub mod tracee;
pub mod views;
pub mod watchdog;
