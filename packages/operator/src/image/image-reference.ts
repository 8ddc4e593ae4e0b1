import { type DefaultRegistry, dockerHub, knownRegistry } from "./default-registry.ts";
import { type Digest, isDigest } from "./digest.ts";
import { ImageError } from "./image-error.ts";

/** An image's name, taken apart. */
export interface ImageReference {
  /** `host[:port]`. */
  readonly registry: string;
  /** Its name in the registry: `team/app`. */
  readonly repository: string;
  readonly tag?: string | undefined;
  /** Wins over the tag, as it does for the kubelet. */
  readonly digest?: Digest | undefined;
}

/** Longest name with its registry (distribution/reference, NameTotalLengthMax). */
const LONGEST_NAME = 255;
/** A name, a tag and a digest of the longest kind. */
const LONGEST_TEXT = LONGEST_NAME + 1 + 128 + 1 + 135;

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const HOST = String.raw`(?:${LABEL}(?:\.${LABEL})*|\[[0-9A-Fa-f:]+\])`;
const PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const registryPattern = new RegExp(`^${HOST}(?::[0-9]{1,5})?$`);
const repositoryPattern = new RegExp(`^${PART}(?:/${PART})*$`);
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

/**
 * Reads an image's name by the grammar of github.com/distribution/reference. Without tag and digest
 * the tag is `latest`; without a registry it is the default's, which is Docker Hub by default.
 *
 * @throws ImageError `REFERENCE_INVALID`
 */
export function parseImageReference(
  text: string,
  byDefault: DefaultRegistry = dockerHub,
): ImageReference {
  if (text.length > LONGEST_TEXT) throw invalid(text, "it is too long");
  const { name, tag, digest } = splitReference(text);
  const { registry, repository } = splitName(name, byDefault);
  if (!isRegistry(registry)) {
    throw invalid(text, "its registry is not a host with, if need be, a port");
  }
  if (!isRepository(repository)) throw invalid(text, nameProblem(repository));
  if (registry.length + 1 + repository.length > LONGEST_NAME) {
    throw invalid(text, `its name has more than ${LONGEST_NAME} characters`);
  }
  if (/^[0-9a-f]{64}$/.test(text)) throw invalid(text, "it is an id, which no registry knows");
  if (tag !== undefined && !tagPattern.test(tag)) throw invalid(text, "its tag is not one");
  if (digest !== undefined && !isDigest(digest)) {
    throw invalid(text, "its digest is neither sha256: and 64 nor sha512: and 128 digits");
  }
  return { registry, repository, ...version(tag, digest) };
}

/** Whether the text is `host[:port]`, as references have it. */
export function isRegistry(text: string): boolean {
  return registryPattern.test(text) && hasPort(text);
}

/** Whether the text is a valid name of an image in a registry. */
export function isRepository(text: string): boolean {
  return repositoryPattern.test(text);
}

/** The name in full: `registry/repository:tag@digest`. */
export function formatReference({ registry, repository, tag, digest }: ImageReference): string {
  const parts = [tag === undefined ? "" : `:${tag}`, digest === undefined ? "" : `@${digest}`];
  return `${registry}/${repository}${parts.join("")}`;
}

function version(tag: string | undefined, digest: Digest | undefined) {
  if (tag === undefined && digest === undefined) return { tag: "latest" };
  return { ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}

interface SplitReference {
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

function splitReference(text: string): SplitReference {
  const at = text.indexOf("@");
  const named = at < 0 ? text : text.slice(0, at);
  const digest = at < 0 ? undefined : text.slice(at + 1);
  // A colon before the last slash belongs to a port.
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  return colon < 0
    ? { name: named, tag: undefined, digest }
    : { name: named.slice(0, colon), tag: named.slice(colon + 1), digest };
}

function splitName(name: string, byDefault: DefaultRegistry) {
  const slash = name.indexOf("/");
  const first = slash < 0 ? "" : name.slice(0, slash);
  if (first === "" || !namesHost(first)) return inKnown(name, byDefault);
  const rest = name.slice(slash + 1);
  const known = knownRegistry(first, byDefault);
  return known === undefined ? { registry: first, repository: rest } : inKnown(rest, known);
}

/**
 * Distinguishes a host from a part of a name: a dot, a port, an upper case letter, or `localhost`.
 */
function namesHost(part: string): boolean {
  return /[.:[]/.test(part) || part === "localhost" || part !== part.toLowerCase();
}

function inKnown(name: string, { name: registry, namespace }: DefaultRegistry) {
  const whole = namespace !== undefined && name !== "" && !name.includes("/");
  return { registry, repository: whole ? `${namespace}/${name}` : name };
}

function hasPort(registry: string): boolean {
  const port = /:([0-9]+)$/.exec(registry)?.[1];
  if (port !== undefined && !registry.endsWith("]") && Number(port) > 65_535) return false;
  return URL.canParse(`https://${registry}/`);
}

function nameProblem(repository: string): string {
  if (repository === "") return "it has no name";
  return repository === repository.toLowerCase()
    ? "its name has characters that names do not have there"
    : "its name has upper case letters";
}

function invalid(text: string, found: string): ImageError {
  const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return new ImageError("REFERENCE_INVALID", `read image ${JSON.stringify(shown)}: ${found}`);
}
