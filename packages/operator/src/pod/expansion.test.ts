import { describe, expect, test } from "bun:test";
import { escapedForExpansion, expandedWithoutReferences, referencesIn } from "./expansion.ts";

/** Rows of Kubernetes' own table (expand_test.go), with a container that has no variables. */
const expansions: Readonly<Record<string, string | undefined>> = {
  "": "",
  plain: "plain",
  "$(VAR_A)": undefined,
  "___$(VAR_B)___": undefined,
  "$$(VAR_A)": "$(VAR_A)",
  "$$$(VAR_A)": undefined,
  "$$$$(VAR_A)": "$$(VAR_A)",
  $VAR_A: "$VAR_A",
  "$(VAR_A": "$(VAR_A",
  "$()": undefined,
  $$: "$",
  $: "$",
  a$: "a$",
  "$$Controller(foobar)$$": "$Controller(foobar)$",
  "foo$$var bar": "foo$var bar",
  "$)": "$)",
  "\n\n$$ä": "\n\n$ä",
};

describe("without variables, Kubernetes makes", () => {
  for (const [text, expanded] of Object.entries(expansions)) {
    const outcome =
      expanded === undefined ? "the facts that only the node knows" : JSON.stringify(expanded);
    test(`of ${JSON.stringify(text)} ${outcome}`, () => {
      expect(expandedWithoutReferences(text)).toBe(expanded);
    });
  }
});

test("every text comes back from its escaped form", () => {
  const parts = ["$", "(", ")", "A", "$$", '"', "ä"];
  for (let number = 0; number < parts.length ** 4; number += 1) {
    const text = [1, 7, 49, 343].map((place) => parts[Math.floor(number / place) % 7]).join("");
    expect(expandedWithoutReferences(escapedForExpansion(text))).toBe(text);
  }
});

describe("the references in a text are those of Kubernetes", () => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    "": [],
    "a $(B) c$(D)": ["B", "D"],
    "$$(A)": [],
    "$$$(A)": ["A"],
    "$(A": [],
    "$A $": [],
    "$($(A))": ["$(A"],
    "$()": [""],
  };
  test.each(Object.entries(texts))("%p has %p", (text, names) => {
    expect(referencesIn(text)).toEqual([...names]);
  });
});
