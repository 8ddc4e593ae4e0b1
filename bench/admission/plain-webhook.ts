/**
 * A webhook that reads and allows without looking: the cost of every webhook here. Prints its port.
 */
import { stdout } from "node:process";
import { certificateAuthority } from "@svc/testing";

const { certificatePem: cert, keyPem: key } = await (await certificateAuthority("bench")).issue();
const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  tls: { cert, key },
  fetch: async (request) => {
    await request.bytes();
    return Response.json({ ...review, response: { uid: "1", allowed: true } });
  },
});
stdout.write(`${server.port}\n`);
