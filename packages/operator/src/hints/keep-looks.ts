import { type Log, type pause, unexpected } from "@svc/logging";
import { VaultError } from "@svc/vault";
import type { LookOutcome, LookWay } from "../admission/hint-outcomes.ts";
import { unrepeatedLog } from "../unrepeated-log.ts";
import type { BusyBudget } from "./busy-budget.ts";
import type { HintVault } from "./hint-vault.ts";
import { lookWay } from "./look-way.ts";
import { noteFound, type WatchedMount, type WatchedPath } from "./subscription.ts";
import { type UsualTime, usualTime } from "./usual-time.ts";
import type { VaultAway } from "./vault-away.ts";

/** The parts of looks. */
export interface LookParts {
  readonly vault: HintVault;
  readonly budget: BusyBudget;
  readonly away: VaultAway;
  /** Paths about which subscribers want to hear. */
  readonly onNews: (paths: readonly WatchedPath[]) => void;
  readonly count: (way: LookWay, outcome: LookOutcome) => void;
  readonly log: Log;
  /** As `performance.now`. */
  readonly nowMs: () => number;
  readonly pause: typeof pause;
}

const PERIOD_MS = 1000;
/** Measured: the time of a vault for one path, and for a scan of few. */
const least: Readonly<Record<LookWay, number>> = { metadata: 0.7, scan: 2 };
const READS_AT_ONCE = 4;
const SCAN_AGAIN_MS = 3_600_000;
const READ_AGAIN_MS = 60_000;

/** Looks at the mounts that it is given, each until nothing of it is used or the signal. */
export class LookKeeper {
  readonly #parts: LookParts;
  readonly #signal: AbortSignal;
  readonly #trouble: ReturnType<typeof unrepeatedLog>;
  readonly #running = new Set<Promise<void>>();
  readonly #readTime = usualTime(least.metadata);
  #isTroubled = false;
  #foundMs: number | undefined;

  constructor(parts: LookParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    this.#trouble = unrepeatedLog(parts.log, parts.nowMs);
  }

  /** When a look succeeded last; undefined before the first one. */
  get foundMs(): number | undefined {
    return this.#foundMs;
  }

  /** Begins. Never throws. */
  watch(mount: WatchedMount): void {
    const running = this.#keep(mount).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolved when all have ended, after the signal. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #keep(mount: WatchedMount): Promise<void> {
    const { nowMs } = this.#parts;
    let said: LookWay | undefined;
    let beganMs: number | undefined;
    // The subscription that made the mount is put into it first.
    await Promise.resolve();
    while (!this.#signal.aborted && mount.paths.size > 0) {
      await this.#rest(this.#parts.away.waitMs(nowMs()));
      const startMs = nowMs();
      const way = lookWay({ ...waysOf(mount), used: mount.paths.size }, startMs);
      if (await this.#look(mount, way)) {
        mount.cycleMs = beganMs === undefined ? undefined : startMs - beganMs;
        beganMs = startMs;
        if (said !== way) this.#sayWay(mount, way);
        said = way;
      } else {
        mount.cycleMs = undefined;
        beganMs = undefined;
      }
      await this.#rest(startMs + PERIOD_MS - nowMs());
    }
  }

