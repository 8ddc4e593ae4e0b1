import type { Problem } from "@svc/settings";
import type { Pod } from "../pod/pod.ts";
import type { Injection } from "./injection.ts";
import type { OperatorSettings } from "./operator-settings.ts";

/**
 * The answer to a pod that asks for injection and cannot get it, as the operator's settings want
 * it.
 */
export function refusal(
  pod: Pod,
  problems: readonly Problem[],
  { prefix, whenImpossible }: OperatorSettings,
): Injection {
  const lines = [...new Set(problems.map(lineOf))];
  const unmet = [
    ...new Set(problems.map(({ variable, wanted }) => `${variable}: must be ${wanted}`)),
  ];
  const name = pod.metadata.name ?? `${pod.metadata.generateName ?? ""}*`;
  const message = [
    `inject secrets into pod ${name}: cannot:`,
    ...lines,
    `to start it without secrets take ${prefix}/inject out of its annotations and labels`,
  ].join("\n");
  return whenImpossible === "deny"
    ? { kind: "deny", message, unmet }
    : {
        kind: "skip",
        reason: "it cannot be injected into, and is admitted by the operator's settings",
        warnings: lines,
        unmet,
      };
}

function lineOf({ message, hint }: Problem): string {
  return hint === undefined ? message : `${message} (${hint})`;
}
