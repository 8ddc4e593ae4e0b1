import { type Problem, problem, quoted } from "@svc/settings";
import type { Container } from "../pod/pod.ts";
import type { Attachment } from "./attachment.ts";
import { deliveredNameWarnings } from "./delivered-names.ts";
import { execActions } from "./exec-probes.ts";
import type { HealthEndpoint } from "./health-endpoints.ts";
import type { InjectionSettings } from "./injection-settings.ts";
import { mountPathOf } from "./mount-path.ts";
import { setsVariable } from "./own-variables.ts";
import { BUNDLE_FOLDER, WRAPPER } from "./paths.ts";

/** Only the operator may put the wrapper into an injected container. */
export function handmade(container: Container): readonly Problem[] {
  const names = ["SVC_ORIGINAL_CMD", "SVC_ORIGINAL_ARGS"].filter((name) =>
    setsVariable(container, name),
  );
  const hint = "take it out of the pod, or name the container in skip-containers";
  const byHand = names.map((name) =>
    problemOf(container, {
      wanted: `without ${name}, which the operator sets`,
      found: "it is set by hand",
      hint,
    }),
  );
  if (container.command?.[0] !== WRAPPER) return byHand;
  return [
    ...byHand,
    problemOf(container, {
      wanted: "without the wrapper, which the operator puts there",
      found: "its command starts it",
      hint,
    }),
  ];
}

/** Mounts that would hide the wrapper's files. */
export function mountProblems(
  container: Container,
  attachments: readonly Attachment[],
): readonly Problem[] {
  const mounts = container.volumeMounts ?? [];
  return attachments.flatMap(({ mountPath }) => {
    const inTheWay = mounts.find((own) => `${mountPathOf(own)}/`.startsWith(`${mountPath}/`));
    if (inTheWay === undefined) return [];
    const found = `it mounts ${quoted(inTheWay.name)} at ${inTheWay.mountPath}`;
    return [
      problemOf(container, {
        wanted: `without a mount in ${mountPath}, which is the wrapper's`,
        found,
      }),
    ];
  });
}

/** Why a container that waits for its token could never get one. */
export function sealedProblems(
  container: Container,
  { values, operator }: InjectionSettings,
  endpoint: HealthEndpoint,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (endpoint.kind === "loopback") {
    const hint = `set ${operator.prefix}/health-port to a port that is free on every node`;
    problems.push(
      problemOf(container, {
        wanted: "given a port for POST /v1/unseal",
        found: "the pod is on the node's network",
        hint,
      }),
    );
  }
  if (values.unprotectedProbes && execActions(container).length > 0) {
    const hint = `give ${operator.prefix}/token-secret, or leave ${operator.prefix}/unprotected-probes out`;
    problems.push(
      problemOf(container, {
        wanted: "given a token if its probes fetch secrets",
        found: "it waits for one by POST /v1/unseal",
        hint,
      }),
    );
  }
  return problems;
}

/** Settings that work differently than a user might expect. */
export function warningsOf(container: Container, settings: InjectionSettings): readonly string[] {
  const { values, operator } = settings;
  const { name, envFrom, volumeMounts } = container;
  const actions = values.unprotectedProbes ? [] : execActions(container);
  const above = (volumeMounts ?? []).find(
    (mount) =>
      mount.readOnly === true &&
      mountPathOf(mount) !== "/" &&
      `${BUNDLE_FOLDER}/`.startsWith(`${mountPathOf(mount)}/`),
  );
  return [
    ...deliveredNameWarnings(container, settings),
    ...(actions.length > 0
      ? [
          `container ${name}: ${actions.join(", ")} run without secrets: see ${operator.prefix}/unprotected-probes`,
        ]
      : []),
    ...((envFrom ?? []).length > 0
      ? [
          `container ${name}: a variable of envFrom replaces no annotation (set it in env), and no value of the vault`,
        ]
      : []),
    ...(above === undefined
      ? []
      : [
          `container ${name}: ${above.mountPath} is read-only: ${BUNDLE_FOLDER} may have no place in it`,
        ]),
  ];
}

/** A problem of a container. */
export function problemOf(
  { name }: Container,
  parts: { readonly wanted: string; readonly found: string; readonly hint?: string | undefined },
): Problem {
  return problem({ variable: `container ${name}`, ...parts });
}
