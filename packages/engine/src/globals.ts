import * as engine from "svc:engine";
import { AbortController, AbortSignal, DOMException } from "./abort.ts";
import "./array-from-async.ts";
import "./dispose.ts";
import "./hex.ts";
import { TextDecoder, TextEncoder } from "./encoding.ts";
import { clearInterval, clearTimeout, setInterval, setTimeout } from "./timers.ts";
import { URL } from "./url.ts";

// The functions of the Web that the wrapper uses, on the small engine. To be imported before
// everything else.

Object.assign(globalThis, {
  AbortController,
  AbortSignal,
  DOMException,
  TextDecoder,
  TextEncoder,
  URL,
  clearInterval,
  clearTimeout,
  crypto: { getRandomValues },
  performance: { now: engine.now },
  setInterval,
  setTimeout,
});

/** Web Cryptography API, section 10.1.1. */
function getRandomValues(target: Uint8Array): Uint8Array {
  engine.fillRandom(target);
  return target;
}
