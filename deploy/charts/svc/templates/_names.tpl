{{- define "svc.base" -}}
{{- $own := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- .Values.nameOverride | default ($own | trunc 40 | trimSuffix "-") -}}
{{- end -}}

{{- define "svc.operator" -}}
{{- include "svc.base" . }}-operator
{{- end -}}

{{- /* The commands of images that the operator's replicas share. */ -}}
{{- define "svc.imageSecret" -}}
{{- include "svc.operator" . }}-images
{{- end -}}

{{- /* The certificate of the server at which pods ask for permits, and the port of it. */ -}}
{{- define "svc.permitsSecret" -}}
{{- include "svc.operator" . }}-permits
{{- end -}}

{{- define "svc.permitsPort" -}}
8444
{{- end -}}

{{- define "svc.agent" -}}
{{- include "svc.base" . }}-agent
{{- end -}}

{{- define "svc.agentNamespace" -}}
{{- .Values.agent.namespace | default .Release.Namespace -}}
{{- end -}}

{{- define "svc.operatorAccount" -}}
{{- .Values.operator.serviceAccount.name | default (include "svc.operator" .) -}}
{{- end -}}

{{- define "svc.agentAccount" -}}
{{- .Values.agent.serviceAccount.name | default (include "svc.agent" .) -}}
{{- end -}}

{{- /* The labels that select a component's pods. The input is a list of the root and the component's name. */ -}}
{{- define "svc.podLabels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
app.kubernetes.io/part-of: svc
{{- end -}}

{{- define "svc.labels" -}}
{{- $root := index . 0 -}}
{{ include "svc.podLabels" . }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* As packages/protocol calls it. */ -}}
{{- define "svc.csiDriver" -}}
csi.svc.internal
{{- end -}}

{{- /* The kubelet's folder if the agent is a CSI driver; otherwise empty. */ -}}
{{- define "svc.csiFolder" -}}
{{- if .Values.agent.enabled -}}
{{- $default := ternary "/var/lib/kubelet" "" (eq .Values.operator.settings.bundleSource "csi") -}}
{{- .Values.agent.settings.csiKubeletFolder | default $default -}}
{{- end -}}
{{- end -}}

{{- /* The folder of the kubelet's own socket. */ -}}
{{- define "svc.devicePlugins" -}}
{{- printf "%s/device-plugins" (.Values.agent.settings.kubeletFolder | default "/var/lib/kubelet") -}}
{{- end -}}

{{- /* The audience of the tokens that the agent gives to wrappers; empty if it gives none. */ -}}
{{- define "svc.csiAudience" -}}
{{- if include "svc.csiFolder" . -}}
{{- $asked := eq .Values.operator.settings.tokenSource "agent" -}}
{{- .Values.agent.settings.csiTokenAudience | default (ternary .Values.operator.settings.tokenAudience "" $asked) -}}
{{- end -}}
{{- end -}}

{{- /* `true` if the agents follow SvcPolicies, which let attempts through that ENFORCE_MODE stops. */ -}}
{{- define "svc.policyResources" -}}
{{- $asked := toString .Values.agent.settings.policyResources -}}
{{- $default := eq (toString .Values.agent.settings.enforceMode) "true" -}}
{{- if and .Values.agent.enabled (ternary $default (eq $asked "true") (eq $asked "")) -}}
true
{{- end -}}
{{- end -}}

{{- /*
OTEL_RESOURCE_ATTRIBUTES with the cluster's UID, which is that of the namespace kube-system (semantic conventions,
"Kubernetes"). `helm template` asks no cluster, and adds nothing.
*/ -}}
{{- define "svc.resourceAttributes" -}}
{{- $given := join "," .Values.agent.settings.otelResourceAttributes -}}
{{- $system := lookup "v1" "Namespace" "" "kube-system" -}}
{{- $uid := dig "metadata" "uid" "" $system -}}
{{- $own := ternary (printf "k8s.cluster.uid=%s" $uid) "" (and (ne $uid "") (not (contains "k8s.cluster.uid=" $given))) -}}
{{- list $given $own | compact | join "," -}}
{{- end -}}
