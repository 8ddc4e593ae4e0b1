import { expect, test } from "bun:test";
import { chooseAccess, type NamedCluster } from "./choose-access.ts";
import type { ClusterAccess } from "./cluster-access.ts";

const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" };
const person = { HOME: "/home/me", PATH: "/bin" };
const programs = { path: "/bin", home: "/home/me" };

const rows: readonly {
  readonly name: string;
  readonly settings: NamedCluster;
  readonly environment: Readonly<Record<string, string>>;
  readonly access: ClusterAccess;
}[] = [
  {
    name: "a pod uses its account",
    settings: {},
    environment: { ...person, ...pod },
    access: { kind: "pod", host: "10.0.0.1", port: "6443" },
  },
  {
    name: "a pod without a port in its environment uses 443",
    settings: {},
    environment: { KUBERNETES_SERVICE_HOST: "10.0.0.1" },
    access: { kind: "pod", host: "10.0.0.1", port: "443" },
  },
  {
    name: "a person uses the kubeconfig of the home folder",
    settings: {},
    environment: person,
    access: { kind: "kubeconfig", paths: ["/home/me/.kube/config"], programs },
  },
  {
    name: "a kubeconfig that is named takes precedence over the pod's account",
    settings: { kubeconfig: ["a", "b"], context: "prod" },
    environment: { ...person, ...pod },
    access: { kind: "kubeconfig", paths: ["a", "b"], context: "prod", programs },
  },
  {
    name: "a context alone asks for a kubeconfig",
    settings: { context: "prod" },
    environment: { ...person, ...pod },
    access: {
      ...{ kind: "kubeconfig", paths: ["/home/me/.kube/config"], context: "prod" },
      programs,
    },
  },
];
for (const { name, settings, environment, access } of rows) {
  test(name, () => {
    expect(chooseAccess(settings, new Map(Object.entries(environment)))).toEqual(access);
  });
}
