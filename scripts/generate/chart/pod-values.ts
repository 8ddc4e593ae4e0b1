import type { ChartValue } from "./chart-value.ts";
import { anything, pullSecrets, text, texts, tolerations, yesOrNo } from "./value-schemas.ts";

/**
 * The values of the program's image. `parent` is the path above the values, with its dot, or empty.
 */
export function imageValues(parent: string, meaning: string): readonly ChartValue[] {
  return [
    { path: `${parent}image`, default: "", schema: text, meaning },
    {
      path: `${parent}imagePullPolicy`,
      default: "IfNotPresent",
      schema: { enum: ["Always", "IfNotPresent", "Never"] },
      meaning: "When the image is pulled.",
    },
    {
      path: `${parent}imagePullSecrets`,
      default: [],
      schema: pullSecrets,
      meaning: "Secrets to pull the image with, for example `[{name: registry}]`.",
    },
  ];
}

/** The values of the service account. */
export function accountValues(parent: string): readonly ChartValue[] {
  return [
    {
      path: `${parent}serviceAccount.create`,
      default: true,
      schema: yesOrNo,
      meaning: "Makes the service account.",
    },
    {
      path: `${parent}serviceAccount.name`,
      default: "",
      schema: text,
      meaning: "Its name. Empty: the name of the objects around it.",
    },
    {
      path: `${parent}serviceAccount.annotations`,
      default: {},
      schema: texts,
      meaning: "Its annotations.",
    },
  ];
}

/** The values of the pod: its names and its place. */
export function podValues(parent: string, priorityClass = ""): readonly ChartValue[] {
  const value = (name: string, rest: Omit<ChartValue, "path">) => ({
    path: parent + name,
    ...rest,
  });
  return [
    value("podLabels", { default: {}, schema: texts, meaning: "Further labels of the pod." }),
    value("podAnnotations", {
      default: {},
      schema: texts,
      meaning: "Further annotations of the pod.",
    }),
    value("nodeSelector", { default: {}, schema: texts, meaning: "Labels of nodes to run on." }),
    value("tolerations", { default: [], schema: tolerations, meaning: "Taints to tolerate." }),
    value("affinity", { default: {}, schema: anything, meaning: "Affinity of the pod." }),
    value("priorityClassName", {
      default: priorityClass,
      schema: text,
      meaning: "Priority class of the pod.",
    }),
  ];
}
