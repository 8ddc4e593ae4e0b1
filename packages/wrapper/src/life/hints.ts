import { type HintedSecret, MOST_HINTED_SECRETS } from "@svc/protocol";
import { hasMetadataPath } from "@svc/vault";
import type { ReceivedHint } from "../health/received-hint.ts";
import { countHint } from "./counts.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Life, LifeContext, Step } from "./life.ts";
import { onCheckWanted } from "./running.ts";
import { isRunning } from "./running-life.ts";
import { step } from "./steps.ts";

/** The secrets of a program that hints can be about. */
export interface HintedSecrets {
  readonly secrets: readonly HintedSecret[];
  /** False if some secrets have to be checked all the same. */
  readonly areAll: boolean;
}

/**
 * The secrets that a subscription names: those of KV v2 engines whose newest version the program is
 * to have. Pure.
 */
export function hintedSecrets({ watched }: Pick<Knowledge, "watched">): HintedSecrets {
  const secrets = watched.flatMap(({ path, version, pinned }) =>
    version === undefined || pinned === true || !hasMetadataPath(path) ? [] : [{ path, version }],
  );
  return {
    secrets: secrets.slice(0, MOST_HINTED_SECRETS),
    areAll: secrets.length === watched.length && secrets.length <= MOST_HINTED_SECRETS,
  };
}

/** The operator has said a hint. One that reports a change causes an ordinary check. */
export function onHint(life: Life, hint: ReceivedHint, context: LifeContext): Step {
  const counted = countHint(life, hint.kind);
  switch (hint.kind) {
    case "fresh":
      return step({ ...counted, freshUntilMs: hint.untilMs });
    case "changed": {
      const stale = { ...counted, freshUntilMs: 0 };
      const isChecked = hint.mayCheck && isRunning(stale);
      return isChecked ? onCheckWanted(stale, context) : step(stale);
    }
    case "refused":
      return step(counted);
  }
}
