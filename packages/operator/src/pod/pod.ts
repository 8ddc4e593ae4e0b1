/** A pod, with the fields that this code reads; its other fields stay unchanged. */
export interface Pod {
  readonly metadata: PodMetadata;
  readonly spec: PodSpec;
  readonly [field: string]: unknown;
}

/** Names may be absent: the server makes them of `generateName` after admission. */
export interface PodMetadata {
  readonly name?: string | null;
  readonly generateName?: string | null;
  readonly namespace?: string | null;
  readonly annotations?: TextMap | null;
  readonly labels?: TextMap | null;
  readonly [field: string]: unknown;
}

/** Texts by name. */
export type TextMap = Readonly<Record<string, string>>;

/** The containers of the pod and their node. */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[] | null;
  readonly volumes?: readonly Volume[] | null;
  readonly os?: { readonly name?: string | null } | null;
  readonly nodeSelector?: TextMap | null;
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity | null } | null;
  readonly hostNetwork?: boolean | null;
  /** `Always`, which is the default, `OnFailure` or `Never`. */
  readonly restartPolicy?: string | null;
  readonly hostPID?: boolean | null;
  readonly shareProcessNamespace?: boolean | null;
  /** Seconds. */
  readonly terminationGracePeriodSeconds?: number | null;
  readonly imagePullSecrets?: readonly { readonly name?: string | null }[] | null;
  readonly securityContext?: SecurityContext | null;
  readonly hostAliases?: readonly HostAlias[] | null;
  readonly dnsConfig?: DnsConfig | null;
  /** The resources of all containers together. */
  readonly resources?: ResourceNeeds | null;
  readonly [field: string]: unknown;
}

/** Names that containers of the pod find at an address, regardless of DNS. */
export interface HostAlias {
  readonly ip?: string | null;
  readonly hostnames?: readonly string[] | null;
}

/** Additions to the resolver's settings of the pod. */
export interface DnsConfig {
  readonly nameservers?: readonly string[] | null;
  readonly searches?: readonly string[] | null;
  readonly [field: string]: unknown;
}

/** Nodes that the pod may be on: those of any of the terms. */
export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] | null;
  } | null;
}

/** Every expression has to hold. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorExpression[] | null;
}

/** A label of a node. */
export interface NodeSelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

/** A container of any kind. */
export interface Container {
  readonly name: string;
  readonly image?: string | null;
  /** `Always`, `IfNotPresent` or `Never`. */
  readonly imagePullPolicy?: string | null;
  readonly command?: readonly string[] | null;
  readonly args?: readonly string[] | null;
  readonly env?: readonly EnvEntry[] | null;
  readonly envFrom?: readonly unknown[] | null;
  readonly ports?: readonly ContainerPort[] | null;
  readonly volumeMounts?: readonly VolumeMount[] | null;
  readonly resources?: ResourceNeeds | null;
  readonly securityContext?: SecurityContext | null;
  readonly readinessProbe?: Probe | null;
  readonly livenessProbe?: Probe | null;
  readonly startupProbe?: Probe | null;
  readonly lifecycle?: Lifecycle | null;
  /** `Always` makes a sidecar of an init container. */
  readonly restartPolicy?: string | null;
  readonly terminationMessagePath?: string | null;
  readonly [field: string]: unknown;
}

/** A variable of a container. */
export interface EnvEntry {
  readonly name: string;
  readonly value?: string | null;
  readonly valueFrom?: unknown;
}

/** A port that a container says it listens on. */
export interface ContainerPort {
  readonly containerPort: number;
  readonly name?: string | null;
  readonly [field: string]: unknown;
}

/** The path of a volume in a container. */
export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean | null;
  readonly [field: string]: unknown;
}

/** A volume of the pod. */
export interface Volume {
  readonly name: string;
  readonly [source: string]: unknown;
}

/** Quantities by resource. */
export interface ResourceNeeds {
  readonly requests?: Quantities | null;
  readonly limits?: Quantities | null;
  readonly [field: string]: unknown;
}

/** YAML has `cpu: 1` for a number; the server writes texts. */
export type Quantities = Readonly<Record<string, string | number>>;

/** The security context of a pod or of a container. */
export interface SecurityContext {
  readonly runAsUser?: number | null;
  readonly runAsGroup?: number | null;
  readonly runAsNonRoot?: boolean | null;
  readonly seLinuxOptions?: unknown;
  readonly capabilities?: Capabilities | null;
  readonly [field: string]: unknown;
}

/** Names without CAP_. */
export interface Capabilities {
  readonly add?: readonly string[] | null;
  readonly drop?: readonly string[] | null;
}

/** How the kubelet asks a container how it is. */
export interface Probe {
  readonly exec?: ExecAction | null;
  readonly httpGet?: PortAction | null;
  readonly tcpSocket?: PortAction | null;
  readonly grpc?: PortAction | null;
  readonly periodSeconds?: number | null;
  readonly timeoutSeconds?: number | null;
  /** Failures in a row after which the probe counts as failed. */
  readonly failureThreshold?: number | null;
  readonly [field: string]: unknown;
}

/** A command that the kubelet runs in a container. */
export interface ExecAction {
  readonly command?: readonly string[] | null;
}

/** A port by number or name. */
export interface PortAction {
  readonly port?: number | string | null;
  /** By default those of the pod. */
  readonly host?: string | null;
  /** The path of an `httpGet`. */
  readonly path?: string | null;
  readonly [field: string]: unknown;
}

/** The commands after a container's start and before its end. */
export interface Lifecycle {
  readonly postStart?: Probe | null;
  readonly preStop?: Probe | null;
  /** The name of the signal that ends the container: `SIGUSR1`. */
  readonly stopSignal?: string | null;
  readonly [field: string]: unknown;
}
