// Catches a signal that has a handler already, and prints which of the two hears of it, by how it is sent.
import { dlopen, FFIType } from "bun:ffi";
import { SignalPipe } from "../src/index.ts";

const { i32, u32, u64, ptr, i64 } = FFIType;
const libc = dlopen("libc.so.6", {
  alarm: { args: [u32], returns: u32 },
  dlsym: { args: [u64, ptr], returns: u64 },
  kill: { args: [i32, i32], returns: i32 },
  sigaction: { args: [i32, ptr, ptr], returns: i32 },
  syscall: { args: [i64, i64, i64, i64], returns: i64 },
}).symbols;

const SIGPWR = 30;
const SA_SIGINFO = 4n;
const SYS_tgkill = { x64: 234, arm64: 131 }[process.arch as "x64" | "arm64"];

// alarm(2) as a handler is called with the signal's number: it leaves an alarm in 30 s behind.
const action = new BigUint64Array(19);
action[0] = BigInt(libc.dlsym(0, Buffer.from("alarm\0")));
action[17] = SA_SIGINFO;
libc.sigaction(SIGPWR, action, null);
const pipe = new SignalPipe();
pipe.catch(SIGPWR);

const seen = () => ({ caught: pipe.read(), before: libc.alarm(0) > 0 });
libc.syscall(SYS_tgkill, process.pid, process.pid, SIGPWR);
const ofThisProcess = seen();
libc.kill(process.pid, SIGPWR);
const ofOthers = seen();
process.stdout.write(JSON.stringify({ ofThisProcess, ofOthers }));
