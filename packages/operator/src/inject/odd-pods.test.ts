import { expect, test } from "bun:test";
import { applyPatch } from "../json-patch/apply-patch.ts";
import { parsePod } from "../pod/parse-pod.ts";
import { decideInjection } from "./decide-injection.ts";
import { goldenPods } from "./testdata/golden-pods.ts";

test("a pod with something odd in it is refused in words, or gets a patch that fits it", () => {
  // A small generator with a fixed seed: a failure comes back.
  let seed = 23;
  const pick = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  const odd = [null, [], {}, "", "x", 0, -1, true, [null], [{}], { name: "app" }, "$(X)"];
  const spoilt = (value: unknown, depth: number): unknown => {
    if (typeof value !== "object" || value === null || pick(6) === 0) return odd[pick(odd.length)];
    if (Array.isArray(value)) {
      if (value.length === 0 || pick(8) === 0) return [...value, odd[pick(odd.length)]];
      const at = pick(value.length);
      return value.with(at, spoilt(value[at], depth + 1));
    }
    const keys = Object.keys(value);
    const key = keys[pick(keys.length)] ?? "name";
    return { ...value, [key]: spoilt(Object(value)[key], depth + 1) };
  };
  const seen = { problems: 0, patch: 0, skip: 0, deny: 0 };
  const goldens = goldenPods();
  for (let round = 0; round < 6000; round += 1) {
    const golden = goldens[round % goldens.length];
    if (golden === undefined) throw new TypeError("there are no golden pods");
    const value = spoilt(golden.pod, 0);
    const parsed = parsePod(value);
    if (!parsed.ok) {
      expect(parsed.problems.length).toBeGreaterThan(0);
      seen.problems += 1;
      continue;
    }
    const decision = decideInjection({ pod: parsed.pod, operation: "CREATE" }, golden.context);
    seen[decision.kind] += 1;
    if (decision.kind === "patch")
      expect(parsePod(applyPatch(value, decision.patch)).ok).toBe(true);
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});
