import {
  flagOnly,
  parseDurationBetween,
  parseFilePath,
  parseList,
  parseOneOf,
} from "@svc/settings";
import { parseObjectName } from "../annotations/parse-names.ts";
import { parseDnsName } from "./parse-values.ts";

const group = "Certificate";

/** Where the serving certificate comes from. */
export const certificateFlags = {
  source: flagOnly({
    name: "--certificate-source",
    group,
    type: "source",
    default: "self-made",
    parse: parseOneOf(["self-made", "files"]),
    meaning:
      "`self-made`: the replicas make a certificate, share it in a Secret, renew it in time and write its CA into the webhook configuration. `files`: another tool does that, for example cert-manager.",
  }),
  secret: flagOnly({
    name: "--certificate-secret",
    group,
    type: "name",
    default: "svc-operator-tls",
    parse: parseObjectName,
    meaning: "Secret in the operator's namespace that keeps the self-made certificate.",
  }),
  names: flagOnly({
    name: "--certificate-names",
    group,
    type: "list",
    parse: parseList(parseDnsName),
    meaning:
      "DNS names that the certificate is for. Unset: the one by which the API server calls --service in the operator's namespace.",
  }),
  service: flagOnly({
    name: "--service",
    group,
    type: "name",
    default: "svc-operator",
    parse: parseObjectName,
    meaning: "Service by which the API server reaches the webhook.",
  }),
  lifeMs: flagOnly({
    name: "--certificate-life",
    group,
    type: "duration",
    default: "2160h",
    parse: parseDurationBetween({ least: "1m", most: "8760h" }),
    meaning:
      "Life of a self-made certificate; it is replaced when a third of it is left. From 1m to 8760h.",
  }),
  configuration: flagOnly({
    name: "--webhook-configuration",
    group,
    type: "name",
    default: "svc-operator",
    parse: parseObjectName,
    meaning: "MutatingWebhookConfiguration whose CA bundle is kept up to date.",
  }),
  certificateFile: flagOnly({
    name: "--certificate-file",
    group,
    type: "file",
    parse: parseFilePath,
    meaning: "PEM file with the certificate and its chain; read again when it changes.",
  }),
  keyFile: flagOnly({
    name: "--certificate-key-file",
    group,
    type: "file",
    parse: parseFilePath,
    meaning: "PEM file with its private key.",
  }),
  authorityFile: flagOnly({
    name: "--certificate-ca-file",
    group,
    type: "file",
    parse: parseFilePath,
    meaning:
      "PEM file with the CA certificates for the webhook configuration. Unset: the tool that makes the files writes them there, as cert-manager's CA injector does.",
  }),
};
