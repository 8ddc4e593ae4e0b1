import { expect, test } from "bun:test";
import { ADMISSION_PATH, admissionEndpoint } from "./admission-endpoint.ts";
import { type AdmissionLimits, admissionLimits } from "./admission-limits.ts";
import { operatorMetrics } from "./operator-metrics.ts";
import { askingPod, plainContext, podReview } from "./testdata/pod-request.ts";

function endpointWith(limits: Partial<AdmissionLimits>) {
  return admissionEndpoint({
    context: plainContext(),
    metrics: operatorMetrics(),
    log: () => undefined,
    notReady: () => undefined,
    limits: { ...admissionLimits, ...limits },
  });
}

/** A question of a number of bytes, or one of which the body never comes. */
function question(bytes: number, isComing = true): Request {
  const text = JSON.stringify(podReview(askingPod)).padEnd(bytes, " ");
  const never = new ReadableStream({ pull: () => new Promise(() => undefined) });
  return new Request(`https://operator.test${ADMISSION_PATH}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Content-Length": String(bytes) },
    body: isComing ? text : never,
  });
}

test("large bodies that do not come keep large ones out, and no ordinary one", async () => {
  const endpoint = endpointWith({ allBodiesBytes: 1_000_000, bodyMs: 100 });
  const slow = endpoint.answer(question(900_000, false));
  const refused = await endpoint.answer(question(200_000));
  expect([refused.status, refused.headers.get("connection")]).toEqual([503, "close"]);
  expect((await endpoint.answer(question(2000))).status).toBe(200);
  expect((await slow).status).toBe(408);
  expect((await endpoint.answer(question(200_000))).status).toBe(200);
});
