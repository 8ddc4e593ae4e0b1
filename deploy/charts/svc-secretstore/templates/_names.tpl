{{- /* Of every object but the output Secret. A Job's pods have five characters and a dash more. */ -}}
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

{{- define "svc-secretstore.podLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: init
app.kubernetes.io/part-of: svc
{{- end -}}

{{- define "svc-secretstore.labels" -}}
{{ include "svc-secretstore.podLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}
