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
  const lines = settings.delete
    ? [`done: ${claim} and ${pod} are deleted; run svc secretstore init to start over`]
    : [
        "dry run: this store's keys are lost, and it was never unsealed; nothing was deleted",
        `         --delete deletes the claim ${claim} and the pod ${pod}`,
      ];
  return { fields, lines };
}
