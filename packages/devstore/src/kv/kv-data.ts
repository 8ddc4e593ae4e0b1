import { answer, type Call } from "../http/call.ts";
import { integerField, objectField, toInteger, validated } from "../http/fields.ts";
import { errors, noContent, type StoreResponse } from "../http/responses.ts";
import { isJsonObject, type JsonObject } from "../json/json.ts";
import { refuse } from "../model/errors.ts";
import {
  addVersion,
  changeVersions,
  isGone,
  type KvMount,
  type KvSecret,
  newSecret,
} from "../model/kv-secret.ts";
import { versionView } from "./kv-view.ts";

/** `GET <mount>/data/<path>[?version=n]` */
export function readData(call: Call, mount: KvMount): StoreResponse {
  const query = Object.fromEntries(call.request.query);
  const wanted = validated(() => integerField(query, "version")) ?? 0;
  const secret = mount.secrets.get(call.rest);
  const number = wanted > 0 ? wanted : (secret?.currentVersion ?? 0);
  const version = secret?.versions.get(number);
  if (secret === undefined || version === undefined) return errors(404);
  const gone = isGone(version, call.now);
  const data = gone ? null : version.data;
  const metadata = versionView(secret, number, version);
  return answer(call, { status: gone ? 404 : 200, data: { data, metadata } });
}

/** `POST <mount>/data/<path>` with `data` and, for check-and-set, `options.cas`. */
export function writeData(call: Call, mount: KvMount): StoreResponse {
  refuseFolder(call.rest);
  if (call.body["data"] === undefined) refuse(400, "no data provided");
  const data = objectField(call.body, "data") ?? null;
  return store(call, mount, data);
}

/** `PATCH <mount>/data/<path>` with an RFC 7396 merge patch in `data`. */
export function patchData(call: Call, mount: KvMount): StoreResponse {
  refuseOtherPatches(call.request.contentType);
  const patch = objectField(call.body, "data") ?? refuse(400, "no data provided");
  const secret = mount.secrets.get(call.rest);
  const version = secret?.versions.get(secret.currentVersion);
  if (secret === undefined || version === undefined) return { status: 404 };
  if (isGone(version, call.now)) {
    const metadata = versionView(secret, secret.currentVersion, version);
    return answer(call, { status: 404, data: metadata });
  }
  return store(call, mount, mergePatch(version.data ?? {}, patch));
}

/** `DELETE <mount>/data/<path>`: a soft delete of the current version. */
export function deleteData(call: Call, mount: KvMount): StoreResponse {
  const secret = mount.secrets.get(call.rest);
  if (secret === undefined) return noContent();
  const deleted = changeVersions(secret, [secret.currentVersion], (version) =>
    isGone(version, call.now) ? version : { ...version, deletedMs: call.now },
  );
  mount.secrets.set(call.rest, deleted);
  return noContent();
}

/** 400 for a write to `dir/`. */
export function refuseFolder(path: string): void {
  if (path === "" || path.endsWith("/")) refuse(400, "cannot write to a path ending in '/'");
}

function store(call: Call, mount: KvMount, data: JsonObject | null): StoreResponse {
  const secret = mount.secrets.get(call.rest) ?? newSecret(call.now);
  checkAndSet(call.body, secret, mount);
  const written = addVersion(secret, data, mount.settings, call.now);
  mount.secrets.set(call.rest, written);
  const version = written.versions.get(written.currentVersion);
  if (version === undefined)
    throw new TypeError("addVersion returned a secret without its version");
  return answer(call, { data: versionView(written, written.currentVersion, version) });
}

function checkAndSet(body: JsonObject, secret: KvSecret, mount: KvMount): void {
  const options = objectField(body, "options") ?? {};
  const given = options["cas"];
  if (given === undefined) {
    const required = secret.casRequired || mount.settings.casRequired;
    if (required) refuse(400, "check-and-set parameter required for this call");
    return;
  }
  const wanted = given === null ? 0 : toInteger(given);
  if (wanted === undefined) refuse(400, "error parsing check-and-set parameter");
  if (wanted !== secret.currentVersion) {
    refuse(400, "check-and-set parameter did not match the current version");
  }
}

function refuseOtherPatches(contentType: string): void {
  if (contentType === "") refuse(400, "mime: no media type");
  if (contentType.startsWith("application/merge-patch+json")) return;
  const wanted = "PATCH requires Content-Type of application/merge-patch+json";
  refuse(415, `${wanted}, provided ${contentType}`);
}

function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const old = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) merged.set(key, mergePatch(isJsonObject(old) ? old : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
