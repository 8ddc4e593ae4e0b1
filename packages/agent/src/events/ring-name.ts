/** `enum svc_ring` of bpf/event.h. */
export type RingName = "violations" | "everything";
