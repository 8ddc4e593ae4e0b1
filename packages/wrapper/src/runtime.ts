import type { EnvironmentEntry, SignalSet } from "@svc/kernel";
import type { SecretBytes } from "@svc/secret-bytes";

/** The functions of the host that the wrapper uses beside those of `@svc/kernel`. */
export interface Runtime {
  /** Catches every signal that can be caught, from now on. To be called once, first of all. */
  takeSignals(): SignalSource;
  /** The signals that the wrapper was started with as blocked. */
  signalsBlockedAtStart(): SignalSet;
  /** The signals that are ignored now. */
  ignoredSignals(): readonly number[];
  /** The open descriptors above 2; before the first wait they are those of the start. */
  openDescriptors(): readonly number[];
  /** Makes ready for couriers; to be called before the executable may be replaced. */
  prepareCouriers(): CourierStarter;
  /** Loads the couriers' code, so that the next ones find it there. */
  loadCouriers(): Promise<void>;
  /**
   * Calls back when a descriptor may have something to read, or its end; now and then also if it
   * has not. The descriptor becomes non-blocking, and is the caller's to close afterwards.
   */
  watchReadable(fd: number, onNews: () => void): Disposable;
  /** Gives memory back that some work needed and the waiting does not. */
  giveMemoryBack(): void;
  /**
   * Sends one GET request, which holds no secret, on a separate connection. The certificate of an
   * HTTPS server is not verified, and redirections are not followed.
   */
  ask(question: PlainQuestion): Promise<PlainAnswer>;
  readonly tlsMaterial: TlsMaterial;
  readonly guard: Guard;
}

/**
 * The host's hold on the wrapper's promises. It keeps them although the script stands still, or has
 * lost the event that it waited for.
 */
export interface Guard {
  /** To be called once the settings are known. */
  family(family: Family): void;
  /** Notes the program that runs; undefined if none runs any more. */
  program(pid: number | undefined): void;
  /** Notes the status of the program with whose end the wrapper ends. */
  endsWith(exitCode: number): void;
  /**
   * Ends the wrapper after that time: with 125, or with the status of `endsWith`. A later call
   * replaces the time; undefined takes it back.
   */
  endAfter(ms: number | undefined): void;
}

/** The processes that end with the wrapper, and how. */
export interface Family {
  readonly terminationLog: string;
  /** Children that were there before the wrapper was. */
  readonly strangers: readonly number[];
  /** The signals that ask the wrapper to end. */
  readonly stopSignals: readonly number[];
  /** The time from one of them to SIGKILL. */
  readonly graceMs: number;
}

/** A request without a secret. */
export interface PlainQuestion {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The path of the URL. */
  readonly path: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** By default it waits for ever. */
  readonly timeoutMs?: number;
  /** A longer answer is an error. */
  readonly mostBytes: number;
}

/** The answer, or the reason for its absence. */
export type PlainAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  | { readonly kind: "none"; readonly why: string };

/** Judges the files of a TLS server, in PEM; RFC 7468. */
export interface TlsMaterial {
  /** Whether a text holds certificates, and each that it begins is one. */
  areCertificates(pem: string): boolean;
  /** Whether a text holds a private key that can be used as it is, without a passphrase. */
  judgePrivateKey(pem: SecretBytes): PrivateKeyVerdict;
  /** Whether a private key is that of the first certificate. Both have been judged. */
  belongTogether(certificates: string, key: SecretBytes): boolean;
}

/** The kind of a text that should contain a private key. */
export type PrivateKeyVerdict = "usable" | "unusable" | "no PEM text";

/** Signals that are sent to the wrapper. */
export interface ArrivedSignal {
  /** Its number; signal(7). */
  readonly signal: number;
  /** `outside`: a process that this PID namespace does not show, as a container's runtime. */
  readonly from: "kernel" | "process" | "outside";
  /** Its value of sigqueue(3), if it has one. */
  readonly value: bigint | undefined;
}

/** The signals of the wrapper itself. */
export interface SignalSource {
  /**
   * Hands on every signal but SIGCHLD, and SIGURG of the kernel: first those that have waited, in
   * their order. The process lives on from here until it exits. To be called once.
   */
  open(take: (arrived: ArrivedSignal) => void): void;
  /** Calls back on SIGCHLD. */
  onChild(listener: () => void): void;
}

/** Starts couriers. */
export interface CourierStarter {
  /** Starts one; resolves with its pid before it has done anything that a tracer must see. */
  start(birth: CourierBirth): Promise<number>;
}

/** The inputs of a courier. */
export interface CourierBirth {
  /** The words after its name: numbers of descriptors, then those of the program. */
  readonly words: readonly Uint8Array[];
  readonly environment: readonly EnvironmentEntry[];
  /** Descriptors above 2 that it has, under the same numbers. */
  readonly descriptors: readonly number[];
  /** The signals that it blocks. */
  readonly blockedSignals: SignalSet;
  /** True if it can be traced, by this process at least, when `start` resolves. */
  readonly mayTrace: boolean;
}
