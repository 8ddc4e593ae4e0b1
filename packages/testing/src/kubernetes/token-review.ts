import type { Certificate } from "../certificates/certificate-authority.ts";

/** The service account that the static JWT stands for. */
export interface ReviewedAccount {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly audiences: readonly string[];
}

/** A server that plays the API server's part in a kubernetes login. */
export interface TokenReviewServer extends AsyncDisposable {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/**
 * Answers TokenReview (authentication.k8s.io/v1) over TLS: authenticated for `jwt` and nothing
 * else, with the audiences that were asked for and that the account has.
 */
export function startTokenReview(
  jwt: string,
  account: ReviewedAccount,
  certificate: Certificate,
): TokenReviewServer {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: certificate.certificatePem, key: certificate.keyPem },
    routes: {
      "/apis/authentication.k8s.io/v1/tokenreviews": {
        POST: async (request) => {
          const spec = specOf(await request.json());
          const status = spec.token === jwt ? accepted(account, spec.audiences) : REFUSED;
          const kind = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview" };
          return Response.json({ ...kind, spec, status }, { status: 201 });
        },
      },
    },
    fetch: () => new Response(null, { status: 404 }),
  });
  const stop = () => server.stop(true);
  return { address: server.url.origin, stop, [Symbol.asyncDispose]: stop };
}

interface ReviewSpec {
  readonly token: string;
  readonly audiences: readonly string[];
}

const REFUSED = { authenticated: false, error: "invalid bearer token" };

function specOf(review: unknown): ReviewSpec {
  const spec = field(review, "spec");
  const [token, audiences] = [field(spec, "token"), field(spec, "audiences")];
  return {
    token: typeof token === "string" ? token : "",
    audiences: Array.isArray(audiences) ? audiences.filter((it) => typeof it === "string") : [],
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function accepted(account: ReviewedAccount, asked: readonly string[]): object {
  const user = {
    username: `system:serviceaccount:${account.namespace}:${account.name}`,
    uid: account.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`],
  };
  const audiences = account.audiences.filter((it) => asked.length === 0 || asked.includes(it));
  return audiences.length === 0 ? REFUSED : { authenticated: true, user, audiences };
}
