/** Receives the events of certificates, for /metrics. */
export interface CertificateMetrics {
  /** This replica serves a certificate that ends at this time, in milliseconds since the epoch. */
  readonly served: (expiresMs: number) => void;
  /** This process has put a new certificate into service for all replicas. */
  readonly rotated: () => void;
  /** Failed writes of the webhooks' CA bundles. */
  readonly patchFailed: () => void;
}
