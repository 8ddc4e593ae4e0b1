import type { Problem } from "@svc/settings";
import type { Pod } from "../pod/pod.ts";
import type { Injection } from "./injection.ts";
import type { OperatorSettings } from "./operator-settings.ts";

/** The answer to a pod that asks for injection and cannot get it, as the operator's settings want it. */
export function refusal(
  pod: Pod,
  problems: readonly Problem[],
  { prefix, whenImpossible }: OperatorSettings,
): Injection {
  const lines = [...new Set(problems.map(lineOf))];
  const name = pod.metadata.name ?? `${pod.metadata.generateName ?? ""}*`;
  const message = [
    `inject secrets into pod ${name}: cannot:`,
    ...lines,
    `to start it without secrets take ${prefix}/inject out of its annotations and labels`,
  ].join("\n");
  return whenImpossible === "deny"
    ? { kind: "deny", message }
    : {
        kind: "skip",
        reason: "it cannot be injected into, and is admitted by the operator's settings",
        warnings: lines,
      };
}

function lineOf({ message, hint }: Problem): string {
  return hint === undefined ? message : `${message} (${hint})`;
}
