import { problem } from "@svc/settings";
import { type AskedInjection, parseAnnotations } from "../annotations/parse-annotations.ts";
import type { Pod } from "../pod/pod.ts";
import type { SvcConfig } from "../svc-config/svc-config.ts";
import type { ImageAnswer } from "./find-program.ts";
import { inject } from "./inject.ts";
import type { Injection } from "./injection.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import type { OperatorSettings } from "./operator-settings.ts";
import { refusal } from "./refusal.ts";
import { resolveInjection } from "./resolve-injection.ts";

/** A pod as admission shows it. */
export interface AskedPod {
  readonly pod: Pod;
  /** `CREATE`, `UPDATE` and so on; only a creation can be changed. */
  readonly operation: string;
  /** The namespace of the request, which takes precedence over the pod's own word. */
  readonly namespace?: string;
}

/** A pod's request, or the decision without one. */
export type ReadAsked = { readonly kind: "asked"; readonly wanted: AskedInjection } | Injection;

/**
 * The first step: whether the pod asks for injection. The second is `settle` with the SvcConfig
 * that the request names, the third `inject` with the images of `imagesNeeded`; between them their
 * caller looks these up.
 */
export function readAsked({ pod, operation }: AskedPod, operator: OperatorSettings): ReadAsked {
  if (operation !== "CREATE") return skip("the operator injects only at creation");
  const asked = parseAnnotations(pod.metadata, operator.prefix);
  switch (asked.kind) {
    case "asked":
      return asked;
    case "problems":
      return refusal(pod, asked.problems, operator);
    case "none": {
      const others = asked.forgotten.filter((name) => name !== `${operator.prefix}/inject`);
      const warnings = others.map(
        (name) => `${name} has no effect without ${operator.prefix}/inject`,
      );
      return skip("it does not ask for it", warnings);
    }
  }
}

/** Settings, or the decision without them. */
export type Settled =
  | { readonly kind: "settings"; readonly settings: InjectionSettings }
  | Injection;

/** The inputs that complete a request. */
export interface SettleWith {
  /** Undefined if there is none of the name. */
  readonly config: SvcConfig | undefined;
  readonly operator: OperatorSettings;
  readonly namespace: string;
}

/** Puts a request and the SvcConfig together. */
export function settle(
  pod: Pod,
  wanted: AskedInjection,
  { config, operator, namespace }: SettleWith,
): Settled {
  const { config: name } = wanted.values;
  if (name !== undefined && config === undefined) {
    const variable = `${operator.prefix}/config`;
    const wanted = "the name of a SvcConfig in the pod's namespace";
    return refusal(
      pod,
      [problem({ variable, wanted, found: `there is none called "${name}"` })],
      operator,
    );
  }
  const resolved = resolveInjection({ wanted, config, operator, namespace });
  return resolved.ok
    ? { kind: "settings", settings: resolved.settings }
    : refusal(pod, resolved.problems, operator);
}

/** All that the steps ask for, known beforehand. */
export interface KnownContext {
  readonly operator: OperatorSettings;
  /** The SvcConfig of a name, or the one for pods that name none. */
  readonly configOf: (name: string | undefined) => SvcConfig | undefined;
  readonly images: ReadonlyMap<string, ImageAnswer>;
}

/**
 * The three steps at once, for callers with all inputs: `svc inject --dry-run`, tests,
 * measurements.
 */
export function decideInjection(asked: AskedPod, context: KnownContext): Injection {
  const { operator, images } = context;
  const read = readAsked(asked, operator);
  if (read.kind !== "asked") return read;
  const config = context.configOf(read.wanted.values.config);
  const namespace = asked.namespace ?? asked.pod.metadata.namespace ?? "default";
  const settled = settle(asked.pod, read.wanted, { config, operator, namespace });
  if (settled.kind !== "settings") return settled;
  return inject({ pod: asked.pod, settings: settled.settings, images });
}

function skip(reason: string, warnings: readonly string[] = []): Injection {
  return { kind: "skip", reason, warnings };
}
