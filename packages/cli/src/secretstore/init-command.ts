import {
  type BootstrapSettings,
  type InitOutcome,
  initStore,
  loadFiles,
  rehearseInit,
} from "@svc/bootstrap";
import type { Secret } from "@svc/vault";
import { CliError } from "../errors.ts";
import { type CommandContext, connect, newHolder } from "./command-context.ts";
import { hiddenPrompt } from "./hidden-prompt.ts";
import type { ToldResult } from "./reporter.ts";

/** Runs `svc secretstore init`. */
export async function initCommand(
  settings: BootstrapSettings,
  context: CommandContext,
): Promise<ToldResult> {
  const { signals } = context;
  const files = await loadFiles(settings);
  const servers = await connect(settings, files.tls, context);
  const token = settings.tokenStdin ? await readToken(context) : undefined;
  const tools = { ...servers, holder: newHolder(), token, deferSignals: () => signals.defer() };
  if (settings.dryRun) {
    await signals.until(rehearseInit(settings, files, tools));
    const changes = servers.progress.changes;
    const fields = { dryRun: true, changes };
    return { fields, lines: [`dry run: ${countOf(changes)} would be changed; nothing was`] };
  }
  const outcome = await signals.until(initStore(settings, files, tools));
  return resultOf(outcome, servers.progress.changes);
}

async function readToken(context: CommandContext): Promise<Secret> {
  using prompt = hiddenPrompt("token", context);
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
  const by = (cipher: string | undefined) => cipher && `encrypted with ${cipher}`;
  const noted = (...notes: readonly (string | undefined)[]) => {
    const given = notes.filter((note) => note !== undefined);
    return given.length === 0 ? "" : ` (${given.join(", ")})`;
  };
  const split = `${shares.length} key shares${noted(`${threshold} unseal`, by(encryption.shares))}`;
  const token = `the root token${noted(by(encryption.rootToken))}`;
  const what = rootToken === undefined ? split : `${split} and ${token}`;
  const isReadable =
    encryption.shares === undefined ||
    (rootToken !== undefined && encryption.rootToken === undefined);
  return [
    `keys: ${what} are in ${secret}`,
    ...(isReadable
      ? ["      an account that may read it controls the store: docs/guides/secretstore.md"]
      : []),
  ];
}

function countOf(changes: number): string {
  if (changes === 0) return "nothing";
  return changes === 1 ? "1 thing" : `${changes} things`;
}
