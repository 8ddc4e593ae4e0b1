import type { Container } from "../pod/pod.ts";
import type { Attachment } from "./attachment.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { setsVariable } from "./own-variables.ts";
import { FILES_FOLDER } from "./paths.ts";

/**
 * The files by which the health and unseal server of a wrapper speaks TLS, and by which it knows
 * its clients.
 */
export function brokerAttachments(
  container: Container,
  { values }: InjectionSettings,
): readonly Attachment[] {
  const { brokerTlsSecret: secretName, brokerCaSecret: authority } = values;
  const tlsPath = `${FILES_FOLDER}/broker-tls`;
  const caPath = `${FILES_FOLDER}/broker-ca`;
  const hasOwnPair = setsVariable(container, "SVC_BROKER_TLS_CERT", "SVC_BROKER_TLS_KEY");
  const hasOwnAuthority = setsVariable(container, "SVC_BROKER_TLS_CA");
  const pair: Attachment[] =
    secretName === undefined || hasOwnPair
      ? []
      : [
          {
            part: "broker-tls",
            source: { secret: { secretName, items: ["tls.crt", "tls.key"].map(itemOf) } },
            mountPath: tlsPath,
            env: [
              { name: "SVC_BROKER_TLS_CERT", value: `${tlsPath}/tls.crt` },
              { name: "SVC_BROKER_TLS_KEY", value: `${tlsPath}/tls.key` },
            ],
          },
        ];
  if (authority === undefined || hasOwnAuthority) return pair;
  const items = [{ key: authority.key, path: "ca.crt" }];
  return [
    ...pair,
    {
      part: "broker-ca",
      source: { secret: { secretName: authority.name, items } },
      mountPath: caPath,
      env: [{ name: "SVC_BROKER_TLS_CA", value: `${caPath}/ca.crt` }],
    },
  ];
}

/** True if the wrapper's server speaks TLS. */
export function speaksTls(container: Container, { values }: InjectionSettings): boolean {
  return values.brokerTlsSecret !== undefined || setsVariable(container, "SVC_BROKER_TLS_CERT");
}

function itemOf(key: string) {
  return { key, path: key };
}
