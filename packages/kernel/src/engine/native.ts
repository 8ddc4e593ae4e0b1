import * as engine from "svc:engine";
import type * as bun from "../bun/native.ts";

// The same as bun/native.ts, on the small engine. Both are tested by the same tests.

/**
 * The functions of libc that the engine binds: those that the wrapper calls. The cast: the host
 * binds them by the same prototypes as Bun, and svc-engine.d.ts does not repeat these.
 */
export const libc = engine.libc as unknown as typeof bun.libc;

export const architecture: typeof bun.architecture = engine.arch;

export const processId: typeof bun.processId = engine.pid;

export const givenArguments: typeof bun.givenArguments = () => engine.argv();

export const exitProcess: typeof bun.exitProcess = engine.exit;

export const executablePath: typeof bun.executablePath = engine.executablePath;

export const onUncaught: typeof bun.onUncaught = engine.onUncaught;

/** The engine keeps it for each call. */
export const lastErrno: typeof bun.lastErrno = engine.errno;

/** The host takes typed arrays only. */
export const addressOf: typeof bun.addressOf = (bytes) =>
  engine.addressOf(
    bytes instanceof DataView
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : bytes,
  );

export const sha256OfFile: typeof bun.sha256OfFile = engine.sha256OfFile;

export const bytesAt: typeof bun.bytesAt = engine.bytesAt;

export const forgetBytes: typeof bun.forgetBytes = engine.forget;

export const readEnvironment: typeof bun.readEnvironment = engine.environment;

// The cast: svc-engine.d.ts does not repeat the types.
export const newExecPreparer = engine.newExecPreparer as unknown as typeof bun.newExecPreparer;
