import { type ContractServer, send } from "./server.ts";

/** Makes a token with the fields of `auth/token/create` and gives its id. */
export async function makeToken(
  server: ContractServer,
  wanted: Readonly<Record<string, unknown>>,
): Promise<string> {
  const reply = await send(server, { method: "POST", path: "auth/token/create", body: wanted });
  return clientToken(reply.body);
}

/** The token in the `auth` block of an answer; throws when there is none. */
export function clientToken(body: unknown): string {
  const token = field(field(body, "auth"), "client_token");
  if (typeof token === "string") return token;
  throw new TypeError(`the answer has no token: ${JSON.stringify(body)}`);
}

/** The value at `name` of an object; undefined when there is none. */
export function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
