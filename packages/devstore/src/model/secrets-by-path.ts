import type { JsonObject } from "../json/json.ts";

/** Secrets by their KV version 2 path: `{"secret/data/app": {"user": "me"}}`. */
export type SecretsByPath = Readonly<Record<string, JsonObject>>;
