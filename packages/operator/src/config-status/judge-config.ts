import { methodsWithToken } from "@svc/settings";
import { parseAnnotations } from "../annotations/parse-annotations.ts";
import type { OperatorSettings } from "../inject/operator-settings.ts";
import { resolveInjection } from "../inject/resolve-injection.ts";
import type { SvcConfig, SvcConfigSpec } from "../svc-config/svc-config.ts";
import type { WatchedConfig } from "../svc-config/watched-config.ts";
import { checkBundle } from "./check-bundle.ts";
import type { Finding, Findings } from "./finding.ts";
import { selectorsOverlap } from "./selectors-overlap.ts";

/** The inputs for judging a SvcConfig, beside its own fields. */
export interface ConfigContext {
  readonly operator: OperatorSettings;
  /** All of its namespace, itself among them. */
  readonly inNamespace: readonly WatchedConfig[];
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Judges a SvcConfig by the code that would use it for a pod. */
export function judgeConfig({ parsed }: WatchedConfig, context: ConfigContext): Findings {
  if (!parsed.ok) {
    const Valid = bad("Unreadable", parsed.problems.join("; "));
    return {
      Valid,
      AddressAllowed: bad("Unreadable", "a SvcConfig that cannot be read allows nothing"),
    };
  }
  const { config } = parsed;
  const { caBundle, selector } = config.spec;
  return {
    ...judgeValues(config, context.operator),
    ...(caBundle !== undefined && { CertificatesValid: checkBundle(caBundle, context.nowMs) }),
    ...(selector !== undefined && { SelectorUnique: checkSelector(config, context) }),
  };
}

type ValueFindings = Pick<Findings, "Valid" | "AddressAllowed">;

/** A finding does not change with time, and every change causes a new judgement of everything. */
const remembered = new WeakMap<
  SvcConfig,
  { readonly operator: OperatorSettings; readonly findings: ValueFindings }
>();

function judgeValues(config: SvcConfig, operator: OperatorSettings): ValueFindings {
  const known = remembered.get(config);
  if (known?.operator === operator) return known.findings;
  const findings = {
    Valid: checkValues(config, operator),
    AddressAllowed: checkAddress(config, operator),
  };
  remembered.set(config, { operator, findings });
  return findings;
}

/** Each field, and their combination. A separate check decides about the address. */
function checkValues({ spec, ...place }: SvcConfig, operator: OperatorSettings): Finding {
  const { allowedAddresses: _, ...fields } = spec;
  const problems = [
    ...problemsOf({ ...place, spec: fields }, permissive(operator)),
    ...misplacedToken(spec),
  ];
  return problems.length === 0
    ? { isGood: true, reason: "Valid", message: "its settings can be used" }
    : bad("Invalid", problems.join("; "));
}

/** The API server refuses it, too, by a rule that an older definition may not have. */
function misplacedToken({ tokenSecretRef, vaultAuthMethod }: SvcConfigSpec): readonly string[] {
  const takesToken = methodsWithToken.some((method) => method === vaultAuthMethod);
  if (tokenSecretRef === undefined || takesToken) return [];
  const methods = methodsWithToken.join(" or ");
  return [`tokenSecretRef: must be given with vaultAuthMethod ${methods}: it is not`];
}

function checkAddress({ spec, ...place }: SvcConfig, operator: OperatorSettings): Finding {
  const { vaultAddress, allowedAddresses } = spec;
  if (vaultAddress === undefined) {
    const message = "it names no address: those of pods are judged when they are created";
    return { isGood: true, reason: "NoAddress", message };
  }
  const alone = { ...place, spec: { vaultAddress } };
  if (problemsOf(alone, permissive(operator)).length > 0) {
    return bad("Invalid", "vaultAddress is no address");
  }
  const lists = allowedAddresses === undefined ? {} : { allowedAddresses };
  const problems = problemsOf({ ...place, spec: { vaultAddress, ...lists } }, operator);
  return problems.length === 0
    ? { isGood: true, reason: "Allowed", message: "pods may go to vaultAddress" }
    : bad("NotAllowed", problems.join("; "));
}

/** An operator that allows every address, so that only the form is judged. */
function permissive(operator: OperatorSettings): OperatorSettings {
  return { ...operator, allowedAddresses: [], insecureVaultNamespaces: ["*"] };
}

/** As a pod that says nothing but that it wants to be injected into would get them. */
function problemsOf(config: SvcConfig, operator: OperatorSettings): readonly string[] {
  const { prefix } = operator;
  const asked = parseAnnotations({ annotations: { [`${prefix}/inject`]: "true" } }, prefix);
  if (asked.kind !== "asked") throw new TypeError("a pod that asks has a request");
  const resolved = resolveInjection({
    ...{ wanted: asked.wanted, config, operator },
    namespace: config.namespace,
  });
  const label = `SvcConfig ${config.namespace}/${config.name}: `;
  return resolved.ok ? [] : resolved.problems.map(({ message }) => message.replaceAll(label, ""));
}

function checkSelector({ name, spec }: SvcConfig, { inNamespace }: ConfigContext): Finding {
  const others = inNamespace.flatMap((other) => {
    const theirs = other.parsed.ok ? other.parsed.config.spec.selector : undefined;
    if (other.name === name || theirs === undefined || spec.selector === undefined) return [];
    return selectorsOverlap(spec.selector, theirs) ? [other.name] : [];
  });
  if (others.length === 0) {
    return { isGood: true, reason: "Unique", message: "no other one can select the same pod" };
  }
  const names = others.toSorted().join(", ");
  return bad("Overlaps", `a pod that ${names} can select as well is refused unless it names one`);
}

function bad(reason: string, message: string): Finding {
  return { isGood: false, reason, message };
}
