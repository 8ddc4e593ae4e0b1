import { parseFileTarget } from "./file-target.ts";
import { accepted, joinRefusals, type Parsed, type Refused, refused } from "./parsed.ts";
import { decodePercent } from "./percent-codes.ts";
import { isPlain } from "./plain-text.ts";
import { parseVariableName } from "./variable-name.ts";

/** The user and the group that own a file. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** One field of a secret as a file of the program. */
export interface FileMapping {
  readonly field: string;
  /** The path at which the program finds it. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** True if the field is base64, and the file has the bytes for which it stands. */
  readonly base64: boolean;
  /** The variable that has the path; absent if none does. */
  readonly variable?: string;
  /** Present if a path of a descriptor will do. It is taken if nothing can be mounted. */
  readonly anyPath?: true;
  /** Absent for the wrapper's own user and group. */
  readonly owner?: FileOwner;
}

const DEFAULT_MODE = 0o400;
/** Execute bits, and write bits of group and others. */
const REFUSED_BITS = 0o133;
const MOST_ID = 2 ** 32 - 2;

/**
 * Parses `field=/path`, with options behind it, each after a `#`: `mode=0440`, `base64`,
 * `env=VARIABLE`, `owner=UID:GID`, `any-path`. In a field and a path, `%2C %3B %23 %3F %2A %25` mean
 * `, ; # ? * %`. All that is wrong with it is told.
 */
export function parseFileEntry(text: string): Parsed<FileMapping> {
  const [head = "", ...options] = text.split("#");
  const place = parseHead(head);
  const parsed = parseOptions(options);
  const faults = [place, parsed].flatMap((one): Refused[] => (one.ok ? [] : [one]));
  const refusal = joinRefusals(faults);
  if (refusal !== undefined || !place.ok || !parsed.ok) return refusal ?? incomplete();
  if (parsed.value.anyPath === true && parsed.value.variable === undefined) {
    return refused("an entry whose option any-path stands beside env=VARIABLE", {
      hint: "the variable tells the program the path",
    });
  }
  return accepted({ mode: DEFAULT_MODE, base64: false, ...place.value, ...parsed.value });
}

function incomplete(): Refused {
  return refused("an entry field=/path, with options behind #", {
    hint: "tls.key=/etc/tls/tls.key#mode=0440; in names write %2C %3B %23 for , ; #",
  });
}

/** A field and a path may both hold `=`. The path begins with a slash, once. */
function parseHead(head: string): Parsed<Pick<FileMapping, "field" | "path">> {
  const [rawField = "", rawPath, ...others] = head.split("=/");
  const field = rawField.trim();
  if (field === "" || rawPath === undefined) return incomplete();
  if (others.length > 0) return refused("an entry with =/ once, between field and path");
  if (!isPlain(field)) return refused("an entry of a field without control characters");
  if (field === "*") {
    return refused("an entry of one field", { hint: "a file map names each field: field=/path" });
  }
  const name = decodePercent(field);
  const decoded = decodePercent(`/${rawPath.trim()}`);
  if (!name.ok) return name;
  if (!decoded.ok) return decoded;
  const path = parseFileTarget(decoded.value);
  return path.ok ? accepted({ field: name.value, path: path.value }) : path;
}

type Options = Partial<Omit<FileMapping, "field" | "path">>;

const optionParsers: Readonly<Record<string, (value: string | undefined) => Parsed<Options>>> = {
  mode: parseMode,
  base64: parseWord("base64", { base64: true }),
  "any-path": parseWord("any-path", { anyPath: true }),
  env: parseEnv,
  owner: parseOwner,
};

function parseOptions(texts: readonly string[]): Parsed<Options> {
  let options: Options = {};
  const seen = new Set<string>();
  const faults: Refused[] = [];
  for (const text of texts) {
    const [rawName = "", ...rest] = text.split("=");
    const name = rawName.trim();
    const parser = Object.hasOwn(optionParsers, name) ? optionParsers[name] : undefined;
    const value = rest.length === 0 ? undefined : rest.join("=").trim();
    const parsed = parser?.(value) ?? unknownOption(text);
    if (!parsed.ok) faults.push(parsed);
    else if (seen.has(name)) faults.push(refused("an entry with each option once", { got: text }));
    else options = { ...options, ...parsed.value };
    seen.add(name);
  }
  return joinRefusals(faults) ?? accepted(options);
}

function unknownOption(text: string): Refused {
  const names = "mode=0440, base64, env=VARIABLE, owner=UID:GID or any-path";
  return refused(`an entry with the options ${names}`, {
    got: text,
    hint: "a # in a name is %23",
  });
}

function parseWord(name: string, options: Options): (value: string | undefined) => Parsed<Options> {
  return (value) =>
    value === undefined
      ? accepted(options)
      : refused(`the option ${name} without a value`, { got: `${name}=${value}` });
}

function parseMode(value = ""): Parsed<Options> {
  const mode = /^0?[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) : undefined;
  if (mode !== undefined && (mode & REFUSED_BITS) === 0 && (mode & DEFAULT_MODE) !== 0) {
    return accepted({ mode });
  }
  return refused("a mode of three octal digits, such as 0400, 0440 or 0444", {
    got: value,
    hint: "its owner may read, only its owner may write, and no file may be executed",
  });
}

function parseEnv(value = ""): Parsed<Options> {
  const name = parseVariableName(value);
  return name.ok ? accepted({ variable: name.value }) : { ...name, got: value };
}

function parseOwner(value = ""): Parsed<Options> {
  const [, uid, gid] = /^(\d{1,10}):(\d{1,10})$/.exec(value) ?? [];
  const owner = { uid: Number(uid), gid: Number(gid) };
  if (owner.uid <= MOST_ID && owner.gid <= MOST_ID) return accepted({ owner });
  return refused("an owner UID:GID, two numbers such as 101:101", { got: value });
}
