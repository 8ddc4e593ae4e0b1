import { answer, type TokenCall } from "../http/call.ts";
import type { Operation } from "../http/request.ts";
import type { StoreResponse } from "../http/responses.ts";
import type { TokenRoute } from "../http/route.ts";
import type { KvMount } from "../model/kv-secret.ts";
import { deleteData, patchData, readData, writeData } from "./kv-data.ts";
import {
  deleteMetadata,
  listMetadata,
  readConfig,
  readMetadata,
  writeConfig,
  writeMetadata,
} from "./kv-metadata.ts";
import { deleteVersions, destroyVersions, undeleteVersions } from "./kv-versions.ts";

type KvHandler = (call: TokenCall, mount: KvMount) => StoreResponse;

const AREAS: Readonly<Record<string, Readonly<Partial<Record<Operation, KvHandler>>>>> = {
  data: { read: readData, write: writeData, patch: patchData, delete: deleteData },
  metadata: {
    read: readMetadata,
    list: listMetadata,
    write: writeMetadata,
    delete: deleteMetadata,
  },
  delete: { write: deleteVersions },
  undelete: { write: undeleteVersions },
  destroy: { write: destroyVersions },
};

const CONFIG: Readonly<Partial<Record<Operation, KvHandler>>> = {
  read: readConfig,
  write: writeConfig,
};

/** The route of `inside`, the path below a KV version 2 mount. */
export function kvRoute(mount: KvMount, inside: string): TokenRoute {
  if (inside === "config") return bind(mount, CONFIG, "");
  const slash = inside.indexOf("/");
  const area = AREAS[slash === -1 ? inside : inside.slice(0, slash)];
  if (area === undefined) return { kind: "token", rest: inside, operations: INVALID_PATH };
  if (slash === -1) return { kind: "token", rest: "", operations: ROOT_OF_AREA };
  const rest = inside.slice(slash + 1);
  const route = bind(mount, area, rest);
  const created = area === AREAS["data"] || area === AREAS["metadata"];
  return created ? { ...route, exists: () => mount.secrets.has(rest) } : route;
}

function bind(
  mount: KvMount,
  handlers: Readonly<Partial<Record<Operation, KvHandler>>>,
  rest: string,
): TokenRoute {
  const operations = Object.fromEntries(
    Object.entries(handlers).map(([operation, handler]) => [
      operation,
      (call: TokenCall) => handler(call, mount),
    ]),
  );
  return { kind: "token", rest, operations };
}

/** OpenBao answers a path that only KV version 1 has with a hint instead of a bare 404. */
const INVALID_PATH: TokenRoute["operations"] = {
  read: invalidPath("get"),
  list: invalidPath("list"),
  write: invalidPath("put"),
  patch: invalidPath("patch"),
  delete: invalidPath("delete"),
};

function invalidPath(verb: string): (call: TokenCall) => StoreResponse {
  const advice = "See the API docs for the appropriate API endpoints to use.";
  const command = `If using the OpenBao CLI, use 'bao kv ${verb}' for this operation.`;
  const warning = `Invalid path for a versioned K/V secrets engine. ${advice} ${command}`;
  return (call) => answer(call, { status: 404, warnings: [warning] });
}

const ROOT_OF_AREA: TokenRoute["operations"] = {
  read: rootOfArea,
  write: rootOfArea,
  patch: rootOfArea,
  delete: rootOfArea,
};

function rootOfArea(call: TokenCall): StoreResponse {
  const warning = "Non-listing operations on the root of a K/V v2 mount are not supported.";
  return answer(call, { status: 404, warnings: [warning] });
}
