import type { RotationBy } from "@svc/protocol";
import type {
  DeliveryMethod,
  EveryMapping,
  FieldMapping,
  FileMapping,
  Following,
  KvPath,
  RotationMode,
  ServerTls,
  Supervision,
} from "@svc/settings";
import type { ProgramProbe } from "./program-probe.ts";
import type { VaultAuth } from "./vault-auth.ts";

/** The one field of a secret that matters: `value`, else its only field. */
export interface SoleMapping {
  readonly kind: "sole";
  readonly variable: string;
}

/** How a secret's fields become variables. */
export type SecretMapping = FieldMapping | EveryMapping | SoleMapping;

/** A secret to fetch. */
export interface SecretSource extends KvPath {
  /** Empty if the secret is fetched for the sake of searchedKeys, or of files. */
  readonly mappings: readonly SecretMapping[];
  /** The files that it gives; absent without any. */
  readonly files?: readonly FileMapping[];
}

/** The secrets to fetch, and their names. */
export interface SecretSettings {
  readonly sources: readonly SecretSource[];
  /**
   * Fields that are in exactly one of the sources without mappings, delivered as they are called.
   */
  readonly searchedKeys: readonly string[];
  /** True lets values through that still look like a reference. */
  readonly allowReferences: boolean;
}

/** The program. */
export type ProgramSettings =
  | { readonly kind: "arguments" /* the words after `--`, which are not repeated here */ }
  | { readonly kind: "variables"; readonly words: readonly string[] };

/** Where the health/unseal server listens. */
export interface HealthSettings {
  /** Empty for every address of the machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The node's address, if it is known: its probes come first. */
  readonly nodeIp?: string;
  readonly tls?: {
    readonly certPath: string;
    readonly keyPath: string;
    readonly clientCaPath?: string;
  };
}

/** How the program is asked whether it is ready, and at which address. */
export type AskedProgram = ProgramProbe & { readonly host: string };

/** The times of checks, and the action after a change. */
export interface RotationSettings {
  readonly mode: RotationMode;
  readonly renewalIntervalMs: number;
  /** The least that a rotation waits once a change was seen. */
  readonly debounceMs: number;
  /** The most that a rotation waits, at random, once a change was seen. */
  readonly splayMs: number;
  /** The least time between two rotations. */
  readonly minIntervalMs: number;
  /** How long secrets may go unchecked before the wrapper is not ready. */
  readonly staleAfterMs: number;
  /** The thing that a rotation by restart replaces. */
  readonly by: RotationBy;
  /** How long the program is said to drain before a rotation by restart ends it. */
  readonly drainMs: number;
  /** The wrapper checks when this file changes. Absent if it looks at no file. */
  readonly refreshPath?: string;
  /** Absent if the wrapper rotates without asking. */
  readonly permits?: PermitSettings;
  /** Absent if the operator is not asked for hints. */
  readonly hints?: HintSettings;
}

/** The operator's hints, which go the way of permits. */
export interface HintSettings {
  /** The mean pause between two checks while hints say that the secrets are the newest. */
  readonly intervalMs: number;
}

/** Where the wrapper asks before it replaces the program. */
export interface PermitSettings {
  /** https, without a slash at its end. */
  readonly address: string;
  /** PEM text. */
  readonly caPem: string;
  readonly tokenPath: string;
}

/** What happens when the program ends by itself. */
export interface RestartSettings {
  readonly policy: "never" | "on-failure" | "always";
  /** The longest pause before a restart. */
  readonly maxDelayMs: number;
}

/** How the program is registered with the kernel agent. */
export interface AgentSettings {
  readonly address?: string;
  readonly nodeIp?: string;
  readonly podUid?: string;
  /** Its names for people, in the agent's events. */
  readonly names: {
    readonly podName?: string;
    readonly podNamespace?: string;
    readonly containerName?: string;
  };
  /** True if the program does not start without it. */
  readonly required: boolean;
  /** For an agent behind TCP. */
  readonly tls: {
    readonly caPath?: string;
    readonly certPath?: string;
    readonly keyPath?: string;
    readonly serverName?: string;
    /** May be a file that is not there. */
    readonly tokenPath: string;
  };
}

/** The way to the vault. */
export interface VaultSettings {
  /** With scheme and port, without a slash at its end. */
  readonly address: string;
  readonly namespace?: string;
  /** The time limit of one request. */
  readonly requestTimeoutMs: number;
  readonly auth: VaultAuth;
  readonly tls: ServerTls;
}

/** The settings of the wrapper. Plain data: another process gets it as JSON. */
export interface WrapperSettings {
  /** Absent if every secret is a file. */
  readonly vault?: VaultSettings;
  readonly secrets: SecretSettings;
  readonly program: ProgramSettings;
  readonly rotation: RotationSettings;
  readonly restart: RestartSettings;
  readonly agent: AgentSettings;
  /** Absent if no server is wanted. */
  readonly health?: HealthSettings;
  /** False if the health port and the kernel agent show no path of a secret. */
  readonly showPaths: boolean;
  /** Absent if the program is not asked. */
  readonly readinessProbe?: AskedProgram;
  readonly memory: { readonly requireMlock: boolean; readonly requireMemfdSecret: boolean };
  readonly delivery: "auto" | DeliveryMethod;
  /** Present if no secret becomes a variable: all are files of SVC_FILE_MAP. */
  readonly onlyFiles?: true;
  /** How programs that the program executes get the values. */
  readonly follow: "auto" | Following;
  readonly passEnv: readonly string[];
  readonly stopGraceMs: number;
  /** The number of the signal that asks the program to end. */
  readonly stopSignal: number;
  /** `never`: the wrapper becomes the program. */
  readonly supervise: Supervision;
  /** The process with whose end the wrapper ends. */
  readonly parentPid?: number;
  readonly startDeadlineMs: number;
  readonly log: {
    readonly level: "debug" | "info" | "warn" | "error";
    readonly format: "auto" | "json" | "text";
  };
  readonly terminationLogPath: string;
}
