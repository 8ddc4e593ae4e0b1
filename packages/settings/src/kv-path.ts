import { accepted, type Parsed, type Parser, refused } from "./parsed.ts";
import { hasPlainSegments, withoutOuterSlashes } from "./path-segments.ts";
import { namesOf } from "./table-names.ts";

/**
 * The engines that secrets come from: the closed set, for every package. `kv` is KV version 2. Each
 * read of a `dynamic` one makes a new secret with a lease.
 */
export type SecretEngine = "kv" | "dynamic";

/** A secret of an engine. */
export interface KvPath {
  /** `mount/data/path`, or any path of a dynamic engine; without a slash at either end. */
  readonly path: string;
  /** The version to read, from 1; the newest if absent. */
  readonly version?: number;
  /** `kv` if absent. */
  readonly engine?: SecretEngine;
}

/** Its name and a colon stand before the path. */
type PrefixedEngine = Exclude<SecretEngine, "kv">;

const wanted = "a path of the form mount/data/path";

const parsers: Readonly<Record<PrefixedEngine, Parser<KvPath>>> = {
  dynamic: parseDynamicPath,
};

/**
 * Parses `mount/data/path`, with `#version` behind it to pin a version, or `dynamic:path`, which is
 * read as it is: `dynamic:database/creds/app`.
 */
export function parseKvPath(text: string): Parsed<KvPath> {
  const engine = namesOf(parsers).find((name) => text.startsWith(`${name}:`));
  if (engine !== undefined) return parsers[engine](text.slice(engine.length + 1));
  if (!text.includes("#") && isComplete(text)) return accepted({ path: text });
  const [path = "", versionText, ...rest] = text.split("#");
  const faultOfPath = pathFault(path);
  if (faultOfPath !== undefined) return faultOfPath;
  if (versionText === undefined) return accepted({ path });
  const version = Number(versionText);
  if (rest.length > 0 || !/^[1-9]\d*$/.test(versionText) || !Number.isSafeInteger(version)) {
    return refused("a path whose # is followed by a version number from 1", {
      hint: "the names of fields belong in the environment map",
    });
  }
  return accepted({ path, version });
}

function parseDynamicPath(path: string): Parsed<KvPath> {
  if (path.includes("#")) return refused("a dynamic path without #, for it has no versions");
  const complete = path.includes("/") && !path.includes("*") && hasPlainSegments(path);
  return complete
    ? accepted({ path, engine: "dynamic" })
    : refused("a dynamic path of the form dynamic:mount/path");
}

function pathFault(path: string) {
  if (path.includes("*")) {
    return refused("the path of one secret, without *", {
      hint: "to deliver every field of a secret, map it with *=PREFIX_*",
    });
  }
  if (isComplete(path)) return undefined;
  const repaired = repairedPath(path);
  return refused(wanted, repaired === undefined ? {} : { hint: `write ${repaired}` });
}

/** A mount, `/data/`, and a path behind it. */
function isComplete(path: string): boolean {
  const at = path.indexOf("/data/");
  const hasAll = at > 0 && path.length > at + "/data/".length;
  return hasAll && !path.includes("*") && hasPlainSegments(path);
}

/** The probable correction of a path without `/data/`. */
function repairedPath(path: string): string | undefined {
  const trimmed = withoutOuterSlashes(path).replace(/^v1\//, "");
  const [mount, second, ...rest] = trimmed.split("/");
  if (mount === undefined || mount === "data" || second === undefined) return undefined;
  if (trimmed.length > 80 || !hasPlainSegments(trimmed)) return undefined;
  if (trimmed.includes("/data/")) return trimmed;
  if (second === "data") return undefined;
  if (second === "metadata")
    return rest.length > 0 ? [mount, "data", ...rest].join("/") : undefined;
  return [mount, "data", second, ...rest].join("/");
}
