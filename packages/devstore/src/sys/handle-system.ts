import type { Call } from "../http/call.ts";
import { parseBody } from "../http/parse-body.ts";
import type { StoreRequest } from "../http/request.ts";
import { errors, plain, type StoreResponse } from "../http/responses.ts";
import type { StoreState } from "../model/store-state.ts";
import { health } from "./sys-health.ts";
import { initStatus, seal, sealStatus, unseal } from "./sys-seal.ts";

interface SystemPath {
  readonly methods: readonly string[];
  readonly answer: (call: Call) => StoreResponse;
}

/** The answers of a server, sealed or not. */
const PATHS: Readonly<Record<string, SystemPath>> = {
  "sys/health": {
    methods: ["GET", "HEAD"],
    answer: (call) => health(call.request, call.state, call.now),
  },
  "sys/seal-status": { methods: ["GET"], answer: (call) => sealStatus(call.state) },
  "sys/leader": { methods: ["GET"], answer: () => plain(200, { ha_enabled: false }) },
  "sys/init": { methods: ["GET", "PUT", "POST"], answer: initStatus },
  "sys/seal": { methods: ["PUT", "POST"], answer: seal },
  "sys/unseal": { methods: ["PUT", "POST"], answer: unseal },
};

/** The answer to a request about the server itself; undefined for all others. */
export function systemAnswer(
  request: StoreRequest,
  state: StoreState,
  now: number,
): StoreResponse | undefined {
  const path = Object.hasOwn(PATHS, request.path) ? PATHS[request.path] : undefined;
  if (path === undefined) return undefined;
  if (!path.methods.includes(request.method)) return errors(405);
  const body = parseBody(request.body, request.contentType);
  return path.answer({ request, state, now, body, rest: "" });
}
