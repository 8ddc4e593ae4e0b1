import { quoted } from "@svc/settings";
import { FieldReader, found } from "./field-reader.ts";
import { parseYaml } from "./parse-yaml.ts";
import {
  type AttemptKind,
  attemptsOnKernel,
  attemptsOnPrograms,
  MOST_POLICIES,
  type PodSelector,
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
  const keys = ["policies", "name", ...permissionFields, ...whoFields, ...executableFields];
  const parsed = parseYaml(text, [...keys, ...podFields]);
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
  const policies = rows.flatMap((row, index) => readRow(reader, `policies[${index}]`, row));
  reader.unique(policies.map(({ name }) => name));
  return policies;
}

const permissionFields = ["reason", "mode", "expires", "attempts", "who"] as const;
const whoFields = ["executables", "units", "pods", "users", "groups"] as const;
const executableFields = ["path", "sha256"] as const;
const podFields = ["namespace", "matchLabels"] as const;

function readRow(reader: FieldReader, at: string, value: unknown): readonly Policy[] {
  const row = reader.object(at, value, ["name", ...permissionFields]);
  if (row === undefined) return [];
  const name = readName(reader, `${at}.name`, row["name"]);
  const known = Object.fromEntries(permissionFields.map((field) => [field, row[field]]));
  const permission = readPermission(reader, at, known);
  return name === undefined || permission === undefined ? [] : [{ name, ...permission }];
}

/** The name of a policy; undefined if it is wrong. */
export function readName(reader: FieldReader, at: string, value: unknown): string | undefined {
  return reader.match(at, value, nameForm, "a name such as backup-agent");
}

/** All of a policy but its name; undefined if a field is wrong without which there is none. */
export function readPermission(
  reader: FieldReader,
  at: string,
  value: unknown,
): Omit<Policy, "name"> | undefined {
  const row = reader.object(at, value, permissionFields);
  if (row === undefined) return undefined;
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
  if (reason === undefined || who === undefined) return undefined;
  return { reason, mode, ...(expiresMs !== undefined && { expiresMs }), attempts, ...who };
}

const nameForm = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;
const reasonForm = /^(?=.*\S)[^\p{Cc}]{1,200}$/u;
const digestForm = /^[0-9a-f]{64}$/;
const pathForm = /^\/[^\p{Cc}]{1,4094}$/u;
// The kernel side reads 94 bytes of the name of its folder, and takes a longer one for no service.
const unitForm = /^[A-Za-z0-9:_.\\@-]{1,86}\.service$/;
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

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

type Who = Pick<Policy, (typeof whoFields)[number]>;

function readWho(reader: FieldReader, at: string, value: unknown): Who | undefined {
  const who = reader.object(at, value, whoFields);
  if (who === undefined) return undefined;
  if (!whoFields.some((field) => who[field] !== undefined)) {
    reader.say(at, `one of ${whoFields.join(", ")}`, "none of them");
  }
  const others = (["executables", "units"] as const).filter((field) => who[field] !== undefined);
  if (who["pods"] !== undefined && others.length > 0) {
    reader.say(
      at,
      "pods, or executables and units of the machine",
      `pods and ${others.join(", ")}`,
    );
  }
  const entries = <T>(
    field: (typeof whoFields)[number],
    read: (place: string, item: unknown) => T | undefined,
  ): readonly T[] => {
    const place = `${at}.${field}`;
    if (who[field] === undefined) return [];
    const items = reader.list(place, who[field]) ?? [];
    // An empty list would not narrow it: it would fit every process.
    if (items.length === 0) reader.say(place, "an entry, or no such field", "none");
    return items.flatMap((item, index) => read(`${place}[${index}]`, item) ?? []);
  };
  const number = (place: string, item: unknown) => reader.id(place, item);
  return {
    executables: entries("executables", (place, item) => readExecutable(reader, place, item)),
    units: entries("units", (place, item) =>
      reader.match(place, item, unitForm, "the name of a service such as backup.service"),
    ),
    pods: entries("pods", (place, item) => readPod(reader, place, item)),
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

// By the rules of Kubernetes (apimachinery, util/validation).
const namespaceForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const labelNameForm =
  /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const labelValueForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

/** A namespace is not optional: every user who may create pods somewhere chooses their labels. */
function readPod(reader: FieldReader, at: string, value: unknown): PodSelector | undefined {
  const row = reader.object(at, value, podFields);
  if (row === undefined) return undefined;
  const { namespace: named, matchLabels: labels } = row;
  const namespace = reader.match(
    `${at}.namespace`,
    named,
    namespaceForm,
    "the name of a namespace",
  );
  const matchLabels = labels === undefined ? {} : readLabels(reader, `${at}.matchLabels`, labels);
  return namespace === undefined ? undefined : { namespace, matchLabels };
}

function readLabels(
  reader: FieldReader,
  at: string,
  value: unknown,
): Readonly<Record<string, string>> {
  const map = reader.map(at, value);
  if (map.length === 0) reader.say(at, "a label, or no such field", "none");
  const labels = map.flatMap(([key, text]) => {
    if (!labelNameForm.test(key)) reader.say(at, "names of labels", quoted(key));
    const label = reader.match(`${at}.${key}`, text, labelValueForm, "the value of a label");
    return label === undefined ? [] : [[key, label] as const];
  });
  return Object.fromEntries(labels);
}
