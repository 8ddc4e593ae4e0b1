import { join } from "node:path";
import { RegistryCredential } from "../../image/registry-credential.ts";
import { loginRefused, loginUnavailable } from "../login-failure.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf } from "../read-answer.ts";
import { boundedOutput } from "./bounded-output.ts";

/** The programs that may run, and their environment. */
export interface HelperPrograms {
  /** The folder with `docker-credential-NAME`; undefined if no helper may be run. */
  readonly folder: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** How long one may take, in milliseconds. */
  readonly limitMs: number;
}

/** Which helper is asked, for which registry. */
export interface HelperQuestion {
  /** The text after `docker-credential-`. */
  readonly name: string;
  readonly registry: string;
}

const MOST_BYTES = 128 * 1024;
/** docker-credential-helpers, credentials/error.go. */
const NOT_FOUND = "credentials not found in native keychain";
/** The user of an answer whose secret is an identity token. */
const TOKEN_USER = "<token>";

/**
 * Asks a credential helper for a registry: `docker-credential-NAME get`, the registry on standard
 * input, JSON on standard output (docker/docker-credential-helpers).
 *
 * @throws ImageError `LOGIN_REFUSED`, `LOGIN_UNAVAILABLE`, or the error that ends the login
 */
export async function runCredentialHelper(
  { name, registry }: HelperQuestion,
  { folder, environment, limitMs }: HelperPrograms,
  way: LoginWay,
): Promise<RegistryCredential | undefined> {
  const program = `docker-credential-${name}`;
  const operation = `${way.operation}: run ${program}`;
  const hint = `put ${program} into the folder of --credential-helpers, executable for the operator's user`;
  if (folder === undefined) throw loginRefused(`${operation}: helpers are not allowed`, { hint });
  const command = [join(folder, program), "get"];
  const ended = await boundedOutput(
    { command, environment, input: registry },
    {
      mostBytes: MOST_BYTES,
      limitMs,
      signal: way.signal,
    },
  );
  const advice = { hint: `run ${program} get by hand with the name of the registry as its input` };
  switch (ended.kind) {
    case "not-started":
      throw loginRefused(`${operation}: it could not be started (${ended.code})`, { hint });
    case "too-late":
      throw loginUnavailable(`${operation}: it did not end within ${limitMs} ms`, advice);
    case "too-much":
      throw loginRefused(`${operation}: it wrote more than ${MOST_BYTES} bytes`, advice);
    case "ended":
      break;
  }
  if (ended.status !== 0) {
    if (ended.output.trim() === NOT_FOUND) return undefined;
    throw loginRefused(`${operation}: it ended with status ${ended.status}`, advice);
  }
  return credentialIn(ended.output, operation, advice.hint);
}

function credentialIn(output: string, operation: string, hint: string): RegistryCredential {
  const { Username: username, Secret: secret } = fieldsOf(output, operation, hint);
  if (typeof username !== "string" || typeof secret !== "string" || secret === "") {
    throw loginRefused(`${operation}: its answer has no Username and Secret`, { hint });
  }
  return username === TOKEN_USER
    ? new RegistryCredential({ identityToken: secret })
    : new RegistryCredential({ username, password: secret });
}
