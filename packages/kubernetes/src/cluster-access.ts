/**
 * How the API server is reached; given by `main.ts`, because nothing here reads the environment.
 */
export type ClusterAccess =
  /** With the files of the pod's own service account. */
  | {
      readonly kind: "pod";
      /** KUBERNETES_SERVICE_HOST. */
      readonly host: string;
      /** KUBERNETES_SERVICE_PORT. */
      readonly port: string;
      /** The folder of `ca.crt` and `token`; by default the one that the kubelet mounts. */
      readonly folder?: string;
    }
  | {
      readonly kind: "kubeconfig";
      /**
       * KUBECONFIG's files in their order, or `~/.kube/config`; those that are absent count for
       * nothing.
       */
      readonly paths: readonly string[];
      /** The context; by default each file's `current-context`, the first that has one. */
      readonly context?: string;
      /** PATH and HOME for the programs that a kubeconfig names to log in with (`exec`). */
      readonly programs?: { readonly path: string; readonly home: string };
    };
