import { describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { placeholderValue } from "@svc/protocol";
import { temporaryFolder } from "@svc/testing";
import { variantOf } from "../wrapper/program-variants.ts";
import { shownDelivery } from "../wrapper/shown-delivery.ts";
import { interposer } from "./preload-stage.ts";

const VECTORS = resolve(import.meta.dir, "../../vectors/region");
const COMPLAINT = "SVC_SECRET_FD names no secret region";
const SHOWN = 7;

/** A case of vectors/region/cases.json: what is in the region, or the code of what is wrong with it. */
interface RegionCase {
  readonly name: string;
  readonly file: string;
  /** A value that is no text is given in another form, and looked at by other tests. */
  readonly entries?: readonly { readonly key: string; readonly value?: string }[];
}

// The vectors are this repository's own, written by scripts/generate/region-vectors.ts.
const { cases } = JSON.parse(readFileSync(join(VECTORS, "cases.json"), "utf8")) as {
  readonly cases: readonly RegionCase[];
};

for (const library of ["glibc, dynamic", "musl, dynamic"] as const) {
  describe(`the interposer in a program of ${library}`, () => {
    for (const { name, file, entries } of cases) {
      test(`${entries === undefined ? "refuses" : "reads"} a region with ${name}`, () => {
        using folder = temporaryFolder();
        const region = join(folder.path, "region");
        copyFileSync(join(VECTORS, file), region);
        const keys = entries?.map(({ key }) => key) ?? ["KEY"];
        const { shown, stderr } = startedWith({ library, region, keys });
        expect(stderr.includes(COMPLAINT)).toBe(entries === undefined);
        const found = Object.fromEntries(keys.map((key) => [key, shown.variables.get(key)]));
        expect(found).toMatchObject(expectedOf(entries));
      });
    }

    const descriptors: readonly (readonly [name: string, value: string, complains: boolean])[] = [
      ["no number", "seven", false],
      ["an empty value", "", false],
      ["a negative number", "-1", false],
      ["a number beyond every limit", "99999999999999999999", false],
      ["a closed descriptor", "77", true],
      ["standard input", "0", true],
    ];
    for (const [name, value, complains] of descriptors) {
      test(`leaves the program alone where SVC_SECRET_FD is ${name}`, () => {
        const { shown, stderr } = startedWith({ library, keys: ["KEY"], descriptor: value });
        expect(stderr.includes(COMPLAINT)).toBe(complains);
        expect(shown.variables.get("KEY")).toBe("svc:protected");
      });
    }
  });
}

/** What the program finds; a value of several lines or of bytes that are no text is left out. */
function expectedOf(entries: RegionCase["entries"]): Readonly<Record<string, string>> {
  if (entries === undefined) return { KEY: placeholderValue };
  const plain = entries.filter(({ value }) => value !== undefined && /^[ -~]*$/.test(value));
  return Object.fromEntries(plain.map(({ key, value }) => [key, value ?? ""]));
}

interface Start {
  readonly library: "glibc, dynamic" | "musl, dynamic";
  readonly region?: string;
  readonly keys: readonly string[];
  readonly descriptor?: string;
}

// The region, the program, and what it finds in its environment.
const script = 'region=$1; program=$2; shift 2; exec 100<>"$region"; exec env "$@" "$program"';

/** Starts the program as a courier would: an open descriptor, placeholders, the two variables. */
function startedWith({ library, region = "/dev/null", keys, descriptor = "100" }: Start) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ["bash", "-c", script, "bash"].concat(
      [region, variantOf(library)],
      [`SVC_SECRET_FD=${descriptor}`, `LD_PRELOAD=${interposer}`],
      keys.map((key) => `${key}=svc:protected`),
    ),
    { stdin: "ignore", env: { PATH: "/usr/bin:/bin" } },
  );
  expect(exitCode, stderr.toString()).toBe(SHOWN);
  return { shown: shownDelivery(stdout, stderr.toString()), stderr: stderr.toString() };
}
