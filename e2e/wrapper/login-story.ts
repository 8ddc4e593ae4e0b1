import {
  answerPart,
  answerText,
  callBao,
  type OpenBao,
  startOpenBao,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { type JwtSigner, jwtSigner } from "./jwt-signer.ts";

/** A token's life: short enough for a test, long enough for a busy machine. */
const shortLife = { token_ttl: "6s", token_max_ttl: "8s" };
/** The names of roles of each method. */
export type StoryRole = "app" | "short" | "batch";

/** A real server, and its inputs to a login. */
export interface LoginStory {
  readonly bao: OpenBao;
  readonly signer: JwtSigner;
  readonly roleIds: Readonly<Record<StoryRole | "free", string>>;
}

/** Starts OpenBao with both auth methods and a secret that their roles may read. */
export async function startLoginStory(): Promise<LoginStory> {
  const bao = await startOpenBao();
  const signer = await jwtSigner();
  await writeSecret(bao, "secret/data/app", { password: "delivered" });
  await writePolicy(bao, "app", [{ path: "secret/data/app", capabilities: ["read"] }]);
  const post = (path: string, body: object) => callBao(bao, { method: "POST", path, body });
  for (const type of ["jwt", "approle"]) await post(`sys/auth/${type}`, { type });
  await post("auth/jwt/config", { jwt_validation_pubkeys: [signer.publicPem] });
  const role = { role_type: "jwt", user_claim: "sub", bound_audiences: ["vault"] };
  await post("auth/jwt/role/app", { ...role, token_policies: ["app"] });
  await post("auth/jwt/role/short", { ...role, ...shortLife, token_policies: ["app"] });
  const batch = { token_type: "batch", token_ttl: "6s", token_policies: ["app"] };
  await post("auth/jwt/role/batch", { ...role, ...batch });
  const machine = "auth/approle/role";
  await post(`${machine}/batch`, batch);
  await post(`${machine}/app`, { token_policies: ["app"] });
  await post(`${machine}/short`, { ...shortLife, token_policies: ["app"], secret_id_num_uses: 1 });
  const free = { bind_secret_id: false, token_bound_cidrs: ["127.0.0.1/32"] };
  await post(`${machine}/free`, { ...free, token_policies: ["app"] });
  const idOf = async (name: string) => {
    const answer = await callBao(bao, { method: "GET", path: `${machine}/${name}/role-id` });
    return answerText(answerPart(answer, "data"), "role_id");
  };
  const others = { batch: await idOf("batch"), free: await idOf("free") };
  const roleIds = { app: await idOf("app"), short: await idOf("short"), ...others };
  return { bao, signer, roleIds };
}

/** Makes a secret id; one of `short` works once. */
export async function newSecretId(bao: OpenBao, role: StoryRole): Promise<string> {
  const path = `auth/approle/role/${role}/secret-id`;
  const answer = await callBao(bao, { method: "POST", path, body: {} });
  return answerText(answerPart(answer, "data"), "secret_id");
}

/** True if the vault knows the token. */
export async function isAlive(bao: OpenBao, token: string): Promise<boolean> {
  const target = { ...bao, rootToken: token };
  const lookup = callBao(target, { method: "GET", path: "auth/token/lookup-self" });
  return await lookup.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && error.message.includes("status 403")) return false;
      throw error;
    },
  );
}
