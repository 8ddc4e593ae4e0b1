import { imageFlags, injectionFlags } from "@svc/operator";
import { flagOnly, parseGoBoolean, parseOneOf, parsePlainText } from "@svc/settings";

const group = "This command";

/** The flags of `svc inject`: its own, and those of the operator that decide about pods. */
export const injectFlags = {
  file: flagOnly({
    name: "--filename",
    short: "f",
    group,
    type: "file",
    requiredness: "yes",
    parse: parsePlainText,
    meaning:
      "YAML or JSON with pods, or with objects that make pods; `-` is standard input. SvcConfigs and pull secrets in it count as if the cluster had them.",
  }),
  dryRun: flagOnly({
    name: "--dry-run",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "Prints the decisions with their reasons, instead of the injected manifests.",
  }),
  output: flagOnly({
    name: "--output",
    short: "o",
    group,
    type: "format",
    parse: parseOneOf(["text", "json", "yaml"]),
    meaning: "Format: `text` or `json` with --dry-run, `yaml` or `json` without.",
  }),
  namespace: flagOnly({
    name: "--namespace",
    short: "n",
    group,
    type: "name",
    default: "default",
    parse: parsePlainText,
    meaning: "Namespace of objects that name none.",
  }),
  lookUpImages: flagOnly({
    name: "--look-up-images",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "Asks registries for the commands of images. Without it containers need a command.",
  }),
  ...injectionFlags,
  // A manifest can be judged before you have built an image.
  wrapperImage: { ...injectionFlags.wrapperImage, requiredness: "no" },
  ...imageFlags,
} as const;
