import { answer, type Call } from "../http/call.ts";
import { booleanField, durationMsField, integerField, objectField } from "../http/fields.ts";
import { errors, noContent, type StoreResponse } from "../http/responses.ts";
import { goJson } from "../json/go-json.ts";
import type { JsonObject } from "../json/json.ts";
import { type KvMount, type KvSettings, newSecret } from "../model/kv-secret.ts";
import { refuseFolder } from "./kv-data.ts";
import { secretView, settingsView } from "./kv-view.ts";

/** `GET <mount>/metadata/<path>` */
export function readMetadata(call: Call, mount: KvMount): StoreResponse {
  const secret = mount.secrets.get(call.rest);
  return secret === undefined ? errors(404) : answer(call, { data: secretView(secret) });
}

/** `LIST <mount>/metadata/<folder>`: the names right below it, folders with a slash. */
export function listMetadata(call: Call, mount: KvMount): StoreResponse {
  const below = [...mount.secrets.keys()].filter((path) => path.startsWith(call.rest));
  const names = below.map((path) => path.slice(call.rest.length).replace(/\/.*$/s, "/"));
  const keys = [...new Set(names)].sort();
  return keys.length === 0 ? errors(404) : answer(call, { data: { keys } });
}

/**
 * `POST <mount>/metadata/<path>`: settings and custom metadata; creates a secret without versions.
 */
export function writeMetadata(call: Call, mount: KvMount): StoreResponse {
  refuseFolder(call.rest);
  const settings = settingsOf(call.body);
  const custom = objectField(call.body, "custom_metadata");
  if (Object.keys(settings).length === 0 && custom === undefined) return noContent();
  const secret = mount.secrets.get(call.rest) ?? newSecret(call.now);
  mount.secrets.set(call.rest, {
    ...secret,
    ...settings,
    customMetadata: custom === undefined ? secret.customMetadata : textValues(custom),
    metadataVersion: secret.metadataVersion + 1,
    updatedMs: call.now,
  });
  return noContent();
}

/** `DELETE <mount>/metadata/<path>`: the secret with all its versions. */
export function deleteMetadata(call: Call, mount: KvMount): StoreResponse {
  mount.secrets.delete(call.rest.replace(/\/$/, ""));
  return noContent();
}

/** `GET <mount>/config` */
export function readConfig(call: Call, mount: KvMount): StoreResponse {
  return answer(call, { data: settingsView(mount.settings) });
}

/** `POST <mount>/config` */
export function writeConfig(call: Call, mount: KvMount): StoreResponse {
  mount.settings = { ...mount.settings, ...settingsOf(call.body) };
  return noContent();
}

function settingsOf(body: JsonObject): Partial<KvSettings> {
  const maxVersions = integerField(body, "max_versions");
  const casRequired = booleanField(body, "cas_required");
  const deleteVersionAfterMs = durationMsField(body, "delete_version_after");
  return {
    ...(maxVersions === undefined ? {} : { maxVersions }),
    ...(casRequired === undefined ? {} : { casRequired }),
    ...(deleteVersionAfterMs === undefined ? {} : { deleteVersionAfterMs }),
  };
}

/** OpenBao keeps custom metadata as text, for every type of input. */
function textValues(custom: JsonObject): JsonObject {
  const entries = Object.entries(custom);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === "string" ? value : goJson(value)]),
  );
}
