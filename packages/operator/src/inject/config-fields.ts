import type { AnnotationKey } from "../annotations/annotation-table.ts";
import type { SvcConfigSpec } from "../svc-config/svc-config.ts";

/** A field of a SvcConfig and the annotation that takes precedence over it. */
export interface ConfigField {
  readonly annotation: AnnotationKey;
  readonly field: keyof SvcConfigSpec;
  /** The field as the annotation would say it; undefined if it is absent. */
  readonly text: (spec: SvcConfigSpec) => string | undefined;
}

/** Which annotations a SvcConfig can stand in for. */
export const configFields: readonly ConfigField[] = [
  textField("vaultAddress", "vaultAddress"),
  textField("vaultAuthMethod", "vaultAuthMethod"),
  textField("vaultRole", "vaultRole"),
  textField("vaultAuthPath", "vaultAuthPath"),
  textField("vaultNamespace", "vaultNamespace"),
  textField("envMap", "envMap"),
  textField("fileMap", "fileMap"),
  textField("rotation", "rotation"),
  textField("stopSignal", "stopSignal"),
  textField("vaultCaBundle", "caBundle"),
  textField("wrapperImage", "wrapperImage"),
  textField("tokenAudience", "tokenAudience"),
  {
    annotation: "secretPaths",
    field: "secretPaths",
    text: ({ secretPaths }) => secretPaths?.join(","),
  },
  {
    annotation: "brokerTlsSecret",
    field: "brokerTlsSecretRef",
    text: ({ brokerTlsSecretRef: ref }) => ref?.name,
  },
  {
    annotation: "brokerCaSecret",
    field: "brokerCaSecretRef",
    text: ({ brokerCaSecretRef: ref }) => ref && `${ref.name}/${ref.key ?? "ca.crt"}`,
  },
  { annotation: "ebpf", field: "ebpf", text: ({ ebpf }) => ebpf?.toString() },
  {
    annotation: "requireAgent",
    field: "requireAgent",
    text: ({ requireAgent }) => requireAgent?.toString(),
  },
  {
    annotation: "tokenSecret",
    field: "tokenSecretRef",
    text: ({ tokenSecretRef: ref }) => ref && `${ref.name}/${ref.key ?? "token"}`,
  },
];

function textField(
  annotation: AnnotationKey,
  field:
    | "vaultAddress"
    | "vaultAuthMethod"
    | "vaultRole"
    | "vaultAuthPath"
    | "vaultNamespace"
    | "envMap"
    | "fileMap"
    | "rotation"
    | "stopSignal"
    | "caBundle"
    | "wrapperImage"
    | "tokenAudience",
): ConfigField {
  return { annotation, field, text: (spec) => spec[field] };
}
