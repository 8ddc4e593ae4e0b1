import type { AnnotationKey, AnnotationValues } from "../annotations/annotation-table.ts";
import type { ResourceNeeds } from "../pod/pod.ts";
import type { OperatorSettings } from "./operator-settings.ts";

/** A text and its place. */
export interface SourcedText {
  readonly text: string;
  readonly from: "annotation" | "SvcConfig";
  /** The name of the annotation in messages, which may be its old one. */
  readonly label?: string;
}

/** The settings for a pod: its annotations, the SvcConfig's additions, and the operator's own. */
export interface InjectionSettings {
  readonly operator: OperatorSettings;
  /** By annotation; the default if neither says anything. */
  readonly values: AnnotationValues;
  /** The texts that annotations and SvcConfig gave, by annotation. */
  readonly texts: ReadonlyMap<AnnotationKey, SourcedText>;
  /** `SvcConfig shop/default`; undefined if the pod has none. */
  readonly configName: string | undefined;
  /** The namespace and name of that SvcConfig: `shop/default`. */
  readonly configPlace: string | undefined;
  /** The resources of the init container that brings the wrapper. */
  readonly resources: ResourceNeeds;
  /** True if the SvcConfig says them. */
  readonly hasOwnResources: boolean;
  /** Every list that an address has to be in. */
  readonly allowedAddresses: readonly (readonly string[])[];
  /** The pod's. */
  readonly namespace: string;
  /** True if its pods may go to a vault without TLS, or without verifying its certificate. */
  readonly permitsInsecureVault: boolean;
}

/** An annotation's full name, for messages. */
export type NameAnnotation = (name: string) => string;
