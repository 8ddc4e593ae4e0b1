import type { LineQueue } from "@svc/logging";
import type { OperatorFacts } from "../admission/operator-metrics.ts";
import type { CertificateMetrics } from "../certificates/certificate-metrics.ts";
import type { ConfigWatch } from "../svc-config/watch-configs.ts";
import type { Permits } from "./open-permits.ts";

/** The sources of facts beside those recorded here. */
export interface FactSources {
  readonly version: string;
  readonly configs: Pick<ConfigWatch, "all" | "isSynced" | "heardMs">;
  readonly lines: Pick<LineQueue, "dropped">;
  readonly permits: Pick<Permits, "hints">;
}

/** Notes what happens in this process, for /metrics. */
export class ProcessFacts implements CertificateMetrics {
  #isLeader = false;
  #expiresMs: number | undefined;
  #rotations = 0;
  #faults = 0;

  readonly leads = (isLeader: boolean): void => {
    this.#isLeader = isLeader;
  };

  readonly served = (expiresMs: number): void => {
    this.#expiresMs = expiresMs;
  };

  readonly rotated = (): void => {
    this.#rotations += 1;
  };

  readonly patchFailed = (): void => {
    this.#faults += 1;
  };

  read({ version, configs, lines, permits }: FactSources): OperatorFacts {
    const heardMs = configs.heardMs();
    return {
      version,
      isLeader: this.#isLeader,
      configs: configs.all().length,
      isSynced: configs.isSynced(),
      heardSeconds: heardMs === undefined ? undefined : (performance.now() - heardMs) / 1000,
      certificateExpiry: this.#expiresMs === undefined ? undefined : this.#expiresMs / 1000,
      certificateRotations: this.#rotations,
      certificateFaults: this.#faults,
      logDropped: lines.dropped(),
      hints: permits.hints?.facts(),
    };
  }
}
