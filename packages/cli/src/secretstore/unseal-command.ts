import {
  giveShares,
  loadStoreTls,
  type Unsealing,
  type UnsealSettings,
  unsealStore,
} from "@svc/bootstrap";
import type { Secret } from "@svc/vault";
import { CliError } from "../errors.ts";
import { type CommandContext, connect } from "./command-context.ts";
import { faultOfShare } from "./fault-of-share.ts";
import { hiddenPrompt } from "./hidden-prompt.ts";
import type { ToldResult } from "./reporter.ts";

/** Runs `svc secretstore unseal`. */
export async function unsealCommand(
  settings: UnsealSettings,
  context: CommandContext,
): Promise<ToldResult> {
  const tls = loadStoreTls(settings);
  const servers = await connect(settings, tls, context);
  if (!settings.sharesStdin) {
    await context.signals.until(unsealStore(settings, tls, servers));
    return resultOf({ sealed: [], progress: 0, threshold: 0 });
  }
  using prompt = hiddenPrompt("key share", context);
  const next = async (unsealing: Unsealing) => {
    const share = await prompt.next(questionOf(unsealing));
    if (share !== undefined) requireShare(share);
    return share;
  };
  const unsealing = await context.signals.until(giveShares(settings, tls, { ...servers, next }));
  return resultOf(unsealing);
}

/** A text that is not a share may be a secret of another kind: it is neither sent nor shown. */
function requireShare(share: Secret): void {
  const fault = faultOfShare(share);
  if (fault === undefined) return;
  throw new CliError("INPUT_UNUSABLE", [`read key share from standard input: ${fault}`]);
}

function questionOf({ progress, threshold, sealed }: Unsealing): string {
  const pods = sealed.join(", ");
  return `Key share for ${pods} (${progress} of ${threshold} given; not shown; Ctrl-D ends): `;
}

function resultOf({ sealed, progress, threshold }: Unsealing): ToldResult {
  if (sealed.length === 0) {
    return { fields: { sealed: [] }, lines: ["done: every pod is unsealed"] };
  }
  const found = `${sealed.join(", ")}: ${progress} of ${threshold} shares were given`;
  throw new CliError("SHARES_MISSING", [`unseal the store's pods: ${found}`]);
}
