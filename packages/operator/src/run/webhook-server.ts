import {
  type AdmissionServerOptions,
  type ServerCertificate,
  type StopOptions,
  serveAdmission,
} from "../admission/serve-admission.ts";

/** The webhook, which begins with the first certificate. */
export interface WebhookServer {
  /**
   * Serves with a certificate, the first or another; throws the runtime's error for an invalid one.
   */
  readonly serve: (certificate: ServerCertificate) => void;
  readonly stop: (options: StopOptions) => Promise<void>;
  /** Undefined while it is not served. */
  readonly port: () => number | undefined;
}

/** The inputs of a webhook. */
export interface WebhookServerOptions extends Omit<AdmissionServerOptions, "certificate"> {
  readonly onStart: (port: number) => void;
  /** The address cannot be had, which another certificate does not change. */
  readonly onFailure: (error: Error) => void;
}

/** Makes a webhook that is not served yet. */
export function webhookServer({
  onStart,
  onFailure,
  ...options
}: WebhookServerOptions): WebhookServer {
  let server: ReturnType<typeof serveAdmission> | undefined;
  return {
    serve: (certificate) => {
      if (server !== undefined) {
        server.replaceCertificate(certificate);
        return;
      }
      try {
        server = serveAdmission({ ...options, certificate });
      } catch (error) {
        if (error instanceof Error && "syscall" in error) onFailure(error);
        throw error;
      }
      onStart(server.port);
    },
    stop: async (how) => server?.stop(how),
    port: () => server?.port,
  };
}
