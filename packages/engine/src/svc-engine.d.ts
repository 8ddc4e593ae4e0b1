/**
 * The module that the small engine (engine/) offers to the wrapper's TypeScript. It is the only way
 * from TypeScript to the host; every other module is TypeScript. Bun never sees it.
 * svc-engine-agent.d.ts has its part for the kernel agent, svc-engine-guard.d.ts that for the end.
 *
 * Operations that wait return promises. Everything else is done when it returns.
 */
declare module "svc:engine" {
  // Surroundings

  /** This process's argv, to the byte; execve(2). Not to be called after `setCommandLine`. */
  export function argv(): readonly Uint8Array[];
  /**
   * Makes a text what /proc/PID/cmdline shows, argv[0] alone; proc_pid_cmdline(5). It is cut if
   * the words that the process was started with are shorter.
   */
  export function setCommandLine(text: string): void;
  /** The architecture that the executable was compiled for. */
  export const arch: "x64" | "arm64";
  /** getpid(2); the child's own after a fork. */
  export function pid(): number;
  /** The open descriptors above 2, ascending; proc_pid_fd(5), or fcntl(2) without /proc. */
  export function openDescriptors(): readonly number[];
  /** _exit(2). Nothing that was registered runs any more. */
  export function exit(status: number): never;
  /** The executable's path: by /proc/self/exe, or as it was started; getauxval(3), AT_EXECFN. */
  export function executablePath(): string;
  /** Milliseconds of CLOCK_MONOTONIC since the process's start; a fraction counts microseconds. */
  export function now(): number;
  /** Collects the script's garbage, and gives free memory back; malloc_trim(3). */
  export function collectGarbage(): void;
  /** Fills with random bytes; getrandom(2). */
  export function fillRandom(target: Uint8Array): void;

  /**
   * Loads a module of the pack that is not loaded yet, and resolves with its exports.
   * scripts/engine/pack.ts turns `import()` into it.
   *
   * @throws Error if the pack has no such module.
   */
  export function loadModule(name: string): Promise<Record<string, unknown>>;

  // Native calls; packages/kernel gives each its type and its errors

  /** The functions of libc by name: packages/kernel/src/bun/native.ts lists their prototypes. */
  export const libc: Readonly<Record<string, (...args: readonly unknown[]) => number | bigint>>;
  /** errno as the last call of `libc` left it; errno(3). */
  export function errno(): number;
  /**
   * The address of an array's bytes. Valid while the array is reachable, and in any case until the
   * script waits for something: the engine moves nothing.
   */
  export function addressOf(bytes: ArrayBufferView): number;
  /** A view of memory at an address that the caller knows to be mapped as long as it is used. */
  export function bytesAt(address: number, length: number): Uint8Array;
  /** Takes a view of `bytesAt` away from the script: its length becomes 0. */
  export function forget(view: Uint8Array): void;
  /** One `NAME=value`: its address, its length in bytes, and the offset of the value. */
  type Variable = Readonly<Record<"address" | "length" | "valueOffset", number> & { name: string }>;
  /** The environment; environ(7). Bytes of names that are not UTF-8 are replaced. */
  export function environment(): readonly Variable[];

  // Events

  /** Calls back after a number of milliseconds, once or again and again. */
  export function startTimer(callback: () => void, ms: number, repeats: boolean): number;
  export function stopTimer(id: number): void;
  /** Calls back whenever a non-blocking descriptor can be read or has ended; epoll(7). */
  export function watchReadable(fd: number, callback: () => void): number;
  /** Ends a watch. The descriptor stays open. */
  export function unwatch(id: number): void;
  /**
   * Prepares programs at their execve without a turn of the script:
   * engine/host/src/exec_preparer.rs. packages/kernel/src/tracing/native-exec-preparer.ts has the
   * types.
   */
  export const newExecPreparer: (options: never) => unknown;
  /**
   * Calls back with each signal since the first instruction, in the kernel's order, its sender
   * (`outside` of the PID namespace), and its value of sigqueue(3); signalfd(2). Once.
   */
  export function takeSignals(
    take: (signal: number, from: "kernel" | "process" | "outside", value?: bigint) => void,
  ): void;
  /** The signals that were blocked when the process began, in ascending order. */
  export function blockedSignals(): readonly number[];
  /**
   * The signals that are ignored now, in ascending order; sigaction(2). 32 and 33 are the C
   * library's.
   */
  export function ignoredSignals(): readonly number[];
  /** Calls back with each error that was thrown or rejected and not caught. */
  export function onUncaught(callback: (error: unknown) => void): void;

