import type { KubernetesApi } from "@svc/kubernetes";
import type { Log } from "@svc/logging";
import type { CertificateMetrics } from "../certificates/certificate-metrics.ts";
import {
  type CertificateSource,
  type OperatorCertificates,
  operatorCertificates,
} from "../certificates/operator-certificates.ts";
import type { CertificateSettings, OperatorProcess } from "../flags/operator-process.ts";

/** The tools for certificates. */
export interface CertificateParts {
  readonly api: KubernetesApi;
  readonly cluster: Pick<OperatorProcess["cluster"], "namespace">;
  readonly log: Log;
  readonly metrics: CertificateMetrics;
}

/** The certificates that the flags ask for. */
export function certificatesOf(
  settings: CertificateSettings,
  { api, cluster, log, metrics }: CertificateParts,
): OperatorCertificates {
  const { configuration, service: name } = settings;
  const { namespace } = cluster;
  return operatorCertificates({
    ...{ api, log, metrics },
    source: sourceOf(settings, namespace),
    webhooks: { configurations: [configuration], service: { namespace, name } },
  });
}

function sourceOf(settings: CertificateSettings, namespace: string): CertificateSource {
  const { names } = settings;
  switch (settings.source) {
    case "self-made": {
      const { secret: name, lifeMs } = settings;
      return { kind: "self-made", secret: { namespace, name }, names, lifeMs };
    }
    case "files": {
      const { certificateFile: certificatePath, keyFile: keyPath, authorityFile } = settings;
      const authority = authorityFile === undefined ? {} : { authorityPath: authorityFile };
      return { kind: "files", certificatePath, keyPath, ...authority, names };
    }
  }
}
