import { parseHint } from "@svc/protocol";
import { hmacSha256 } from "@svc/secret-bytes";
import type { HintAnswer } from "../hint-answer.ts";
import { HintHub } from "../hint-hub.ts";
import type { Subscription } from "../subscription.ts";
import { noteFound, type WatchedPath } from "../subscription.ts";
import { SubscriptionBook } from "../subscription-book.ts";

/** A hint as a wrapper got it, whose MAC is right. */
export interface Said {
  readonly uid: string;
  readonly news: string;
  readonly validMs: number;
  readonly sequence: number;
  readonly atMs: number;
}

/** The key of a pod in tests. */
export function keyOf(uid: string): string {
  return Buffer.from(hmacSha256(new Uint8Array(32), [uid]), "hex").toString("hex");
}

/** A version that is there. */
export function foundVersion(version: number, more: object = {}) {
  return { version, stamp: `made ${version}`, isUsable: true, ...more };
}

/** A hub by a clock that the test moves, and the wrappers that it says hints to. */
export function hubStage(
  answer: (uid: string) => HintAnswer | Promise<HintAnswer> = () => ({ outcome: "taken" }),
) {
  const said: Said[] = [];
  const counted: string[] = [];
  const clock = { nowMs: 1_000_000 };
  const book = new SubscriptionBook(() => undefined);
  const hub = new HintHub({
    book,
    nowMs: () => clock.nowMs,
    dateMs: () => 5000,
    count: (news, outcome) => counted.push(`${news} ${outcome}`),
    send: async (to, header) => {
      const { uid } = to as Subscription;
      const read = parseHint(header);
      if (read === undefined) throw new TypeError(`not a hint: ${header}`);
      const text = header.slice(0, header.lastIndexOf(" "));
      const isOwn = hmacSha256(Buffer.from(keyOf(uid), "hex"), [text]) === read.mac;
      if (!isOwn) throw new TypeError("the MAC is of another key");
      said.push({ uid, ...read.hint, atMs: clock.nowMs });
      return answer(uid);
    },
  });
  const subscribe = (uid: string, secrets: Readonly<Record<string, number>>, port = 8199) => {
    const list = Object.entries(secrets).map(([path, version]) => ({ path, version }));
    const place = { uid, address: "192.0.2.1", port, tls: false, key: keyOf(uid) };
    const put = book.put({ ...place, secrets: list }, clock.nowMs);
    if (typeof put === "string") throw new TypeError(put);
    hub.subscribed(put);
    return put;
  };
  const pathOf = (text: string): WatchedPath => {
    const all = [...book.mounts()].flatMap(({ paths }) => [...paths.values()]);
    const path = all.find(({ dataPath }) => dataPath === text);
    if (path === undefined) throw new TypeError(`no subscription names ${text}`);
    return path;
  };
  return {
    ...{ said, counted, clock, book, hub, subscribe, pathOf },
    /** A look finds a version; undefined finds none. */
    look: (text: string, found: Parameters<typeof noteFound>[1]) => {
      const path = pathOf(text);
      if (noteFound(path, found, clock.nowMs)) hub.looked([path]);
    },
    /** Time goes on, tick by tick. */
    pass: async (ms: number, everyTick: () => void = () => undefined) => {
      for (const endMs = clock.nowMs + ms; clock.nowMs < endMs; ) {
        clock.nowMs += 100;
        everyTick();
        hub.tick();
        await Promise.resolve();
        await Promise.resolve();
        await Promise.resolve();
        await Promise.resolve();
      }
    },
    newsOf: (uid: string) => said.filter((hint) => hint.uid === uid).map(({ news }) => news),
  };
}
