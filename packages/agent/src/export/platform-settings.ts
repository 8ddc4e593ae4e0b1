import { readFileSync } from "node:fs";
import { AgentError } from "../agent-error.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { PlatformEndpoint } from "../settings/parse-platform-endpoint.ts";
import { type PlatformHeaders, readPlatformHeaders } from "./platform-headers.ts";

/** The settings that say how the platform is reached. */
export type PlatformSettings = Pick<
  AgentSettings,
  | "headersFile"
  | "platformCaPath"
  | "platformCertPath"
  | "platformKeyPath"
  | "compression"
  | "requestTimeoutMs"
  | "resourceAttributes"
> & { readonly endpoint: PlatformEndpoint };

/** The platform's files: PEM texts, and headers. */
export interface PlatformFiles {
  readonly headers: PlatformHeaders;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/**
 * Reads the files that the settings name.
 *
 * @throws AgentError `PLATFORM_HEADERS_UNUSABLE`, `PLATFORM_TLS_UNUSABLE`
 */
export function readPlatformFiles(settings: PlatformSettings): PlatformFiles {
  const { headersFile, platformCaPath, platformCertPath, platformKeyPath } = settings;
  const ca = readPem("PLATFORM_TLS_CA", platformCaPath);
  const cert = readPem("PLATFORM_TLS_CERT", platformCertPath);
  const key = readPem("PLATFORM_TLS_KEY", platformKeyPath);
  return {
    headers: headersFile === undefined ? new Map() : readPlatformHeaders(headersFile),
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    },
  };
}

function readPem(variable: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
    throw new AgentError("PLATFORM_TLS_UNUSABLE", `read ${variable} (${path}): ${code}`);
  }
  if (text.includes("-----BEGIN ")) return text;
  throw new AgentError("PLATFORM_TLS_UNUSABLE", `read ${variable} (${path}): it is not a PEM file`);
}
