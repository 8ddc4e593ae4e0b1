import { afterAll, describe, expect, test } from "bun:test";
import { agentPlace, startRecordingAgent } from "../harness/agent/registration-stage.ts";
import { logs } from "../harness/wrapper/lifecycle-stage.ts";
import { type MeasuredScore, measuredScore } from "../harness/wrapper/protection-points.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const stage = setStage();
const place = agentPlace();
afterAll(place.remove);
const environment = { ...stage.environment, ...place.environment };
const program = ["/bin/sleep", "60"];

/** The agent's part of the score that the test expects. */
const agents = (agent: number, enforcement: number) => (measured: MeasuredScore) =>
  measured.points["agent"] === agent && measured.points["enforcement"] === enforcement;

/** The log's lines about the score, as level and score. */
function said(wrapper: RunningWrapper): readonly (readonly [level: string, score: number])[] {
  return wrapper
    .stderr()
    .split("\n")
    .filter((line) => line.includes('"message":"protection score '))
    .map((line) => {
      const { level, score } = JSON.parse(line) as {
        readonly level: string;
        readonly score: number;
      };
      return [level, score];
    });
}

describe("the protection score", () => {
  test("counts an agent that enforces, and says when it goes over to detecting", async () => {
    await using agent = await startRecordingAgent(place);
    agent.announce("enforce");
    await using wrapper = await startWrapper({ program, environment });
    const { score } = await measuredScore(wrapper, agents(10, 15));
    agent.announce("detect");
    const less = await measuredScore(wrapper, agents(10, 0));
    expect([less.score, less.degraded]).toEqual([
      score - 15,
      expect.arrayContaining(["enforcement"]),
    ]);
    agent.announce("enforce");
    await measuredScore(wrapper, agents(10, 15));
    await logs(wrapper, "protection score", 3);
    expect(said(wrapper)).toEqual([
      ["info", score],
      ["warn", score - 15],
      ["info", score],
    ]);
    expect(wrapper.stderr()).toMatch(/"missing":"[^"]*enforcement/);
  });

  test("counts no agent that is lost, and counts it again once it has registered the program", async () => {
    const first = await startRecordingAgent(place);
    first.announce("enforce");
    await using wrapper = await startWrapper({ program, environment });
    const { score } = await measuredScore(wrapper, agents(10, 15));
    await first.stop();
    await measuredScore(wrapper, agents(0, 0));
    await using second = await startRecordingAgent(place);
    await measuredScore(wrapper, agents(10, 0));
    expect(second.marks.protections.size).toBe(1);
    await logs(wrapper, "protection score", 3);
    expect(said(wrapper)).toEqual([
      ["info", score],
      ["warn", score - 25],
      ["info", score - 15],
    ]);
  });

  test("counts no agent if none is asked for", async () => {
    await using wrapper = await startWrapper({
      program,
      environment: { ...stage.environment, SVC_LOG_FORMAT: "json" },
    });
    const { points } = await measuredScore(wrapper);
    expect(points).toMatchObject({ agent: 0, enforcement: 0 });
    expect(wrapper.stderr()).toMatch(/"missing":"[^"]*\bagent\b/);
  });
});
