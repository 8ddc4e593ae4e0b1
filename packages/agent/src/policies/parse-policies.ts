import { quoted } from "@svc/settings";
import { parseYaml } from "./parse-yaml.ts";
import {
  type AttemptKind,
  attemptsOnKernel,
  attemptsOnPrograms,
  MOST_POLICIES,
  type Policy,
  type PolicyExecutable,
  type PolicyMode,
} from "./policy.ts";

/** The policies of a text, or all of its problems. */
export type ParsedPolicies =
  | { readonly ok: true; readonly policies: readonly Policy[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Parses policies, YAML or JSON. It never throws, and names each field that is wrong. */
export function parsePolicies(text: string): ParsedPolicies {
  const reader = new FieldReader();
  const policies = readFile(reader, text);
  if (reader.problems.length > 0) return { ok: false, problems: reader.problems };
  return { ok: true, policies };
}

function readFile(reader: FieldReader, text: string): readonly Policy[] {
  const parsed = parseYaml(text, ["policies", ...fields, ...whoFields, ...executableFields]);
  if (!parsed.ok) {
    reader.problems.push(...parsed.problems);
    return [];
  }
  const file = reader.object("", parsed.value, ["policies"]);
  if (file === undefined) return [];
  const rows = reader.list("policies", file["policies"]) ?? [];
  if (rows.length > MOST_POLICIES) {
    reader.say("policies", `at most ${MOST_POLICIES}`, String(rows.length));
  }
  const policies = rows.flatMap((row, index) => readPolicy(reader, `policies[${index}]`, row));
  reader.unique(policies.map(({ name }) => name));
  return policies;
}

const fields = ["name", "reason", "mode", "expires", "attempts", "who"] as const;
const whoFields = ["executables", "units", "users", "groups"] as const;
const executableFields = ["path", "sha256"] as const;

function readPolicy(reader: FieldReader, at: string, value: unknown): readonly Policy[] {
  const row = reader.object(at, value, fields);
  if (row === undefined) return [];
  const name = reader.match(`${at}.name`, row["name"], nameForm, "a name such as backup-agent");
  const reason = reader.match(
    `${at}.reason`,
    row["reason"],
    reasonForm,
    "why it is there, in a line of at most 200 characters",
  );
  const mode = readMode(reader, `${at}.mode`, row["mode"]);
  const expiresMs = readTime(reader, `${at}.expires`, row["expires"]);
  const attempts = readAttempts(reader, `${at}.attempts`, row["attempts"]);
  const who = readWho(reader, `${at}.who`, row["who"]);
  if (name === undefined || reason === undefined || who === undefined) return [];
  return [{ name, reason, mode, ...(expiresMs !== undefined && { expiresMs }), attempts, ...who }];
}

const nameForm = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;
const reasonForm = /^(?=.*\S)[^\p{Cc}]{1,200}$/u;
const digestForm = /^[0-9a-f]{64}$/;
const pathForm = /^\/[^\p{Cc}]{1,4094}$/u;
// The kernel side reads 94 bytes of the name of its folder, and takes a longer one for no service.
const unitForm = /^[A-Za-z0-9:_.\\@-]{1,86}\.service$/;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const LARGEST_ID = 2 ** 32 - 2;

function readMode(reader: FieldReader, at: string, value: unknown): PolicyMode {
  if (value === "dry-run" || value === "allow") return value;
  if (value !== undefined) reader.say(at, "allow or dry-run", found(value));
  return "allow";
}

function readTime(reader: FieldReader, at: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === "string" && timeForm.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  reader.say(at, "a time such as 2027-01-31T18:00:00Z", found(value));
  return undefined;
}

const allowable: readonly AttemptKind[] = [...attemptsOnPrograms, ...attemptsOnKernel];

function readAttempts(reader: FieldReader, at: string, value: unknown): readonly AttemptKind[] {
  if (value === undefined) return attemptsOnPrograms;
  const kinds = reader.list(at, value) ?? [];
  if (kinds.length === 0) reader.say(at, "kinds of attempts, or no such field", "none");
  return kinds.flatMap((item, index) => {
    const kind = allowable.find((known) => known === item);
    if (kind !== undefined) return [kind];
    reader.say(`${at}[${index}]`, "a kind of attempt that may be allowed", found(item));
    return [];
  });
}

type Who = Pick<Policy, "executables" | "units" | "users" | "groups">;

function readWho(reader: FieldReader, at: string, value: unknown): Who | undefined {
  const who = reader.object(at, value, whoFields);
  if (who === undefined) return undefined;
  if (!whoFields.some((field) => who[field] !== undefined)) {
    reader.say(at, "one of executables, units, users, groups", "none of them");
  }
  const entries = <T>(
    field: (typeof whoFields)[number],
    read: (place: string, item: unknown) => T | undefined,
  ): readonly T[] => {
    const place = `${at}.${field}`;
    if (who[field] === undefined) return [];
    const items = reader.list(place, who[field]) ?? [];
    // An empty list would not narrow it: it would fit everybody.
    if (items.length === 0) reader.say(place, "an entry, or no such field", "none");
    return items.flatMap((item, index) => read(`${place}[${index}]`, item) ?? []);
  };
  const number = (place: string, item: unknown) => reader.id(place, item);
  return {
    executables: entries("executables", (place, item) => readExecutable(reader, place, item)),
    units: entries("units", (place, item) =>
      reader.match(place, item, unitForm, "the name of a service such as backup.service"),
    ),
    users: entries("users", number),
    groups: entries("groups", number),
  };
}

function readExecutable(
  reader: FieldReader,
  at: string,
  value: unknown,
): PolicyExecutable | undefined {
  const row = reader.object(at, value, executableFields);
  if (row === undefined) return undefined;
  const path = reader.match(`${at}.path`, row["path"], pathForm, "an absolute path");
  const sha256 = reader.match(`${at}.sha256`, row["sha256"], digestForm, "64 digits of sha256sum");
  return path === undefined || sha256 === undefined ? undefined : { path, sha256 };
}

function found(value: unknown): string {
  return value === undefined ? "nothing" : quoted(JSON.stringify(value));
}

/** Reads fields, and notes their problems. */
class FieldReader {
  readonly problems: string[] = [];

  say(place: string, wanted: string, what: string): void {
    this.problems.push(`${place || "the file"}: wanted ${wanted}, found ${what}`);
  }

  object(
    place: string,
    value: unknown,
    known: readonly string[],
  ): Readonly<Record<string, unknown>> | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.say(place, `fields ${known.join(", ")}`, found(value));
      return undefined;
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      this.say(place, `no other fields than ${known.join(", ")}`, quoted(name));
    }
    return Object.fromEntries(Object.entries(value));
  }

  list(place: string, value: unknown): readonly unknown[] | undefined {
    if (Array.isArray(value)) return value;
    this.say(place, "a list", found(value));
    return undefined;
  }

  match(place: string, value: unknown, form: RegExp, wanted: string): string | undefined {
    if (typeof value === "string" && form.test(value)) return value;
    this.say(place, wanted, found(value));
    return undefined;
  }

  id(place: string, value: unknown): number | undefined {
    if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_ID) {
      return Number(value);
    }
    this.say(place, "a number of a user or group such as 1000", found(value));
    return undefined;
  }

  unique(names: readonly string[]): void {
    for (const name of new Set(names)) {
      if (names.filter((other) => other === name).length > 1) {
        this.say("policies", "names that differ", `${quoted(name)} again`);
      }
    }
  }
}
