import { accepted, type Parsed, type Parser, type Refused, refused } from "./parsed.ts";
import { hasSafeSegments, withoutOuterSlashes } from "./path-segments.ts";
import { decodePercent, encodePercent } from "./percent-codes.ts";
import { namesOf } from "./table-names.ts";

/**
 * The engines that secrets come from: the closed set, for every package. `kv` is KV version 2. Each
 * read of a `dynamic` one makes a new secret with a lease. `file` names a file or a folder of this
 * machine, and needs no vault.
 */
export type SecretEngine = "kv" | "dynamic" | "file";

/** A secret of an engine. */
export interface KvPath {
  /**
   * `mount/data/path`, or any path of a dynamic engine, without a slash at either end; or the
   * absolute path of a file or folder, without one at its end.
   */
  readonly path: string;
  /** The version to read, from 1; the newest if absent. */
  readonly version?: number;
  /** `kv` if absent. */
  readonly engine?: SecretEngine;
}

/** Its name and a colon stand before the path. */
type PrefixedEngine = Exclude<SecretEngine, "kv">;

const wanted = "a path of the form mount/data/path";
/** PATH_MAX of limits.h has the NUL, too, and a folder's names come behind it. */
const MOST_FILE_PATH = 3800;

const parsers: Readonly<Record<PrefixedEngine, Parser<KvPath>>> = {
  dynamic: parseDynamicPath,
  file: parseSourceFile,
};

/**
 * Parses `mount/data/path`, with `#version` behind it to pin a version; `dynamic:path`, which is
 * read as it is: `dynamic:database/creds/app`; or `file:/path` of a file or folder. In a path,
 * `%2C %3B %23 %3F %2A %25` mean `, ; # ? * %`.
 */
export function parseKvPath(text: string): Parsed<KvPath> {
  const engine = namesOf(parsers).find((name) => text.startsWith(`${name}:`));
  if (engine !== undefined) return parsers[engine](text.slice(engine.length + 1));
  const [given = "", versionText, ...rest] = text.split("#");
  const path = parsePath(given, pathFault);
  if (!path.ok) return path;
  if (versionText === undefined) return accepted({ path: path.value });
  const version = Number(versionText);
  if (rest.length > 0 || !/^[1-9]\d*$/.test(versionText) || !Number.isSafeInteger(version)) {
    return refused("a path whose # is followed by a version number from 1", {
      hint: "the names of fields belong in the environment map; for # in a path write %23",
    });
  }
  return accepted({ path: path.value, version });
}

/** The text that `parseKvPath` reads a path from. */
export function kvPathText({ path, version, engine = "kv" }: KvPath): string {
  const pinned = version === undefined ? "" : `#${version}`;
  return `${engine === "kv" ? "" : `${engine}:`}${encodePercent(path)}${pinned}`;
}

function parseDynamicPath(text: string): Parsed<KvPath> {
  if (text.includes("#")) {
    return refused("a dynamic path without #, for it has no versions", {
      hint: "for # in a path write %23",
    });
  }
  const path = parsePath(text, dynamicFault);
  return path.ok ? accepted({ path: path.value, engine: "dynamic" }) : path;
}

/** One spelling for each file, so that two of them are one secret: no `..`, no double slash. */
function parseSourceFile(text: string): Parsed<KvPath> {
  if (text.includes("#")) {
    return refused("a file without #, for it has no versions", {
      hint: "for # in a path write %23",
    });
  }
  const path = parsePath(text, fileFault);
  return path.ok ? accepted({ path: path.value, engine: "file" }) : path;
}

function fileFault(path: string): Refused | undefined {
  const wantedFile = "an absolute path behind file:, such as file:/run/credentials/app/db";
  if (path.startsWith("/") && hasSafeSegments(path.slice(1))) {
    if (path.length <= MOST_FILE_PATH) return undefined;
    return refused(`a path of at most ${MOST_FILE_PATH} characters`);
  }
  if (!path.startsWith("/")) return refused(wantedFile);
  const plain = withoutOuterSlashes(path).replace(/\/{2,}/g, "/");
  if (!hasSafeSegments(plain) || plain.length > 80) {
    return refused(`${wantedFile}, without .., a double slash and control characters`);
  }
  return refused(wantedFile, { hint: `write file:/${encodePercent(plain)}` });
}

/** Decodes a path. The characters with a meaning of URLs and of maps are refused before. */
function parsePath(text: string, faultOf: (path: string) => Refused | undefined): Parsed<string> {
  if (text.includes("*")) {
    return refused("the path of one secret, without *", {
      hint: "to deliver every field of a secret, map it with *=PREFIX_*; for * in a path write %2A",
    });
  }
  if (text.includes("?")) {
    return refused("a path without ?, for it has no query", { hint: "for ? in a path write %3F" });
  }
  const path = decodePercent(text);
  if (!path.ok) return path;
  return faultOf(path.value) ?? path;
}

function dynamicFault(path: string): Refused | undefined {
  if (path.includes("/") && hasSafeSegments(path)) return undefined;
  return refused("a dynamic path of the form dynamic:mount/path");
}

function pathFault(path: string): Refused | undefined {
  if (isComplete(path)) return undefined;
  const repaired = looksLikeFile(path) ? `file:${path}` : repairedPath(path);
  const hint = repaired === undefined ? {} : { hint: `write ${encodePercent(repaired)}` };
  return refused(wanted, hint);
}

/** A path of a vault does not begin with a slash, and may hold `/data/` anywhere. */
function looksLikeFile(path: string): boolean {
  return path.length <= 80 && !`${path}/`.includes("/data/") && fileFault(path) === undefined;
}

/** A mount, `/data/`, and a path behind it. */
function isComplete(path: string): boolean {
  const at = path.indexOf("/data/");
  return at > 0 && path.length > at + "/data/".length && hasSafeSegments(path);
}

/** The probable correction of a path without `/data/`. */
function repairedPath(path: string): string | undefined {
  const trimmed = withoutOuterSlashes(path).replace(/^v1\//, "");
  const [mount, second, ...rest] = trimmed.split("/");
  if (mount === undefined || mount === "data" || second === undefined) return undefined;
  if (trimmed.length > 80 || !hasSafeSegments(trimmed)) return undefined;
  if (trimmed.includes("/data/")) return trimmed;
  if (second === "data") return undefined;
  if (second === "metadata")
    return rest.length > 0 ? [mount, "data", ...rest].join("/") : undefined;
  return [mount, "data", second, ...rest].join("/");
}
