import { timeText } from "../http/call.ts";
import { formatDuration } from "../json/go-duration.ts";
import type { JsonObject } from "../json/json.ts";
import type { KvSecret, KvSettings, KvVersion } from "../model/kv-secret.ts";

/** The metadata of one version, as it comes with data and as the answer to a write. */
export function versionView(secret: KvSecret, number: number, version: KvVersion): JsonObject {
  return {
    created_time: timeText(version.createdMs),
    custom_metadata: secret.customMetadata,
    deletion_time: timeText(version.deletedMs),
    destroyed: version.destroyed,
    version: number,
  };
}

/** The answer to a metadata read. */
export function secretView(secret: KvSecret): JsonObject {
  return {
    ...settingsView(secret),
    created_time: timeText(secret.createdMs),
    current_metadata_version: secret.metadataVersion,
    current_version: secret.currentVersion,
    custom_metadata: secret.customMetadata,
    oldest_version: secret.oldestVersion,
    updated_time: timeText(secret.updatedMs),
    versions: Object.fromEntries([...secret.versions].map(([number, it]) => [number, summary(it)])),
  };
}

/** The settings of a mount, or of a secret. */
export function settingsView(settings: KvSettings): JsonObject {
  return {
    cas_required: settings.casRequired,
    delete_version_after: formatDuration(settings.deleteVersionAfterMs),
    max_versions: settings.maxVersions,
    metadata_cas_required: false,
  };
}

function summary(version: KvVersion): JsonObject {
  return {
    created_time: timeText(version.createdMs),
    deletion_time: timeText(version.deletedMs),
    destroyed: version.destroyed,
  };
}
