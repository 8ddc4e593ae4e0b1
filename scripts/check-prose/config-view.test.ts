import { expect, test } from "bun:test";
import { configView } from "./config-view.ts";

test.each([
  ["comments of several lines", "# Says why,\n# and more.\nx=1", "Says why, \nand more. \n"],
  ["a comment after code", "build: setup ## Compile the programs\n", "Compile the programs! \n"],
  [
    "a message of a script",
    'echo "make: demo needs root as an attacker"',
    "make. demo needs root as an attacker! ",
  ],
  [
    "a value of YAML",
    "      description: The job, before any solution.\n",
    "The job, before any solution. \n",
  ],
  ["a short value", "kind: Deployment\n", "\n"],
  ["a number sign in a word", "url: https://vault/x#y # The reason.", "The reason. "],
  ["a number sign in quotes", "x='# no comment here at all'", ""],
  ["a table", "#   -e FILE  the input\n", "- -e FILE  the input \n"],
  ["a first line", "#!/bin/sh\n# Says why.", "\nSays why. "],
  ["a comment of a template", "{{- /* The labels\nof a pod */ -}}\n", " The labels\nof a pod!  \n"],
])("the view of %s", (_, source, view) => {
  expect(configView(source)).toBe(view);
});
