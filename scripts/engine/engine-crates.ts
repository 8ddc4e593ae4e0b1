import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Say } from "../results/steps.ts";
import { cargo } from "./toolchain/run-cargo.ts";

/** A crate that is compiled into the wrapper. */
export interface Crate {
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly licence: string;
  /** The folder of its sources. */
  readonly folder: string;
}

const ROOT = "svc-engine";

interface Metadata {
  readonly packages: readonly {
    readonly id: string;
    readonly name: string;
    readonly version: string;
    readonly license: string | null;
    readonly manifest_path: string;
    readonly source: string | null;
    readonly targets: readonly { readonly kind: readonly string[] }[];
  }[];
  readonly resolve: {
    readonly nodes: readonly {
      readonly id: string;
      readonly deps: readonly {
        readonly pkg: string;
        readonly dep_kinds: readonly { readonly kind: string | null }[];
      }[];
    }[];
  };
}

/**
 * The crates of others that are compiled into the wrapper, by name. Crates that only build it or
 * test it are not among them.
 *
 * @param target Rust's name of the machine.
 * @param say gets lines about the progress, if cargo has to be fetched.
 */
export function engineCrates(target: string, say: Say): Promise<readonly Crate[]> {
  const words = ["metadata", "--format-version=1"];
  return cargo({ words, target, say, capture: true }, ({ output }) =>
    compiledCrates(JSON.parse(output)),
  );
}

/** Those of cargo-metadata(1). */
export function compiledCrates({ packages, resolve: { nodes } }: Metadata): readonly Crate[] {
  const byId = new Map(packages.map((found) => [found.id, found]));
  const needs = new Map(nodes.map(({ id, deps }) => [id, deps]));
  const seen = new Set<string>();
  // Macros run in the compiler: neither they nor their crates are in the executable.
  const isMacro = (id: string) =>
    byId.get(id)?.targets.some(({ kind }) => kind.includes("proc-macro")) ?? false;
  const visit = (id: string): void => {
    if (seen.has(id) || isMacro(id)) return;
    seen.add(id);
    for (const { pkg, dep_kinds: kinds } of needs.get(id) ?? []) {
      if (kinds.some(({ kind }) => kind === null)) visit(pkg);
    }
  };
  const root = packages.find(({ name }) => name === ROOT);
  if (root === undefined) throw new Error(`read cargo's metadata: there is no ${ROOT}`);
  visit(root.id);
  const crates = [...seen].flatMap((id) => {
    const { name, version, license, manifest_path: path, source } = byId.get(id) ?? root;
    const folder = dirname(path);
    return source === null ? [] : [{ name, version, licence: license ?? "", folder }];
  });
  return crates.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

const licenceFile = /^(?:licen[cs]e|copying|copyright|notice)\b/i;

/**
 * The list of crates with their licences, and each text once: texts that differ in white space
 * alone count as one. Ends with a line feed.
 */
export function crateLicences(crates: readonly Crate[]): string {
  const found = new Map<string, { readonly text: string; readonly names: Set<string> }>();
  for (const crate of crates) {
    for (const path of licenceFiles(crate.folder)) {
      const text = readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim();
      const words = text.replaceAll(/\s+/g, " ");
      const entry = found.get(words) ?? { text, names: new Set() };
      found.set(words, entry);
      entry.names.add(`${crate.name} ${crate.version}`);
    }
  }
  const list = crates.map(({ name, version, licence }) => `${name} ${version}: ${licence}`);
  const texts = [...found.values()].map(({ text, names }) => {
    return `${"=".repeat(78)}\nOf ${[...names].join(", ")}:\n\n${text}`;
  });
  return `${["The crates in bin/svc-wrapper:", "", ...list, "", ...texts].join("\n")}\n`;
}

/** In the crate's folder, and one below it: rquickjs-sys has QuickJS's own in such a one. */
function licenceFiles(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = (at: string, names: readonly string[]) =>
    names.filter((name) => licenceFile.test(name)).map((name) => join(at, name));
  const own = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const below = entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => files(join(folder, name), readdirSync(join(folder, name))));
  return [...files(folder, own), ...below].sort();
}
