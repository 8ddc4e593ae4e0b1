import { flagOnly, parseOneOf } from "@svc/settings";

const group = "Output";

/** The output of the command. */
export const outputVariables = {
  output: flagOnly({
    name: "--output",
    short: "o",
    group,
    type: "word",
    parse: parseOneOf(["text", "json"]),
    meaning: "`text`, or `json`: one JSON object a line. Default `text`.",
  }),
};
