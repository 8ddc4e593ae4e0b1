{{- define "svc.certificateSecret" -}}
{{- if eq .Values.certificate.source "secret" -}}
{{- .Values.certificate.secret -}}
{{- else if eq .Values.certificate.source "cert-manager" -}}
{{- include "svc.operator" . }}-cert-manager
{{- else -}}
{{- include "svc.operator" . }}-tls
{{- end -}}
{{- end -}}

{{- /* `true` if the operator writes the CA into the webhook configuration. */ -}}
{{- define "svc.operatorWritesAuthority" -}}
{{- or (eq .Values.certificate.source "self-made") (not (empty .Values.certificate.authorityKey)) -}}
{{- end -}}
