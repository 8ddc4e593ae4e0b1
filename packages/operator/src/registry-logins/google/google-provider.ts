import type { LoginProvider } from "../login-provider.ts";
import type { LoginWay } from "../login-way.ts";
import { readCredentialsFile } from "./credentials-file.ts";
import { federatedToken } from "./federated-token.ts";
import type { GoogleIdentity } from "./google-identity.ts";
import { type GoogleToken, googleLogin } from "./google-token.ts";
import { keyToken } from "./key-token.ts";
import { metadataToken } from "./metadata-token.ts";

/** Logs in to Artifact Registry and Container Registry: one token is for all of them. */
export function googleProvider(identity: GoogleIdentity): LoginProvider {
  return {
    source: "google",
    hint: "the operator's identity needs roles/artifactregistry.reader on the repository",
    keyOf: () => "",
    logIn: async (_, way) => googleLogin(await tokenOf(identity, way)),
  };
}

async function tokenOf(identity: GoogleIdentity, way: LoginWay): Promise<GoogleToken> {
  if (identity.kind === "metadata") return metadataToken(identity.server, way);
  const file = await readCredentialsFile(identity.path, way);
  return file.kind === "external_account" ? federatedToken(file, way) : keyToken(file, way);
}
