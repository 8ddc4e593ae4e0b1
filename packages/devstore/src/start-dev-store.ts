import { handle } from "./handle.ts";
import { readRequest, toHttpResponse } from "./http/http-adapter.ts";
import { MAX_BODY_BYTES } from "./http/parse-body.ts";
import type { DevStoreOptions } from "./model/dev-store-options.ts";
import { DevStoreError } from "./model/errors.ts";
import { newState } from "./model/new-state.ts";

/** A store that runs. */
export interface DevStore {
  /** Its base URL, without a slash at the end. */
  readonly address: string;
  /** The root token. */
  readonly token: string;
  /** The key that `sys/unseal` takes after a `sys/seal`. */
  readonly unsealKey: string;
  /** Closes the listener and every connection; a second call does nothing. */
  readonly stop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Starts an in-memory KV version 2 store that answers as OpenBao does. **For development only**:
 * one process, plain HTTP on a loopback address, nothing kept, no audit, no limits on guessing.
 *
 * Throws `DevStoreError`: `BAD_OPTIONS` for a host that is not loopback or a path that is not KV
 * version 2, `CANNOT_LISTEN` when the port is taken.
 */
export function startDevStore(options: DevStoreOptions): DevStore {
  const now = options.now ?? Date.now;
  const state = newState(options, now());
  const server = listen(options, async (request) => {
    const read = await readRequest(request);
    return toHttpResponse("status" in read ? read : handle(read, state, now()), request.method);
  });
  const stop = (): Promise<void> => server.stop(true);
  return {
    address: server.url.origin,
    token: state.rootToken,
    unsealKey: state.unsealKey,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

function listen(
  options: DevStoreOptions,
  fetch: (request: Request) => Promise<Response>,
): Bun.Server<undefined> {
  const { host = "127.0.0.1", port = 0 } = options;
  if (!LOOPBACK.test(host)) {
    throw new DevStoreError("BAD_OPTIONS", `host: must be a loopback address: got "${host}"`);
  }
  try {
    // One byte more than allowed gets through to us, so that the refusal is OpenBao's and not
    // Bun's.
    return Bun.serve({ hostname: host, port, fetch, maxRequestBodySize: MAX_BODY_BYTES * 2 });
  } catch (cause) {
    throw new DevStoreError("CANNOT_LISTEN", `listen on ${host}:${port}: ${String(cause)}`, {
      cause,
    });
  }
}
