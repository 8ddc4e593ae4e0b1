import { chmodSync } from "node:fs";
import {
  awsStandIn,
  azureStandIn,
  basicRegistry,
  bearerRegistry,
  googleStandIn,
  loginFiles,
  type StandIn,
  standIn,
  subject,
  type TokenIssuer,
  tokenIssuer,
} from "@svc/operator/testdata";
import { canary } from "@svc/testing";

/**
 * Clouds with a registry each, which takes only a credential that was exchanged for the operator's
 * token.
 */
export interface CloudStage extends AsyncDisposable {
  readonly clouds: readonly Cloud[];
  /**
   * Docker's configuration, and the folder of the helper that it names for a separate registry.
   */
  readonly docker: { readonly config: string; readonly helpers: string };
  /** Variables for all of them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly issuer: TokenIssuer;
  /**
   * Writes a token for each, of another service account if it is given one, and gives the variables
   * that name them.
   */
  readonly writeTokens: (subject?: string) => Promise<Readonly<Record<string, string>>>;
  readonly servers: readonly StandIn[];
}

/** One cloud. */
export interface Cloud {
  readonly source: "aws" | "google" | "azure" | "docker-config";
  readonly way: string;
  /** `127.0.0.1:PORT` of its registry, which has `app:latest`. */
  readonly registry: string;
}

/** Starts them. */
export async function cloudStage(): Promise<CloudStage> {
  await using stack = new AsyncDisposableStack();
  const issuer = await tokenIssuer();
  const files = stack.use(loginFiles());
  chmodSync(files.path, 0o755);
  const aws = stack.use(awsStandIn({ issuer, subject }));
  const google = stack.use(googleStandIn({ issuer, subject }));
  const azure = stack.use(azureStandIn({ issuer, subject }));
  const ecr = stack.use(
    standIn(...basicRegistry((user, password) => user === "AWS" && password === aws.password)),
  );
  const isGood = (user: string, password: string) =>
    user === "oauth2accesstoken" && google.good.has(password);
  const artifacts = stack.use(standIn(...bearerRegistry({ realm: "/v2/token", isGood })));
  const password = canary();
  const helped = stack.use(
    standIn(...basicRegistry((user, given) => user === "helped" && given === password)),
  );
  const answer = JSON.stringify({ Username: "helped", Secret: password });
  const script = `#!/bin/sh\n[ "$*" = get ] && [ "$(cat)" = ${helped.host} ] && echo '${answer}'\n`;
  chmodSync(files.write("docker-credential-shop", script), 0o755);
  const config = files.write(
    "config.json",
    JSON.stringify({ credHelpers: { [helped.host]: "shop" } }),
  );
  const clouds: readonly Cloud[] = [
    { source: "aws", way: "IRSA", registry: ecr.host },
    { source: "google", way: "Workload Identity Federation", registry: artifacts.host },
    { source: "azure", way: "Entra workload identity", registry: azure.host },
    { source: "docker-config", way: "a credential helper", registry: helped.host },
  ];
  const writeTokens = async (of = subject) => {
    const token = async (audience: string) =>
      files.write(crypto.randomUUID(), await issuer.sign({ subject: of, audience }));
    const account = google.externalAccount(await token(`https:${google.audience}`), true);
    return {
      AWS_WEB_IDENTITY_TOKEN_FILE: await token(aws.audiences.irsa),
      GOOGLE_APPLICATION_CREDENTIALS: files.write(crypto.randomUUID(), JSON.stringify(account)),
      AZURE_FEDERATED_TOKEN_FILE: await token(azure.audience),
    };
  };
  const environment = {
    ...aws.environment.irsa,
    AZURE_AUTHORITY_HOST: azure.origin,
    AZURE_CLIENT_ID: azure.clientId,
    AZURE_TENANT_ID: azure.tenantId,
    ...(await writeTokens()),
  };
  const started = stack.move();
  return {
    ...{ clouds, environment, issuer, writeTokens },
    docker: { config, helpers: files.path },
    servers: [aws, google, azure, ecr, artifacts, helped],
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
