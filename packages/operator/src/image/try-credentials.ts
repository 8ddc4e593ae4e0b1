import type { ImageErrorCode } from "./error-catalogue.ts";
import type { FoundImage } from "./found-image.ts";
import { ImageError } from "./image-error.ts";
import type { Lookup } from "./lookup.ts";
import { matchCredentials } from "./match-credentials.ts";
import type { OperatorLogin } from "./operator-login.ts";
import { readImage } from "./read-image.ts";
import { refuseWhileOpen } from "./refuse-while-open.ts";
import { RegistryClient } from "./registry-client.ts";
import type { RegistryCredential } from "./registry-credential.ts";
import type { RegistryEndpoint } from "./registry-endpoint.ts";

/**
 * Faults after which another credential may do. Some registries answer 404 without permission.
 */
const credentialFaults: ReadonlySet<ImageErrorCode> = new Set([
  "DENIED",
  "NOT_FOUND",
  "RATE_LIMITED",
  "CIRCUIT_OPEN",
]);

/** If a server does not say how long it is to be left alone. */
const SOME_TIME_MS = 5000;

/** A server, the image to look up there, and the deadline. */
export interface Attempt {
  readonly endpoint: RegistryEndpoint;
  readonly lookup: Lookup;
  readonly signal: AbortSignal;
}

/** A credential to try; `login` if it is the operator's own. */
interface Offer {
  readonly credential: RegistryCredential;
  readonly login?: OperatorLogin;
}

/** The outcome of the tries. */
interface Outcome {
  readonly errors: ImageError[];
  /** Refused credentials of the pod. */
  refused: number;
  /** The last login of the operator that was refused. */
  refusedLogin: OperatorLogin | undefined;
}

/**
 * Reads an image with the pod's credentials, then with the operator's own. Without any it reads the
 * image without credentials. The kubelet does the same: it tries pull secrets before the
 * credentials of its providers.
 *
 * @throws ImageError
 */
export async function tryCredentials(attempt: Attempt): Promise<FoundImage> {
  const outcome: Outcome = { errors: [], refused: 0, refusedLogin: undefined };
  let tried = 0;
  for await (const { credential, login } of offers(attempt, outcome)) {
    tried += 1;
    const found = await tryOne(attempt, credential, outcome.errors);
    if (found !== undefined) return found;
    if (login === undefined) outcome.refused += 1;
    else outcome.refusedLogin = login;
  }
  if (tried === 0) {
    // A login that failed does not keep a public image from being read.
    const found = await tryOne(attempt, undefined, outcome.errors);
    if (found !== undefined) return found;
  }
  throw mostTelling(attempt, outcome);
}

async function* offers(
  { endpoint, lookup, signal }: Attempt,
  { errors }: Outcome,
): AsyncGenerator<Offer> {
  const { credentials, settings, logins, operation } = lookup;
  for (const credential of matchCredentials(
    credentials,
    endpoint.place,
    settings.defaultRegistry,
  )) {
    yield { credential };
  }
  for (const login of logins?.loginsFor(endpoint.place) ?? []) {
    const own = await login.credentials(signal).catch((error: unknown) => {
      if (signal.aborted || !isLoginError(error)) throw error;
      errors.push(placed(error, `${operation} at ${endpoint.host}`));
      return [];
    });
    for (const credential of own) yield { credential, login };
  }
}

function isLoginError(error: unknown): error is ImageError {
  return (
    error instanceof ImageError &&
    (error.code === "LOGIN_REFUSED" || error.code === "LOGIN_UNAVAILABLE")
  );
}

/** A failure of several images, as the failure of one. */
function placed(error: ImageError, operation: string): ImageError {
  const { code, message, hint } = error;
  return new ImageError(code, `${operation}: ${message}`, { hint, cause: error });
}

/** The image, or undefined if another credential may do, which `errors` then say. */
async function tryOne(
  attempt: Attempt,
  credential: RegistryCredential | undefined,
  errors: ImageError[],
): Promise<FoundImage | undefined> {
  try {
    return await readAs(attempt, credential);
  } catch (error) {
    if (!(error instanceof ImageError && credentialFaults.has(error.code))) throw error;
    errors.push(error);
    return undefined;
  }
}

async function readAs(
  { endpoint, lookup, signal }: Attempt,
  credential: RegistryCredential | undefined,
): Promise<FoundImage> {
  const { settings, platform, limits, memory, reference, operation } = lookup;
  // A limit of requests is that of a user, not of the server.
  const user = `${endpoint.origin} ${credential?.fingerprint ?? ""}`;
  refuseWhileOpen(["user", user], endpoint, lookup);
  const transport = { settings, requestMs: limits.requestMs, signal };
  const client = new RegistryClient({
    endpoint,
    credential,
    transport,
    tokens: memory.tokens,
    limits,
  });
  const wanted = {
    reference,
    platform,
    limits,
    memory,
    place: `${endpoint.host}/${endpoint.repository}`,
    operation: `${operation} at ${endpoint.host}`,
  };
  try {
    const found = await readImage(client, wanted);
    memory.breaker.succeeded(user);
    return found;
  } catch (error) {
    const limited = error instanceof ImageError && error.code === "RATE_LIMITED";
    if (limited) memory.breaker.asked(user, error.retryAfterMs ?? SOME_TIME_MS);
    else memory.breaker.succeeded(user);
    throw error;
  }
}

/** A credential that is known and finds nothing says more than one that is refused. */
function mostTelling(
  { endpoint, lookup }: Attempt,
  { errors, refused, refusedLogin }: Outcome,
): ImageError {
  const telling = errors.find(({ code }) => code !== "DENIED");
  if (telling !== undefined) return telling;
  return new ImageError(
    "DENIED",
    `${lookup.operation} at ${endpoint.host}: ${refusals(refused, refusedLogin)}`,
    { cause: errors[0], hint: refusedLogin?.hint },
  );
}

function refusals(count: number, login: OperatorLogin | undefined): string {
  const own = login === undefined ? [] : [`the operator's own login (${login.source}) was refused`];
  if (count === 0) {
    return own[0] ?? "it asks for credentials, and no pull secret matches";
  }
  const secrets =
    count === 1
      ? "the credential that matches was refused"
      : `all ${count} credentials that match were refused`;
  return [secrets, ...own].join(", and ");
}
