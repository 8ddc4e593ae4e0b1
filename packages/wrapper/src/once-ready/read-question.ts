import { type EnvironmentEntry, valueText } from "@svc/kernel";
import { type Problem, problem, problemsOf } from "@svc/settings";
import {
  isQuestionVariable,
  type QuestionVariable,
  type ReadyQuestion,
  readyQuestion,
} from "./ready-question.ts";

/** The question that the environment gives, or one line that says why it gives none. */
export type ReadQuestion =
  | { readonly ok: true; readonly value: ReadyQuestion }
  | { readonly ok: false; readonly message: string };

/** Reads the variables of the question; no other one becomes a string. */
export function readQuestion(environment: readonly EnvironmentEntry[]): ReadQuestion {
  const texts = new Map<QuestionVariable, string>();
  for (const entry of environment) {
    const { name } = entry;
    // getenv(3) takes the first of several.
    if (!isQuestionVariable(name) || texts.has(name)) continue;
    const text = textOf(entry);
    if (text === undefined) {
      return refusedBy([problem({ variable: name, wanted: "UTF-8 text", found: "other bytes" })]);
    }
    texts.set(name, text);
  }
  const question = readyQuestion(texts);
  if (question.ok) return question;
  const variable = "HEALTH_ADDR";
  const text = texts.get(variable) ?? "";
  return refusedBy(problemsOf(question, { variable, label: variable, text, secret: false }));
}

function textOf(entry: EnvironmentEntry): string | undefined {
  try {
    return valueText(entry);
  } catch {
    return undefined;
  }
}

function refusedBy(problems: readonly Problem[]): ReadQuestion {
  return { ok: false, message: problems.map(({ message }) => message).join("; ") };
}
