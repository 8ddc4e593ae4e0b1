import { certificateAuthority } from "@svc/testing";

/** A question as a wrapper asked it, with its token. */
export interface AskedPermit {
  readonly token: string;
  readonly say: string;
  readonly by: string;
  readonly expiresInSeconds?: number;
}

/** The operator's side of permits, whose answers the story decides. */
export interface PermitDesk extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  readonly questions: () => readonly AskedPermit[];
  /** How many questions of this kind came. */
  readonly heard: (say: string) => number;
  /** Sets the answer to the next questions. */
  readonly answer: (next: () => Response) => void;
}

/** The answer that lets a wrapper go on. */
export const go = (): Response => Response.json({ decision: "go" });

/** The answer that lets it wait for a moment. */
export const wait = (reason: string): Response =>
  Response.json({ decision: "wait", reason, retryAfterMs: 300 });

/** Listens with TLS; the environment leads a wrapper there. */
export async function permitDesk(tokenPath: string): Promise<PermitDesk> {
  const authority = await certificateAuthority();
  const { certificatePem: cert, keyPem: key } = await authority.issue();
  const questions: AskedPermit[] = [];
  let answer = go;
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls: { cert, key } },
    fetch: async (request) => {
      if (new URL(request.url).pathname !== "/v1/rotation-permits")
        return new Response("", { status: 404 });
      const question = (await request.json()) as AskedPermit;
      questions.push(question);
      return question.say === "ask" ? answer() : go();
    },
  });
  return {
    environment: {
      SVC_PERMITS_ADDR: `https://127.0.0.1:${server.port}`,
      SVC_PERMITS_CACERT_BYTES: authority.certificatePem,
      SVC_PERMITS_TOKEN_FILE: tokenPath,
    },
    questions: () => questions,
    heard: (say) => questions.filter((question) => question.say === say).length,
    answer: (next) => {
      answer = next;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
