import { parseGoBool } from "../http/operation-of.ts";
import type { StoreRequest } from "../http/request.ts";
import { errors, plain, type StoreResponse } from "../http/responses.ts";
import type { JsonObject } from "../json/json.ts";
import { refuse } from "../model/errors.ts";
import type { StoreState } from "../model/store-state.ts";
import { OPENBAO_VERSION } from "./version.ts";

/** `GET sys/health`: the state as a status code, which `activecode` and `sealedcode` replace. */
export function health(request: StoreRequest, state: StoreState, now: number): StoreResponse {
  if (request.namespace !== "") return errors(400, "operation unavailable in namespaces");
  const active = codeParameter(request, "activecode") ?? 200;
  const sealed = codeParameter(request, "sealedcode") ?? 503;
  refuseBadParameters(request);
  return plain(state.sealed ? sealed : active, fields(state, now));
}

/** Codes and flags for states that this store never has are still checked. */
function refuseBadParameters(request: StoreRequest): void {
  for (const name of ["standbycode", "uninitcode", "drsecondarycode", "performancestandbycode"]) {
    codeParameter(request, name);
  }
  for (const name of ["standbyok", "perfstandbyok"]) {
    const text = request.query.get(name) ?? "";
    if (text !== "" && parseGoBool(text) === undefined) refuse(400, "");
  }
}

function codeParameter(request: StoreRequest, name: string): number | undefined {
  const text = request.query.get(name) ?? "";
  if (text === "") return undefined;
  // OpenBao drops the connection on a code below 100; a 400 is the kinder answer.
  return /^[1-9]\d\d$/.test(text) ? Number(text) : refuse(400, "");
}

function fields(state: StoreState, now: number): JsonObject {
  const replication = state.sealed ? "unknown" : "disabled";
  return {
    initialized: true,
    sealed: state.sealed,
    standby: state.sealed,
    replication_performance_mode: replication,
    replication_dr_mode: replication,
    server_time_utc: Math.floor(now / 1000),
    version: OPENBAO_VERSION,
    ...(state.sealed ? {} : clusterFields(state)),
  };
}

/** Only an unsealed server knows its cluster. */
export function clusterFields(state: StoreState): JsonObject {
  return { cluster_name: state.clusterName, cluster_id: state.clusterId };
}
