import { type Shape, shapeProblems } from "../pod/shape.ts";
import type { SvcConfig } from "./svc-config.ts";

/** A SvcConfig, or all that keeps a value from being one. */
export type ParsedSvcConfig =
  | { readonly ok: true; readonly config: SvcConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Checks the kinds of a SvcConfig's fields. The API server has judged it by the rules of the
 * definition; the code that uses its texts parses them, as with annotations.
 */
export function parseSvcConfig(value: unknown): ParsedSvcConfig {
  const problems = shapeProblems(value, shape, "SvcConfig");
  if (problems.length > 0) return { ok: false, problems };
  // The shape names each field of the type with the kind that the type has for it.
  const { metadata, spec } = value as Checked;
  const { namespace, name } = metadata;
  return { ok: true, config: { namespace, name, spec: spec ?? {} } };
}

interface Checked {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec?: SvcConfig["spec"] | null;
}

const texts: Shape = { list: "text" };
const quantities: Shape = { map: "quantity" };

const shape: Shape = {
  required: ["metadata"],
  fields: {
    metadata: { required: ["namespace", "name"], fields: { namespace: "text", name: "text" } },
    spec: {
      fields: {
        vaultAddress: "text",
        vaultRole: "text",
        vaultAuthMethod: "text",
        vaultAuthPath: "text",
        vaultNamespace: "text",
        secretPaths: texts,
        envMap: "text",
        fileMap: "text",
        rotation: "text",
        stopSignal: "text",
        caBundle: "text",
        wrapperImage: "text",
        wrapperResources: { fields: { requests: quantities, limits: quantities } },
        ebpf: "boolean",
        requireAgent: "boolean",
        tokenSecretRef: { required: ["name"], fields: { name: "text", key: "text" } },
        brokerTlsSecretRef: { required: ["name"], fields: { name: "text" } },
        brokerCaSecretRef: { required: ["name"], fields: { name: "text", key: "text" } },
        tokenAudience: "text",
        allowedAddresses: texts,
        selector: {
          fields: {
            matchLabels: { map: "text" },
            matchExpressions: {
              list: {
                required: ["key", "operator"],
                fields: { key: "text", operator: "text", values: texts },
              },
            },
          },
        },
      },
    },
  },
};
