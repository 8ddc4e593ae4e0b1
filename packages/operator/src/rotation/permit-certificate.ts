import { giveMemoryBack } from "@svc/kernel";
import type { KubernetesApi } from "@svc/kubernetes";
import { type Log, pause } from "@svc/logging";
import { certificateStore, type SecretPlace } from "../certificates/certificate-store.ts";
import type { Generation } from "../certificates/generation.ts";
import { makeGeneration } from "../certificates/make-generation.ts";
import { parseGeneration } from "../certificates/parse-generation.ts";
import { unrepeatedLog } from "../unrepeated-log.ts";

/** The certificate of the permits' server, in two tasks; neither rejects. */
export interface PermitCertificate {
  /** Called by every replica: gives the certificate, and each later one, until the signal. */
  readonly follow: (
    onCertificate: (generation: Generation) => void,
    signal: AbortSignal,
  ) => Promise<void>;
  /**
   * Called by every replica: makes it, unless one is good for long. In an upgrade the leader is a
   * replica of an earlier version, which does not know of it.
   */
  readonly keep: (signal: AbortSignal) => Promise<void>;
}

/** Which certificate. */
export interface PermitCertificateOptions {
  readonly api: Pick<KubernetesApi, "ask">;
  readonly secret: SecretPlace;
  /** DNS names by which wrappers reach the server. */
  readonly names: readonly string[];
  readonly log: Log;
}

const YEAR_MS = 365 * 24 * 3_600_000;
/**
 * A pod is given the authority when it is made, and lives for as long as it wants. Its key signs
 * one certificate and is gone. So both are good for longer than any pod lives.
 */
const LIFE_MS = 10 * YEAR_MS;
const RENEW_MS = YEAR_MS;
const [LOOK_MS, FIRST_LOOK_MS] = [10_000, 500];

/** Keeps the certificate in a Secret that the replicas share. */
export function permitCertificate(options: PermitCertificateOptions): PermitCertificate {
  const { names, log } = options;
  const store = certificateStore(options.api, options.secret);
  const isGood = ({ expiresMs, ...generation }: Generation): boolean =>
    expiresMs - Date.now() > RENEW_MS && names.every((name) => generation.names.includes(name));
  const repeat = async (look: () => Promise<boolean>, signal: AbortSignal): Promise<void> => {
    const trouble = unrepeatedLog(log);
    while (!signal.aborted) {
      let isThere = false;
      try {
        isThere = await look();
        trouble.over();
      } catch (error) {
        const why = error instanceof Error ? error.message : "it failed";
        trouble.say("warn", `look after the certificate of ${store.name}: ${why}`);
      }
      await pause(isThere ? LOOK_MS : FIRST_LOOK_MS, signal);
    }
  };
  return {
    follow: async (onCertificate, signal) => {
      let served: string | undefined;
      await repeat(async () => {
        const { current } = (await store.read()).stored;
        if (current.kind !== "usable") return false;
        const { generation } = current;
        if (generation.id !== served) onCertificate(generation);
        served = generation.id;
        return true;
      }, signal);
    },
    keep: async (signal) => {
      await repeat(async () => {
        const state = await store.read();
        const { current } = state.stored;
        if (current.kind === "usable" && isGood(current.generation)) return true;
        const pems = await makeGeneration({ names, lifeMs: LIFE_MS, nowMs: Date.now() });
        const made = parseGeneration(pems);
        giveMemoryBack();
        if (!made.ok) throw new TypeError(`make a certificate: ${made.problem}`);
        const generation = made.value;
        const next = { current: { kind: "usable", generation }, next: { kind: "empty" } } as const;
        if (await store.write({ ...next, old: [] }, state)) {
          log("info", "a certificate for rotation permits was made");
        }
        return true;
      }, signal);
    },
  };
}
