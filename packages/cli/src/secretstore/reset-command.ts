import { loadStoreTls, type ResetSettings, resetUnfinished } from "@svc/bootstrap";
import { type CommandContext, connect, newHolder } from "./command-context.ts";
import type { ToldResult } from "./reporter.ts";

/** Runs `svc secretstore reset`. */
export async function resetCommand(
  settings: ResetSettings,
  context: CommandContext,
): Promise<ToldResult> {
  const servers = await connect(settings, loadStoreTls(settings), context);
  const tools = { ...servers, holder: newHolder() };
  const { pod, claim } = await context.signals.until(resetUnfinished(settings, tools));
  const fields = { dryRun: !settings.delete, pod, claim };
  const lines = settings.delete
    ? [`done: ${claim} and ${pod} are deleted; run svc secretstore init to start over`]
    : [
        "dry run: this store's keys are lost, and it was never unsealed; nothing was deleted",
        `         --delete deletes the claim ${claim} and the pod ${pod}`,
      ];
  return { fields, lines };
}
