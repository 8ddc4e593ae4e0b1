import {
  type BootstrapSettings,
  type InitOutcome,
  initStore,
  loadFiles,
  rehearseInit,
} from "@svc/bootstrap";
import type { Secret } from "@svc/vault";
import { CliError } from "../errors.ts";
import { hiddenPrompt } from "./hidden-prompt.ts";
import type { ToldResult } from "./reporter.ts";
import { type CommandDoor, connect, newHolder } from "./session.ts";

/** Runs `svc secretstore init`. */
export async function initCommand(
  settings: BootstrapSettings,
  door: CommandDoor,
): Promise<ToldResult> {
  const { signals } = door;
  const files = await loadFiles(settings);
  const servers = await connect(settings, files.tls, door);
  const token = settings.tokenStdin ? await readToken(door) : undefined;
  const tools = { ...servers, holder: newHolder(), token, hold: () => signals.hold() };
  if (settings.dryRun) {
    await signals.until(rehearseInit(settings, files, tools));
    const changes = servers.progress.changes;
    const fields = { dryRun: true, changes };
    return { fields, lines: [`dry run: ${countOf(changes)} would be changed; nothing was`] };
  }
  const outcome = await signals.until(initStore(settings, files, tools));
  return resultOf(outcome, servers.progress.changes);
}

async function readToken(door: CommandDoor): Promise<Secret> {
  using prompt = hiddenPrompt("token", door);
  const token = await prompt.next("Token (not shown): ");
  if (token !== undefined) return token;
  throw new CliError("INPUT_UNUSABLE", ["read token from standard input: it is empty"]);
}

function resultOf({ secret, keys }: InitOutcome, changes: number): ToldResult {
  const { threshold, encryption } = keys;
  const shares = keys.shares.length;
  const rootToken = keys.rootToken !== undefined;
  const fields = { dryRun: false, changes, secret, shares, threshold, rootToken, encryption };
  return {
    fields,
    lines: [
      `done: the store is initialised, unsealed and set up; ${countOf(changes)} changed`,
      ...whereTheKeysAre({ secret, keys }),
    ],
  };
}

function whereTheKeysAre({ secret, keys }: InitOutcome): readonly string[] {
  const { shares, rootToken, encryption, threshold } = keys;
  const sealed = encryption.shares === undefined ? "" : `, encrypted with ${encryption.shares}`;
  const split = `${shares.length} key shares${sealed} (${threshold} unseal)`;
  if (rootToken === undefined) return [`keys: ${split} are in ${secret}`];
  const token =
    encryption.rootToken === undefined
      ? "the root token"
      : `the root token, encrypted with ${encryption.rootToken}`;
  const plain = encryption.shares === undefined || encryption.rootToken === undefined;
  return [
    `keys: ${split} and ${token} are in ${secret}`,
    ...(plain ? ["      whoever reads it has the store: see docs/guides/secretstore.md"] : []),
  ];
}

function countOf(changes: number): string {
  if (changes === 0) return "nothing";
  return changes === 1 ? "1 thing" : `${changes} things`;
}
