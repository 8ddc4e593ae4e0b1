import {
  giveShares,
  loadStoreTls,
  type Unsealing,
  type UnsealSettings,
  unsealStore,
} from "@svc/bootstrap";
import { CliError } from "../errors.ts";
import { hiddenPrompt } from "./hidden-prompt.ts";
import type { ToldResult } from "./reporter.ts";
import { type CommandDoor, connect } from "./session.ts";

/** Runs `svc secretstore unseal`. */
export async function unsealCommand(
  settings: UnsealSettings,
  door: CommandDoor,
): Promise<ToldResult> {
  const tls = loadStoreTls(settings);
  const servers = await connect(settings, tls, door);
  if (!settings.sharesStdin) {
    await door.signals.until(unsealStore(settings, tls, servers));
    return resultOf({ sealed: [], progress: 0, threshold: 0 });
  }
  const next = (unsealing: Unsealing) =>
    hiddenPrompt(door.input, door.signals, {
      ...{ what: "key share", text: questionOf(unsealing), ask: door.ask },
    });
  const unsealing = await door.signals.until(giveShares(settings, tls, { ...servers, next }));
  return resultOf(unsealing);
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
