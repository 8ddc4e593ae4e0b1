import type { Log } from "@svc/logging";
import type { CertificateStore } from "../certificate-store.ts";
import type { Authority, Generation } from "../generation.ts";
import { certificateKeeper } from "../keep-certificates.ts";
import { KeyPem } from "../key-pem.ts";
import type { RotationRules, RotationStep } from "../next-step.ts";
import { noCertificates, type StoredCertificates } from "../stored-certificates.ts";
import type { OwnWebhook, WebhookTrustClient } from "../webhook-trust.ts";
import type { SeededRandom } from "./seeded-random.ts";

const SECOND_MS = 1000;
export const DAY_MS = 86_400_000;
export const rules: RotationRules = {
  names: ["svc-operator.svc-system.svc"],
  lifeMs: 30 * DAY_MS,
  overlapMs: 300 * SECOND_MS,
  urgentOverlapMs: 30 * SECOND_MS,
};

/** A request of a leader that has been sent and not been answered yet. */
interface Pending {
  /** Has the server do it; the leader hears of it unless it has died by then. */
  readonly perform: () => void;
  isHeard: boolean;
}

/** A process that believes to lead. Several may, which elections make rare and do not exclude. */
interface Leader {
  pending: Pending | undefined;
  isHalted: boolean;
  lastStep: RotationStep["kind"] | undefined;
}

/** A cluster of the Secret, one webhook and some replicas, in which everything happens one after the other, by chance. */
export class RotationContext {
  readonly #random: SeededRandom;
  wallMs = Date.parse("2026-01-01T00:00:00Z");
  steadyMs = 0;
  /** Undefined if there is no Secret. */
  secret: StoredCertificates | undefined;
  bundle: readonly Authority[] = [];
  hasOther = false;
  readonly served: (Generation | undefined)[] = [undefined, undefined, undefined];
  readonly leaders: Leader[] = [];
  /** Since when an authority is in the bundle, by `steadyMs`. */
  readonly #since = new Map<string, number>();
  #bundleVersion = 0;
  #secretVersion = 0;
  #made = 0;

  /** After everything that happens. */
  readonly onEvent: (what: string) => void;

  constructor(random: SeededRandom, onEvent: (context: RotationContext, what: string) => void) {
    this.#random = random;
    this.onEvent = (what) => onEvent(this, what);
  }

  startLeader(): void {
    const leader: Leader = { pending: undefined, isHalted: false, lastStep: undefined };
    this.leaders.push(leader);
    const turn = <T>(effect: () => T): Promise<T> => {
      const { promise, resolve } = Promise.withResolvers<T>();
      const pending: Pending = {
        isHeard: true,
        perform: () => {
          const result = effect();
          if (pending.isHeard) resolve(result);
        },
      };
      leader.pending = pending;
      return promise;
    };
    const log: Log = () => undefined;
    const keeper = certificateKeeper({
      ...{ rules, log, store: this.#store(turn), webhooks: this.#webhooks(turn) },
      make: () => turn(() => this.#make()),
      metrics: { served: () => undefined, rotated: () => undefined, patchFailed: () => undefined },
      clock: { wallMs: () => this.wallMs, steadyMs: () => this.steadyMs },
    });
    const { signal } = new AbortController();
    const lead = async () => {
      for (;;) {
        const { kind } = await keeper(signal);
        leader.lastStep = kind;
        if (kind === "wait") await turn(() => undefined);
      }
    };
    void lead();
  }

  /** Has the server answer one leader. */
  async answer(leader: Leader): Promise<void> {
    const { pending } = leader;
    leader.pending = undefined;
    pending?.perform();
    // The leader's reaction to the answer up to its next request.
    await Bun.sleep(0);
    this.onEvent("a leader's request");
  }

  /** Kills a leader, whose last request may have reached the server. */
  kill(leader: Leader, isReached: boolean): void {
    this.leaders.splice(this.leaders.indexOf(leader), 1);
    if (leader.pending === undefined) return;
    leader.pending.isHeard = false;
    if (isReached) leader.pending.perform();
    this.onEvent("the last request of a dead leader");
  }

  /** A replica looks into the Secret. */
  poll(index: number): void {
    const slot = (this.secret ?? noCertificates).current;
    if (slot.kind !== "usable" || slot.generation.expiresMs <= this.wallMs) return;
    this.served[index] = slot.generation;
    this.onEvent(`replica ${index} looked`);
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.steadyMs += ms;
  }

  setBundle(authorities: readonly Authority[], hasOther = false): void {
    const ids = new Set(authorities.map(({ id }) => id));
    for (const id of [...this.#since.keys()]) if (!ids.has(id)) this.#since.delete(id);
    for (const id of ids) if (!this.#since.has(id)) this.#since.set(id, this.steadyMs);
    this.bundle = authorities;
    this.hasOther = hasOther;
    this.#bundleVersion += 1;
  }

  setSecret(stored: StoredCertificates | undefined): void {
    this.secret = stored;
    this.#secretVersion += 1;
  }

  /** For how long an authority has been trusted. */
  trustedForMs({ id }: Authority): number {
    const since = this.#since.get(id);
    return since === undefined ? -1 : this.steadyMs - since;
  }

  #make(): Generation {
    this.#made += 1;
    const id = Array.from({ length: 4 }, () =>
      this.#random.below(256).toString(16).padStart(2, "0"),
    );
    const expiresMs = this.wallMs + rules.lifeMs;
    const authority = { id: `ca-${this.#made}`, pem: "", expiresMs, isOwn: true };
    const key = new KeyPem("");
    const { names } = rules;
    return {
      id: [...id, this.#made].join(":"),
      certificatePem: "",
      key,
      authority,
      names,
      expiresMs,
    };
  }

  #store(turn: Turn): CertificateStore {
    const versionOf = () => (this.secret === undefined ? undefined : String(this.#secretVersion));
    return {
      name: "secret",
      read: () =>
        turn(() => ({ stored: this.secret ?? noCertificates, resourceVersion: versionOf() })),
      write: (stored, over) =>
        turn(() => {
          if (over.resourceVersion !== versionOf()) return false;
          this.setSecret(stored);
          return true;
        }),
    };
  }

  #webhooks(turn: Turn): WebhookTrustClient {
    return {
      name: "webhooks",
      read: () =>
        turn((): readonly OwnWebhook[] => [
          {
            ...{
              configuration: "c",
              name: "w",
              index: 0,
              resourceVersion: String(this.#bundleVersion),
              ...{ uid: "u", bundle: this.bundle.map(({ pem }) => pem).join("") },
            },
            ...{ authorities: this.bundle, hasOther: this.hasOther },
          },
        ]),
      publish: ([webhook], authorities) =>
        turn(() => {
          if (webhook?.resourceVersion !== String(this.#bundleVersion)) return false;
          this.setBundle(authorities);
          return true;
        }),
    };
  }
}

type Turn = <T>(effect: () => T) => Promise<T>;
