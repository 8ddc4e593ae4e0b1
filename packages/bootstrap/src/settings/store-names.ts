import { accepted, type Parsed, type Refused, refused, withoutOuterSlashes } from "@svc/settings";

/**
 * Every segment is of characters that mean themselves in a path of a policy: there `*` and `+` are
 * patterns, `{{` begins a template, and a quote would end the text.
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
    ? refused("a mount path without a segment data, which is where the paths of secrets begin")
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