  async #rest(ms: number): Promise<void> {
    await this.#parts.pause(ms, this.#signal);
  }

  #sayWay({ text, paths, total }: WatchedMount, way: LookWay): void {
    const counts = { mount: text, used: paths.size, ...(total !== undefined && { total }) };
    this.#parts.log("info", `versions for hints are looked up by ${way}`, counts);
  }

  /** True if it has come to its end. */
  async #look(mount: WatchedMount, way: LookWay): Promise<boolean> {
    return way === "scan" ? await this.#scan(mount) : await this.#readAll(mount);
  }

  async #scan(mount: WatchedMount): Promise<boolean> {
    const { vault, nowMs } = this.#parts;
    const answer = await this.#ask("scan", mount.scanTime, () => vault.scan(mount.text));
    if (answer.kind === "failed") return false;
    if (answer.kind === "unknown") {
      mount.scanRefusedUntilMs = nowMs() + SCAN_AGAIN_MS;
      mount.total = undefined;
      const why = answer.error.message;
      this.#parts.log("info", `scan for hints is not used: ${why}`, { mount: mount.text });
      return false;
    }
    mount.total = answer.found.size;
    mount.scannedMs = answer.askedMs;
    const paths = [...mount.paths.values()];
    this.#parts.onNews(
      paths.filter((path) => noteFound(path, answer.found.get(path.name), answer.askedMs)),
    );
    return true;
  }

  async #readAll(mount: WatchedMount): Promise<boolean> {
    const round = new Set(mount.paths.values());
    let isWhole = true;
    const reader = async (): Promise<void> => {
      while (isWhole && !this.#signal.aborted) {
        const awaited = takeAwaited(mount, this.#parts.nowMs());
        const path = awaited ?? firstOf(round);
        if (path === undefined) return;
        round.delete(path);
        isWhole &&= await this.#read(path, awaited !== undefined);
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, reader));
    return isWhole;
  }

  /** False if the vault is away. */
  async #read(path: WatchedPath, isAwaited: boolean): Promise<boolean> {
    const { vault, nowMs, onNews } = this.#parts;
    if (path.subscribers.size === 0 || nowMs() < path.skippedUntilMs) return true;
    const answer = await this.#ask("metadata", this.#readTime, () => vault.read(path.dataPath));
    if (answer.kind === "failed") {
      if (isAwaited && path.subscribers.size > 0) path.mount.awaited.add(path);
      return false;
    }
    if (answer.kind === "unknown") {
      path.skippedUntilMs = nowMs() + READ_AGAIN_MS;
      // A secret that is there no more; of a path that is refused nothing is known.
      if (answer.error.code !== "NOT_FOUND") return true;
    }
    const found = answer.kind === "found" ? answer.found : undefined;
    const isNews = noteFound(path, found, answer.askedMs);
    if (isNews || isAwaited) onNews([path]);
    return true;
  }

  async #ask<T>(way: LookWay, usual: UsualTime, ask: () => Promise<T>): Promise<Asked<T>> {
    const { budget, away, nowMs, count } = this.#parts;
    const expectedMs = usual.ms();
    await this.#rest(budget.reserve(nowMs(), expectedMs));
    if (this.#signal.aborted) return { kind: "failed" };
    const askedMs = nowMs();
    const share = way === "scan" ? 1 : READS_AT_ONCE;
    const answered = () =>
      budget.correct(expectedMs, usual.note(Math.max((nowMs() - askedMs) / share, least[way])));
    try {
      const found = await ask();
      answered();
      this.#foundMs = askedMs;
      this.#over();
      count(way, "found");
      return { kind: "found", found, askedMs };
    } catch (error) {
      if (this.#signal.aborted) return { kind: "failed" };
      if (error instanceof VaultError && isAboutPath(error)) {
        answered();
        count(way, "unknown");
        return { kind: "unknown", error, askedMs };
      }
      count(way, "failed");
      away.failed(nowMs(), error instanceof VaultError ? error.retryAfterMs : undefined);
      this.#isTroubled = true;
      const why = error instanceof VaultError ? error.message : unexpected(error);
      this.#trouble.say("warn", `look up versions for hints: ${why}`);
      return { kind: "failed" };
    }
  }

  #over(): void {
    this.#parts.away.answered();
    if (!this.#isTroubled) return;
    this.#isTroubled = false;
    this.#trouble.over();
    this.#parts.log("info", "versions for hints can be looked up again", {});
  }
}

type Asked<T> =
  | { readonly kind: "found"; readonly found: T; readonly askedMs: number }
  | { readonly kind: "unknown"; readonly error: VaultError; readonly askedMs: number }
  | { readonly kind: "failed" };

/** Answers that say something about a path or a mount, and nothing about the vault. */
function isAboutPath({ code, path = "" }: VaultError): boolean {
  // The login and the operator's own settings: without it nothing can be looked at.
  if (path.startsWith("auth/")) return false;
  return ["DENIED", "NOT_FOUND", "BAD_REQUEST", "BAD_RESPONSE", "TOO_LARGE"].includes(code);
}

function waysOf({ total, scanRefusedUntilMs, scannedMs }: WatchedMount) {
  return { total, scanRefusedUntilMs, scannedMs };
}

function takeAwaited(mount: WatchedMount, nowMs: number): WatchedPath | undefined {
  for (const path of mount.awaited) {
    mount.awaited.delete(path);
    if (nowMs >= path.skippedUntilMs) return path;
  }
  return undefined;
}

function firstOf<T>(items: ReadonlySet<T>): T | undefined {
  const [first] = items;
  return first;
}
