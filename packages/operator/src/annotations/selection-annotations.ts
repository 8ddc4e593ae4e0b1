import { parseList, parsePlainText, variable } from "@svc/settings";
import { parseContainerName, parseImageReference, parseObjectName } from "./parse-names.ts";
import { parseTrueOrFalse } from "./parse-values.ts";

const group = "What is injected";

/** Whether, into which containers, and by what. */
export const selectionAnnotations = {
  inject: variable({
    name: "inject",
    group,
    type: "boolean",
    default: "false",
    parse: parseTrueOrFalse,
    meaning:
      "Asks for injection. A label of the same name means the same; if both are there they have to agree.",
  }),
  config: variable({
    name: "config",
    group,
    type: "name",
    parse: parseObjectName,
    meaning:
      "The SvcConfig of the pod's namespace that provides all values without an annotation. Without it the one called `default`, if there is one.",
  }),
  containers: variable({
    name: "containers",
    group,
    type: "name list",
    parse: parseList(parseContainerName),
    meaning:
      "The containers to inject into, init containers and well-known sidecars included. Without it every container and sidecar but those of `skip-containers` and the well-known ones.",
  }),
  skipContainers: variable({
    name: "skip-containers",
    group,
    type: "name list",
    parse: parseList(parseContainerName),
    meaning: "Containers that stay unchanged. A name that the pod does not have is ignored.",
  }),
  injectInitContainers: variable({
    name: "inject-init-containers",
    group,
    type: "boolean",
    default: "false",
    parse: parseTrueOrFalse,
    meaning: "Injects into init containers as well. Sidecars among them need no asking.",
  }),
  wrapperImage: variable({
    name: "wrapper-image",
    group,
    type: "image",
    parse: parseImageReference,
    meaning: "The image that holds the wrapper, in place of the operator's.",
  }),
  injected: variable({
    name: "injected",
    group,
    type: "JSON object",
    requiredness: { conditional: "Set by the operator" },
    parse: parsePlainText,
    meaning:
      "The operator sets it to the result, so that it does not inject twice. Do not set it yourself.",
  }),
};
