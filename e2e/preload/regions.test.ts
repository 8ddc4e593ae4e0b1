import { describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { placeholderValue } from "@svc/protocol";
import { temporaryFolder } from "@svc/testing";
import { interposer } from "../harness/programs/preload-stage.ts";
import { variantOf } from "../harness/programs/program-variants.ts";
import { shownDelivery } from "../harness/wrapper/shown-delivery.ts";

const VECTORS = resolve(import.meta.dir, "../../formats/vectors");
const COMPLAINT = "SVC_SECRET_FD names no secret region";
const SHOWN = 7;
const REFUSED = 125;

/** A case of cases.json: the entries of the region, or the code of its error. */
interface RegionCase {
  readonly name: string;
  readonly file: string;
  /** A value that is not a text is given in another form, and looked at by other tests. */
  readonly entries?: readonly { readonly key: string; readonly value?: string }[];
}

const cases = ["region", "reloadable-region"].flatMap((format) =>
  casesOf(format).map((found) => ({ ...found, format })),
);

for (const library of ["glibc, dynamic", "musl, dynamic"] as const) {
  describe(`the interposer in a program of ${library}`, () => {
    for (const { format, name, file, entries } of cases) {
      test(`${entries === undefined ? "refuses" : "reads"} a ${format} with ${name}`, () => {
        using folder = temporaryFolder();
        const region = join(folder.path, "region");
        copyFileSync(join(VECTORS, format, file), region);
        const keys = entries?.map(({ key }) => key) ?? ["KEY"];
        const ended = startedWith({ library, region, keys });
        if (entries === undefined) return expectRefused(ended);
        expect(ended).toMatchObject({ exitCode: SHOWN, stderr: "" });
        const { variables } = shownDelivery(ended.stdout, ended.stderr);
        const found = Object.fromEntries(keys.map((key) => [key, variables.get(key)]));
        expect(found).toMatchObject(expectedOf(entries));
      });
    }

    for (const [name, descriptor] of Object.entries({ closed: "77", "standard input": "0" })) {
      test(`does not start the program if the descriptor is ${name}`, () => {
        expectRefused(startedWith({ library, keys: ["KEY"], descriptor }));
      });

      test(`leaves the program alone if the descriptor is ${name} and nothing is expected`, () => {
        const ended = startedWith({ library, keys: [], descriptor });
        expect(ended.exitCode).toBe(SHOWN);
        expect(ended.stderr).toContain(COMPLAINT);
      });
    }

    const numbers = {
      "no number": "seven",
      "an empty value": "",
      "a negative number": "-1",
      "a number beyond every limit": "99999999999999999999",
    };
    for (const [name, descriptor] of Object.entries(numbers)) {
      test(`leaves the program alone if SVC_SECRET_FD is ${name}`, () => {
        const ended = startedWith({ library, keys: [], descriptor });
        expect(ended).toMatchObject({ exitCode: SHOWN, stderr: "" });
      });
    }
  });
}

/** The vectors are this repository's own, written by scripts/generate. */
function casesOf(format: string): readonly RegionCase[] {
  const text = readFileSync(join(VECTORS, format, "cases.json"), "utf8");
  return (JSON.parse(text) as { readonly cases: readonly RegionCase[] }).cases;
}

/** A program that would take a placeholder for its password must not run. */
function expectRefused(ended: ReturnType<typeof startedWith>): void {
  expect(ended.exitCode).toBe(REFUSED);
  expect(ended.stderr).toContain(COMPLAINT);
  expect(ended.stdout.toString()).toBe("");
}

/**
 * The values that the program finds, without those of several lines or of bytes that are not text.
 */
function expectedOf(entries: NonNullable<RegionCase["entries"]>): Readonly<Record<string, string>> {
  const plain = entries.filter(({ value }) => value !== undefined && /^[ -~]*$/.test(value));
  return Object.fromEntries(plain.map(({ key, value }) => [key, value ?? ""]));
}

interface Start {
  readonly library: "glibc, dynamic" | "musl, dynamic";
  readonly region?: string;
  readonly keys: readonly string[];
  readonly descriptor?: string;
}

// The region, the program, and its environment.
const script = 'region=$1; program=$2; shift 2; exec 100<>"$region"; exec env "$@" "$program"';

/** Starts the program as a courier would: an open descriptor, placeholders, the two variables. */
function startedWith({ library, region = "/dev/null", keys, descriptor = "100" }: Start) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ["bash", "-c", script, "bash"].concat(
      [region, variantOf(library)],
      [`SVC_SECRET_FD=${descriptor}`, `LD_PRELOAD=${interposer}`],
      keys.map((key) => `${key}=${placeholderValue}`),
    ),
    { stdin: "ignore", env: { PATH: "/usr/bin:/bin" } },
  );
  return { exitCode, stdout, stderr: stderr.toString() };
}
