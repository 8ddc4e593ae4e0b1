{{- define "svc.operatorSubject" -}}
- kind: ServiceAccount
  name: {{ include "svc.operatorAccount" . | quote }}
  namespace: {{ .Release.Namespace }}
{{- end -}}
