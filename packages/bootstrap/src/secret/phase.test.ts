import { describe, expect, test } from "bun:test";
import { parsePhase } from "./parse-phase.ts";
import { annotations } from "./secret-format.ts";
import type { SecretObject } from "./secret-object.ts";
import {
  initialising,
  readBack,
  reserved,
  resetting,
  storedKeys,
} from "./testdata/secret-objects.ts";
import { writePhase } from "./write-phase.ts";

describe("written content is read back", () => {
  const phases = [
    reserved,
    { ...reserved, resets: 3 },
    initialising,
    { ...initialising, beside: undefined, pod: { ...initialising.pod, containers: undefined } },
    resetting,
    { ...storedKeys, resets: 1 },
    storedKeys,
    { ...storedKeys, rootToken: undefined, clusterId: undefined },
    { ...storedKeys, encryption: { shares: "pgp" }, revoking: true } as const,
    { ...storedKeys, encryption: { shares: "age", rootToken: "pgp" }, configured: "x" } as const,
  ];
  for (const phase of phases) {
    test(`${phase.phase} with ${Object.values(phase).filter(Boolean).length} members`, () => {
      const content = writePhase(phase);
      const parsed = parsePhase(readBack(content));
      if (!("resets" in parsed)) throw new TypeError(parsed.phase);
      expect(parsed).toMatchObject({ ...phase });
      // Secrets look alike: their bytes are compared.
      expect(writePhase(parsed)).toEqual(content);
    });
  }
});

test("no Secret is absent", () => {
  expect(parsePhase(undefined)).toEqual({ phase: "absent" });
});

describe("empty is", () => {
  const untouched = readBack({ ...writePhase(reserved), annotations: {} });
  test("one of our type with nothing in it", () => {
    expect(parsePhase(untouched)).toEqual({ phase: "empty" });
  });
  test("also one that others have noted something at", () => {
    const noted = { "meta.helm.sh/release-name": "svc" };
    expect(parsePhase({ ...untouched, annotations: noted })).toEqual({ phase: "empty" });
  });
});

test("a foreign label does no harm", () => {
  const labels = { team: "shop" };
  expect(parsePhase(readBack(writePhase(reserved), { labels })).phase).toBe("reserved");
});

describe("foreign is", () => {
  const inReserved = readBack(writePhase(reserved));
  const inKeys = readBack(writePhase(storedKeys));
  const bytes = (text: string) => new TextEncoder().encode(text);
  const noted = (object: SecretObject, name: string, text?: string): SecretObject => {
    const { [name]: _, ...rest } = object.annotations;
    return { ...object, annotations: text === undefined ? rest : { ...rest, [name]: text } };
  };
  const holding = (object: SecretObject, key: string, value?: string): SecretObject => {
    const data = new Map(object.data);
    if (value === undefined) data.delete(key);
    else data.set(key, bytes(value));
    return { ...object, data };
  };
  const bare = (name?: string): SecretObject => ({
    ...inReserved,
    annotations: name === undefined ? {} : { [name]: "x" },
  });
  const cases: readonly (readonly [name: string, object: SecretObject, why: string])[] = [
    ["another type", { ...inKeys, type: "Opaque" }, 'its type is "Opaque"'],
    ["one that is being deleted", { ...inKeys, deleting: true }, "being deleted"],
    ["keys that were taken out", { ...inKeys, data: new Map() }, "taken out"],
    ["one without a phase", noted(inKeys, annotations.phase), "no annotation svc.internal/phase"],
    ["an unknown phase", noted(inKeys, annotations.phase, "done"), 'is "done"'],
    [
      "an annotation of ours alone",
      bare(annotations.clusterId),
      "no annotation svc.internal/phase",
    ],
    ["data alone", holding(bare(), "x", "y"), "no annotation svc.internal/phase"],
    ["nothing in one of another type", { ...bare(), type: "Opaque" }, 'its type is "Opaque"'],
    ["nothing in an immutable one", { ...bare(), immutable: true }, "immutable"],
    [
      "one that is being initialised, at no pod",
      noted(readBack(writePhase(initialising)), annotations.pod, "store-0"),
      'svc.internal/pod is "store-0", no pod',
    ],
    [
      "one that is being reset, with no claim",
      noted(readBack(writePhase(resetting)), annotations.claim, "data"),
      'svc.internal/claim is "data", no claim',
    ],
    [
      "an unknown number of resets",
      noted(inKeys, annotations.resets, "x"),
      'svc.internal/resets is "x"',
    ],
    ["an unknown cipher", noted(inKeys, annotations.sharesEncrypted, "rot13"), 'is "rot13"'],
    ["no cipher's name", noted(inKeys, annotations.rootTokenEncrypted, ""), "neither pgp nor age"],
    ["an unknown state of the token", noted(inKeys, annotations.rootToken, "new"), 'is "new"'],
    [
      "a reservation without a holder",
      noted(inReserved, annotations.holder),
      "svc.internal/holder",
    ],
    ["a reservation of no time", noted(inReserved, annotations.reservedAt, "now"), "no time"],
    ["a reservation with data", holding(inReserved, "x", "y"), "there is data in it"],
    ["no number of shares", noted(inKeys, annotations.shares), "svc.internal/shares"],
    ["no share", noted(inKeys, annotations.shares, "0"), "not a number from 1 to 255"],
    ["too many shares", noted(inKeys, annotations.shares, "256"), "not a number from 1 to 255"],
    ["a number in words", noted(inKeys, annotations.shares, "three"), "not a number"],
    ["a threshold above the shares", noted(inKeys, annotations.threshold, "4"), "from 1 to 3"],
    ["a share less", holding(inKeys, "unseal-key-2"), "no unseal-key-2"],
    ["a share more", holding(inKeys, "unseal-key-4", "x"), "5 entries in its data, not 4"],
    ["an empty share", holding(inKeys, "unseal-key-2", ""), "its unseal-key-2 is not"],
    ["a share with a newline", holding(inKeys, "unseal-key-2", "abc\n"), "its unseal-key-2 is not"],
    ["a token of other characters", holding(inKeys, "root-token", "s.ä"), "its root-token is not"],
  ];
  for (const [name, object, why] of cases) {
    test(name, () => {
      expect(parsePhase(object)).toEqual({ phase: "foreign", why: expect.stringContaining(why) });
    });
  }
});

test("no key is in a label or an annotation", () => {
  const { labels, annotations: noted, data } = writePhase(storedKeys);
  const shown = JSON.stringify([labels, noted]);
  const texts = [...data.values()].map((value) => new TextDecoder().decode(value));
  expect(texts.filter((text) => shown.includes(text))).toEqual([]);
});
