import { certificateAuthority } from "@svc/testing";

/** A token server as distribution's specification has it, with one user. */
export interface TokenServer extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly realm: string;
  /** The authority by which the registry checks tokens. */
  readonly authorityPem: string;
  /** Signs a token; `lifeS` in seconds, by default five minutes. */
  readonly sign: (
    repository: string,
    actions: readonly string[],
    lifeS?: number,
  ) => Promise<string>;
  /** The life of later tokens in seconds. The answers still say five minutes. */
  lifeS: number;
}

/** Every client may pull `public` and `library`, the user may pull everything. */
export async function startTokenServer(user: {
  readonly name: string;
  readonly password: string;
}): Promise<TokenServer> {
  const authority = await certificateAuthority();
  const sign = await signer(await authority.issue());
  const state = { lifeS: 300 };
  const known = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const authorization = request.headers.get("authorization");
      if (authorization !== null && authorization !== known)
        return new Response(null, { status: 401 });
      const scope = new URL(request.url).searchParams.get("scope") ?? "";
      const name = /^repository:(.+):pull$/.exec(scope)?.[1] ?? "";
      const may = authorization === known || /^(?:public|library\/.*)$/.test(name);
      const token = await sign(name, may ? ["pull"] : [], state.lifeS);
      return Response.json({ token, expires_in: 300 });
    },
  });
  const host = `127.0.0.1:${server.port}`;
  return {
    host,
    realm: `http://${host}/token`,
    authorityPem: authority.certificatePem,
    sign,
    get lifeS() {
      return state.lifeS;
    },
    set lifeS(seconds) {
      state.lifeS = seconds;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

interface Pair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** Signs tokens with the key; the certificate is in each of them. */
async function signer({ certificatePem, keyPem }: Pair): Promise<TokenServer["sign"]> {
  const curve = { name: "ECDSA", namedCurve: "P-256" } as const;
  const key = await crypto.subtle.importKey(
    "pkcs8",
    Buffer.from(base64In(keyPem), "base64"),
    curve,
    false,
    ["sign"],
  );
  return async (repository: string, actions: readonly string[], lifeS = 300) => {
    const now = Math.floor(Date.now() / 1000);
    const head = { typ: "JWT", alg: "ES256", x5c: [base64In(certificatePem)] };
    const access = actions.length === 0 ? [] : [{ type: "repository", name: repository, actions }];
    const times = { exp: now + lifeS, nbf: now - 1000, iat: now - 1000 };
    const claims = {
      iss: "test",
      sub: "",
      aud: "test",
      ...times,
      jti: crypto.randomUUID(),
      access,
    };
    const text = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const signature = await crypto.subtle.sign(
      { ...curve, hash: "SHA-256" },
      key,
      Buffer.from(text),
    );
    return `${text}.${Buffer.from(signature).toString("base64url")}`;
  };
}

function base64In(pem: string): string {
  return pem.replace(/-----[^-]+-----|\s/g, "");
}