  /** How a fork begins its life. */
  export interface ForkOptions {
    /** Descriptors above 2 that it keeps, in ascending order; every other is closed. */
    readonly keep: readonly number[];
    /** The signals that it blocks. */
    readonly signalMask: bigint;
    /** Called in the child, in place of everything that was registered before. */
    readonly child: () => void;
  }
  /**
   * Forks once no script runs and no job is pending; fork(2). The child has the script's heap as it
   * is then, a new process group (setpgid(2)), and none of the parent's timers, watches and
   * requests. Resolves in the parent with the child's pid.
   */
  export function fork(options: ForkOptions): Promise<number>;

  // Files

  /**
   * SHA-256 of an open file from its start to its end, in hexadecimal digits; FIPS 180-4.
   * @throws an Error with `errno` and `syscall`.
   */
  export function sha256OfFile(fd: number): string;

  // Text

  /** UTF-8; a lone surrogate becomes U+FFFD. */
  export function encodeUtf8(text: string): Uint8Array;
  /** Undefined if `fatal` is set and the bytes are not UTF-8. */
  export function decodeUtf8(bytes: Uint8Array, fatal: boolean): string | undefined;
  /** The parts of a URL by the URL Standard; undefined for a text that is not a URL. */
  export function parseUrl(text: string, base?: string): UrlParts | undefined;
  export interface UrlParts {
    readonly href: string;
    readonly protocol: string;
    readonly username: string;
    readonly password: string;
    readonly host: string;
    readonly hostname: string;
    readonly port: string;
    readonly pathname: string;
    readonly search: string;
    readonly hash: string;
    readonly origin: string;
  }

  // Secrets: bytes in locked memory of the host, wiped when they are released. No operation but
  // `open` brings them into the script's heap.

  export class SecretBytes {
    private constructor();
    readonly length: number;
    /** Copies bytes, of a mapping for example. */
    static from(bytes: Uint8Array): SecretBytes;
    /**
     * Reads a whole file, at most `limit` bytes, without waiting: a pipe without a writer is empty.
     * @throws an Error with `errno` and `syscall`; EFBIG if it is longer.
     */
    static read(path: string, limit: number): SecretBytes;
    /** As `read`, of an open pipe or socket; ETIMEDOUT if the peer is silent for ten seconds. */
    static readDescriptor(fd: number, limit: number): SecretBytes;
    includes(byte: number): boolean;
    startsWith(text: string): boolean;
    equals(text: string): boolean;
    isUtf8(): boolean;
    /** Without the white space (as String.prototype.trim has it) at both ends. */
    trimmed(): SecretBytes;
    /** Without one `\n` or `\r\n` at the end. */
    withoutLineEnd(): SecretBytes;
    /** The index of the first byte outside of 0x21 to 0x7e; -1 for none. */
    firstInvisible(): number;
    /** Copies all of it to the start of `target`, which must be long enough. Returns the length. */
    writeTo(target: Uint8Array): number;
    /** Parses JSON. Its errors are `not JSON` and `repeated key` (RFC 8259 section 4). */
    parseJson(): SecretJson | "not JSON" | "repeated key";
    /** The text, with masked secrets of 4 bytes or more as `[secret]`; undefined if not UTF-8. */
    open(masked: readonly SecretBytes[]): string | undefined;
  }

  /** A JSON value of which the script knows the shape. Texts stay with the host. */
  export class SecretJson {
    private constructor();
    readonly kind: "object" | "array" | "string" | "number" | "boolean" | "null";
    /** The keys of an object, in the order of the text; else empty. */
    keys(): readonly string[];
    /** A member of an object. */
    member(name: string): SecretJson | undefined;
    /** The items of an array; else empty. */
    items(): readonly SecretJson[];
    /** False if a text in it has a lone surrogate, which has no UTF-8. */
    isWellFormed(): boolean;
    /** As it is delivered: a string's text, anything else as JSON without white space. */
    bytes(): SecretBytes;
    /** The same as a text, for the script to read. */
    open(): string;
  }

