/** The rights of the operator's account: those that the chart grants, and no more. */
export const operatorRules = {
  /**
   * In its own namespace; its objects are there before it, so that it need not be able to make any.
   */
  role: [
    {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      resourceNames: ["svc-operator"],
      verbs: ["get", "patch"],
    },
    {
      apiGroups: [""],
      resources: ["secrets"],
      resourceNames: ["svc-operator-images", "svc-operator-tls"],
      verbs: ["get", "patch"],
    },
  ],
  clusterRole: [
    {
      apiGroups: ["admissionregistration.k8s.io"],
      resources: ["mutatingwebhookconfigurations"],
      resourceNames: ["svc-operator"],
      verbs: ["get", "patch"],
    },
    { apiGroups: ["svc.internal"], resources: ["svcconfigs"], verbs: ["list", "watch"] },
    { apiGroups: ["svc.internal"], resources: ["svcconfigs/status"], verbs: ["patch"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
    // For counting those that have a SvcConfig's settings; of them it asks for metadata alone.
    { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] },
  ],
};
