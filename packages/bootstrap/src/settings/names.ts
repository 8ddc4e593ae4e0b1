import {
  accepted,
  type Parsed,
  type Parser,
  type Refused,
  refused,
  withoutOuterSlashes,
} from "@svc/settings";

/** The kinds of names in Kubernetes, all of RFC 1123. */
interface NameRule {
  readonly what: string;
  readonly most: number;
  /** A subdomain is labels with dots between them. */
  readonly form: "label" | "subdomain";
}

const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const forms = {
  label: new RegExp(`^${label}$`),
  subdomain: new RegExp(`^${label}(?:\\.${label})*$`),
} as const;

/** Parses the name of a namespace. */
export const parseNamespaceName = parseName({
  what: "the name of a Kubernetes namespace",
  most: 63,
  form: "label",
});

/**
 * Parses the name of a Helm release. Helm itself also takes dots; the names of pods are made of it,
 * and a pod whose name has a dot has no DNS name.
 */
export const parseReleaseName = parseName({
  what: "the name of a Helm release",
  most: 53,
  form: "label",
});

/** Parses the text before the numbers in the names of a StatefulSet's pods. */
export const parsePodPrefix = parseName({
  what: "the name of the first pod without -0",
  most: 61,
  form: "label",
});

/** Parses the name of a Kubernetes Secret. */
export const parseSecretName = parseName({
  what: "the name of a Kubernetes Secret",
  most: 253,
  form: "subdomain",
});

/** Parses the name of a service account. */
export const parseServiceAccountName = parseName({
  what: "the name of a service account",
  most: 253,
  form: "subdomain",
});

function parseName({ what, most, form }: NameRule): Parser<string> {
  const dots = form === "label" ? "" : " and .";
  const characters = form === "label" ? "a-z, 0-9 and -" : "a-z, 0-9, -";
  const wanted = `${what}: at most ${most} of ${characters}${dots}, with a letter or digit at both ends`;
  return (text) => {
    if (text.length <= most && forms[form].test(text)) return accepted(text);
    const lower = text.toLowerCase();
    const repairs = lower !== text && lower.length <= most && forms[form].test(lower);
    return refused(wanted, repairs ? { hint: `write ${lower}` } : {});
  };
}

/**
 * Every segment is of characters without a special meaning in a path of a policy. There `*` and `+`
 * are patterns, `{{` begins a template, and a quote would end the text.
 */
const segment = /^[A-Za-z0-9_.-]+$/;
const mountForm = "letters, digits, _, . and -, with / between segments";

/** Mounts that every store has from the beginning. */
const ownEngines: ReadonlySet<string> = new Set(["sys", "identity", "cubbyhole", "auth", "audit"]);

/** Parses the mount path of a KV engine; slashes around it fall away. */
export function parseKvMount(text: string): Parsed<string> {
  const mount = withoutOuterSlashes(text);
  const fault = mountFault(mount, `the mount path of a KV engine: ${mountForm}`);
  if (fault !== undefined) return fault;
  const [first = "", ...rest] = mount.split("/");
  if (ownEngines.has(first)) return refused(`a mount path that the store itself does not use`);
  // The wrapper takes the first `data` after the first segment for the one behind the mount.
  return rest.includes("data")
    ? refused("a mount path without a segment data, at which the paths of secrets begin")
    : accepted(mount);
}

/** Parses the mount path of an auth method; `auth/` in front and slashes around it fall away. */
export function parseAuthMount(text: string): Parsed<string> {
  const mount = withoutOuterSlashes(withoutOuterSlashes(text).replace(/^auth\/+/, ""));
  const fault = mountFault(mount, `the mount path of an auth method: ${mountForm}`);
  if (fault !== undefined) return fault;
  // `auth` alone is a prefix without its mount rather than a mount of that name.
  return ["token", "auth"].includes(mount.split("/")[0] ?? "")
    ? refused("a mount path that the store itself does not use")
    : accepted(mount);
}

function mountFault(mount: string, wanted: string): Refused | undefined {
  const plain = mount
    .split("/")
    .every((part) => segment.test(part) && part !== "." && part !== "..");
  return plain && mount.length <= 200 ? undefined : refused(wanted);
}

/** Policies that the store itself gives a meaning. */
const ownPolicies: ReadonlySet<string> = new Set([
  ...["root", "default", "response-wrapping", "control-group"],
]);

/** Parses the name of a policy. In lower case, because the store keeps it so. */
export function parsePolicyName(text: string): Parsed<string> {
  if (ownPolicies.has(text)) {
    return refused("a policy's name that the store itself does not use");
  }
  if (/^[a-z0-9_](?:[a-z0-9_.-]{0,126}[a-z0-9_])?$/.test(text)) return accepted(text);
  const lower = text.toLowerCase();
  const repaired = lower !== text && parsePolicyName(lower).ok ? { hint: `write ${lower}` } : {};
  return refused(
    "a policy's name: at most 128 of a-z, 0-9, _, . and -, with none of . and - at the ends",
    repaired,
  );
}

/** Parses the name of a role, as the Kubernetes auth method takes them. */
export function parseRoleName(text: string): Parsed<string> {
  return /^\w(?:[\w.-]{0,126}\w)?$/.test(text)
    ? accepted(text)
    : refused(
        "a role's name: at most 128 letters, digits, _, . and -, with none of . and - at the ends",
      );
}