  /** True while every page that this process has had secrets in was locked; mlock2(2). */
  export function areSecretsLocked(): boolean;
  /**
   * From now on a page that cannot be locked ends the process. The host writes a message to `fd`:
   * the given texts before and after the number of bytes that would be locked with that page. Then
   * it exits.
   * @throws an Error with `errno` and `syscall` if the first page cannot be locked.
   */
  export function requireLockedSecrets(last: {
    readonly fd: number;
    readonly before: Uint8Array;
    readonly behind: Uint8Array;
    readonly status: number;
  }): void;
  /**
   * Unlocks all memory of this process for good, so that other pages may be locked in its place.
   * False if it has to stay, or nothing is locked.
   */
  export function yieldSecretLocks(): boolean;

  /** HMAC-SHA256 over texts and secrets, one behind the other, as hexadecimal digits; RFC 2104. */
  export function hmacSha256(key: Uint8Array, parts: readonly (string | SecretBytes)[]): string;

  // HTTP/1.1 client, over TLS for https

  export interface HttpRequest {
    readonly method: string;
    /** http or https; absolute. */
    readonly url: string;
    readonly headers: readonly (readonly [name: string, value: string | SecretBytes])[];
    /** Texts as they are; a secret as the inside of a JSON string, escaped, without its quotes. */
    readonly body?: readonly (string | SecretBytes)[];
    readonly tls: HttpTls;
    /** The answer's body is at most this long. */
    readonly maxBytes: number;
    /** True for a separate connection; otherwise one that is kept may be used. */
    readonly ownConnection: boolean;
  }
  export interface HttpTls {
    readonly skipVerify: boolean;
    /** PEM texts; the public authorities if it is not given. */
    readonly ca?: readonly string[];
    readonly cert?: string;
    readonly key?: SecretBytes;
    readonly serverName?: string;
  }
  export interface HttpResponse {
    readonly status: number;
    /** By lower-case name; several of a name are joined by ", ". */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: SecretBytes;
  }
  /** Why there is no complete answer. The message never quotes the sent or received data. */
  export type HttpFault =
    | "refused"
    | "unreachable"
    | "closed"
    | "name not found"
    | "unknown authority"
    | "wrong name"
    | "expired"
    | "not yet valid"
    | "bad certificate"
    | "handshake"
    | "unusable material"
    | "not HTTP"
    | "headers too large"
    | "body too large"
    | "aborted";
  /** Whether a text holds certificates in PEM, and each that it begins is one; RFC 7468. */
  export function areCertificates(pem: string): boolean;
  /** Whether a text holds a private key in PEM that a server of the host can use. */
  export function judgePrivateKey(pem: SecretBytes): "usable" | "unusable" | "no PEM text";
  /** Whether a usable private key is that of the first of certificates. */
  export function belongTogether(certificates: string, key: SecretBytes): boolean;

  /** The content of a rejected request. */
  export interface HttpError extends Error {
    readonly fault: HttpFault;
    /** True if the head of an answer was there. */
    readonly answered: boolean;
    /** The names of the certificate, for `wrong name`. */
    readonly names?: readonly string[];
  }
  /** A request on its way. */
  export interface HttpExchange {
    readonly response: Promise<HttpResponse>;
    /** Closes the connection, or its stream of HTTP/2; `response` rejects with `aborted`. */
    abort(): void;
  }

  /**
   * To be called before the first request if little memory may be locked. Requests are then sent by
   * HTTP/1.1 alone, over at most that number of connections with each server, of 32. A single one
   * has smaller buffers: the head of an answer has at most 4 KiB.
   */
  export function limitConnections(most: number): void;
  /** Closes connections that no request uses: their buffers may hold parts of answers. */
  export function closeIdleConnections(): void;
  /**
   * Resolves once the requests that were made before are on their way, as far as they need not
   * wait: a script that has work to do lets them begin first.
   */
  export function letRequestsBegin(): Promise<void>;
  /** Sends a request. Redirects are not followed, and proxies are not asked. */
  export function sendHttp(request: HttpRequest): HttpExchange;
}
