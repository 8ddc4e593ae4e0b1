{{- /* The name of every object except for the output Secret. A Job's pods have five characters and a dash more. */ -}}
{{- define "svc-secretstore.name" -}}
{{- $own := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- .Values.fullnameOverride | default ($own | trunc 52 | trimSuffix "-") -}}
{{- end -}}

{{- define "svc-secretstore.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "svc-secretstore.name" .) -}}
{{- end -}}

{{- define "svc-secretstore.storeNamespace" -}}
{{- .Values.settings.namespace | default .Release.Namespace -}}
{{- end -}}

{{- /* The name of the objects around the Job; those of the CronJob have another name. */ -}}
{{- define "svc-secretstore.unsealName" -}}
{{- printf "%s-unseal" (include "svc-secretstore.name" . | trunc 45 | trimSuffix "-") -}}
{{- end -}}

{{- /* The pod that the first run initialises, and that a reset may delete. */ -}}
{{- define "svc-secretstore.firstPod" -}}
{{- .Values.reset.pod | default (printf "%s-0" (.Values.settings.podPrefix | default .Values.settings.releaseName)) -}}
{{- end -}}

{{- /* The selector of all pods of this release. */ -}}
{{- define "svc-secretstore.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "svc-secretstore.podLabelsOf" -}}
{{ include "svc-secretstore.selector" .root }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/part-of: svc
{{- end -}}

{{- define "svc-secretstore.podLabels" -}}
{{ include "svc-secretstore.podLabelsOf" (dict "root" . "component" "init") }}
{{- end -}}

{{- define "svc-secretstore.labels" -}}
{{ include "svc-secretstore.podLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* The image that a value names, or that `make push` has pushed; empty if neither is known. */ -}}
{{- define "svc-secretstore.image" -}}
{{- $registry := .Values.registry | default (.Values.global | default dict).registry | default "" | trimSuffix "/" -}}
{{- .Values.image | default (ternary (printf "%s/svc:%s" $registry .Chart.AppVersion) "" (ne $registry "")) -}}
{{- end -}}
