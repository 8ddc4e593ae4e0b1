import { type Problem, parseServerUrl, problem, quoted } from "@svc/settings";
import type { Container, Pod } from "../pod/pod.ts";
import type { Target } from "./choose-containers.ts";
import { problemOf } from "./container-problems.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { mountPathOf } from "./mount-path.ts";
import { ownText, setsVariable } from "./own-variables.ts";

/** The files by which a container finds the address of a name. */
const NAME_FILES = ["/etc/hosts", "/etc/resolv.conf"];

/**
 * Problems if a pod gives an allowed vault another address: the list of addresses names hosts,
 * and the pod would say which machines they are. If every address is allowed a pod need not go
 * that way.
 */
export function redirectionProblems(
  { spec }: Pod,
  targets: readonly Target[],
  settings: InjectionSettings,
): readonly Problem[] {
  if (settings.allowedAddresses.length === 0) return [];
  const hosts = new Set(targets.flatMap(({ container }) => hostOf(container, settings)));
  const aliases = (spec.hostAliases ?? []).flatMap(({ ip, hostnames }) =>
    (hostnames ?? []).map((hostname) => ({ ip: ip ?? "", hostname })),
  );
  const redirected = aliases.filter(({ hostname }) => hosts.has(plainHost(hostname)));
  return [
    ...redirected.map(({ ip, hostname }) =>
      problem({
        variable: "pod: hostAliases",
        wanted: "without the host of an allowed vault",
        found: `${quoted(hostname)} is given the address ${quoted(ip)}`,
        hint: "take the alias out: the cluster's DNS has the address of the vault",
      }),
    ),
    ...([...hosts].some(isName) ? ownResolver(spec) : []),
    ...targets.flatMap(({ container }) => mountedNames(container)),
  ];
}

/** An address needs no resolver. */
function isName(host: string): boolean {
  return !host.startsWith("[") && !/^[\d.]+$/.test(host);
}

/**
 * A name server of the pod says which machine the vault is. A search domain does too, if the
 * cluster's DNS does not know the name. The policy None is not possible without a name server.
 */
function ownResolver({ dnsConfig }: Pod["spec"]): readonly Problem[] {
  const fields = ["nameservers", "searches"] as const;
  return fields.flatMap((field) => {
    const [first] = dnsConfig?.[field] ?? [];
    if (first === undefined) return [];
    const wanted = `without ${field}, if only some vaults are allowed`;
    const hint = "take them out: the cluster's DNS has the address of the vault";
    return [
      problem({ variable: "pod: dnsConfig", wanted, found: `it has ${quoted(first)}`, hint }),
    ];
  });
}

function mountedNames(container: Container): readonly Problem[] {
  return (container.volumeMounts ?? []).flatMap((mount) => {
    const path = mountPathOf(mount);
    if (!NAME_FILES.includes(path)) return [];
    return problemOf(container, {
      wanted: `without a mount at ${path}, if only some vaults are allowed`,
      found: `it mounts ${quoted(mount.name)} there`,
    });
  });
}

function hostOf(container: Container, { values }: InjectionSettings): readonly string[] {
  const text = setsVariable(container, "VAULT_ADDR")
    ? ownText(container, "VAULT_ADDR")
    : values.vaultAddress;
  const parsed = parseServerUrl(text ?? "");
  const host = parsed.ok ? URL.parse(parsed.value)?.hostname : undefined;
  return host === undefined ? [] : [plainHost(host)];
}

/** As names are compared: without the case, and without the dot of the root. */
function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
