import { loadStoreTls, type ResetSettings, resetUnfinished } from "@svc/bootstrap";
import type { ToldResult } from "./reporter.ts";
import { type CommandDoor, connect, newHolder } from "./session.ts";

/** Runs `svc secretstore reset`. */
export async function resetCommand(
  settings: ResetSettings,
  door: CommandDoor,
): Promise<ToldResult> {
  const servers = await connect(settings, loadStoreTls(settings), door);
  const tools = { ...servers, holder: newHolder() };
  const { pod, claim } = await door.signals.until(resetUnfinished(settings, tools));
  const fields = { dryRun: !settings.delete, pod, claim };
  const proven = "nobody has this store's keys, and it was never unsealed";
  const lines = settings.delete
    ? [`done: ${claim} and ${pod} are deleted; svc secretstore init begins anew`]
    : [
        `dry run: ${proven}: --delete would delete the claim ${claim} and the pod ${pod}`,
        "         nothing was deleted",
      ];
  return { fields, lines };
}
