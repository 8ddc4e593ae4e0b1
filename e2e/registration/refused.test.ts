import { afterAll, describe, expect, test } from "bun:test";
import { needsRoot } from "@svc/testing";
import { agentPlace, startRecordingAgent } from "../harness/agent/registration-stage.ts";
import { logs } from "../harness/wrapper/lifecycle-stage.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

const stage = setStage();
const place = agentPlace();
afterAll(place.remove);
const environment = { ...stage.environment, ...place.environment };
const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const instead = [...asNobody, wrapperPath, "--", "/bin/sh", "-c", "echo started; exec sleep 60"];

// It takes a second user.
needsRoot(describe)("a wrapper of a user who may not register", () => {
  test("starts its program as without an agent, and says how the agent would take it", async () => {
    await using agent = await startRecordingAgent(place);
    await using wrapper = await startWrapper({ instead, environment });
    await wrapper.prints("started");
    const line = await logs(wrapper, "the kernel agent refuses");
    expect(line).toContain('"code":"REGISTRATION_NOT_ALLOWED"');
    expect(line).toContain("REGISTRATION_USERS");
    expect([agent.marks.protections.size, agent.marks.owners.size]).toEqual([0, 0]);
    expect(agent.registry.counts()).toMatchObject({ registrations: 0 });
  });

  test("does not start it with SVC_REQUIRE_AGENT=true, and says the same", async () => {
    await using _agent = await startRecordingAgent(place);
    const required = { ...environment, SVC_REQUIRE_AGENT: "true" };
    await using wrapper = await startWrapper({ instead, environment: required });
    expect(await wrapper.ended).toMatchObject({ exitCode: 125 });
    expect(wrapper.stderr()).toContain("AGENT_REQUIRED");
    expect(wrapper.stderr()).toContain("REGISTRATION_NOT_ALLOWED");
    expect(wrapper.stdout().toString()).toBe("");
  });
});
