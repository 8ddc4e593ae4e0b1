import { describe, expect, test } from "bun:test";
import { judgeVolume, placeOf, tokenOf, type WantedVolume } from "./volume-request.ts";

const KUBELET = "/var/lib/kubelet";
const UID = "0a1b2c3d-0000-4000-8000-0123456789ab";
const target = `${KUBELET}/pods/${UID}/volumes/kubernetes.io~csi/svc-bundle/mount`;
const wanted: WantedVolume = {
  volumeId: "csi-1",
  targetPath: target,
  readonly: true,
  volumeContext: {
    "csi.storage.k8s.io/ephemeral": "true",
    "csi.storage.k8s.io/pod.uid": UID,
    "csi.storage.k8s.io/pod.name": "web",
  },
};

describe("the folder of a volume", () => {
  test("names the pod and the volume", () => {
    expect(placeOf(target, KUBELET)).toEqual({ podUid: UID, volume: "svc-bundle", target });
  });

  test("of a static pod has its hash", () => {
    const hash = UID.replaceAll("-", "");
    expect(placeOf(target.replace(UID, hash), KUBELET)?.podUid).toBe(hash);
  });

  const others: Readonly<Record<string, string>> = {
    nothing: "",
    "of another kubelet": target.replace(KUBELET, "/var/lib/other"),
    "that leaves it": `${KUBELET}/pods/${UID}/volumes/kubernetes.io~csi/../../../../etc/mount`,
    "of a pod called ..": target.replace(UID, ".."),
    "of a volume called ..": target.replace("svc-bundle", ".."),
    "without a name": target.replace("svc-bundle", ""),
    "of another kind": target.replace("kubernetes.io~csi", "kubernetes.io~empty-dir"),
    "below a volume": `${target}/bin`,
    "above it": target.slice(0, -"/mount".length),
    "with a NUL": target.replace("svc-bundle", "svc\0bundle"),
  };
  for (const [name, path] of Object.entries(others)) {
    test(`is none: ${name}`, () => expect(placeOf(path, KUBELET)).toBeUndefined());
  }
});

describe("a request for a volume", () => {
  test("of a pod, to be read only, is taken", () => {
    expect(judgeVolume(wanted, KUBELET)).toEqual({
      ...{ ok: true, podUid: UID, volume: "svc-bundle", target },
    });
  });

  const rows: readonly (readonly [name: string, change: Partial<WantedVolume>, found: RegExp])[] = [
    ["that pods may write to", { readonly: false }, /readOnly: true/],
    ["without a name", { volumeId: "" }, /volume_id/],
    ["of no pod", { volumeContext: {} }, /inline volume.*; pod.uid.*found none/],
    [
      "of another pod",
      { volumeContext: { ...wanted.volumeContext, "csi.storage.k8s.io/pod.uid": "another" } },
      /pod.uid: wanted 0a1b2c3d/,
    ],
    ["elsewhere", { targetPath: "/etc" }, /target_path "\/etc"/],
  ];
  for (const [name, change, found] of rows) {
    test(`is refused: ${name}`, () => {
      const finding = judgeVolume({ ...wanted, ...change }, KUBELET);
      expect(finding.ok).toBe(false);
      if (!finding.ok) expect(finding.problems.join("; ")).toMatch(found);
    });
  }

  test("gets all problems at once", () => {
    const finding = judgeVolume(
      { volumeId: "", targetPath: "/etc", readonly: false, volumeContext: {} },
      KUBELET,
    );
    expect(finding).toMatchObject({ ok: false, problems: { length: 4 } });
  });
});

describe("a pod's token for the audience `vault`", () => {
  const key = "csi.storage.k8s.io/serviceAccount.tokens";
  const expirationTimestamp = "2026-11-24T12:00:00Z";
  const expiresMs = Date.parse(expirationTimestamp);
  const rows: Readonly<Record<string, readonly [text: string | undefined, found: unknown]>> = {
    "is read": [
      JSON.stringify({ vault: { token: "a.b.c", expirationTimestamp }, other: {} }),
      { text: "a.b.c", expiresMs },
    ],
    "is missing without tokens": [undefined, "none"],
    "is missing if the text is empty": ["", "none"],
    "is missing among those of other audiences": [
      JSON.stringify({ bank: { token: "a.b.c", expirationTimestamp } }),
      "none",
    ],
    "is missing in an empty object": [JSON.stringify({}), "none"],
    "is malformed in no JSON": ["{", "malformed"],
    "is malformed in a list of null": ["null", "malformed"],
    "is malformed without a time": [JSON.stringify({ vault: { token: "a" } }), "malformed"],
    "is malformed if it is empty": [
      JSON.stringify({ vault: { token: "", expirationTimestamp } }),
      "malformed",
    ],
    "is malformed if it is a number": [
      JSON.stringify({ vault: { token: 1, expirationTimestamp } }),
      "malformed",
    ],
  };
  for (const [name, [text, found]] of Object.entries(rows)) {
    test(name, () => {
      const volumeContext = text === undefined ? {} : { [key]: text };
      expect(tokenOf({ volumeContext }, "vault")).toEqual(found as never);
    });
  }

  test("is missing for an audience that every object has a member of", () => {
    expect(tokenOf({ volumeContext: { [key]: "{}" } }, "constructor")).toBe("none");
  });
});
