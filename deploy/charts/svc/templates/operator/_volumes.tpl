{{- define "svc.operatorVolumes" -}}
{{- if ne .Values.certificate.source "self-made" }}
- name: certificate
  secret:
    secretName: {{ include "svc.certificateSecret" . | quote }}
    defaultMode: 0440
{{- end }}
{{- with .Values.operator.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "svc.operatorMounts" -}}
{{- if ne .Values.certificate.source "self-made" }}
- name: certificate
  mountPath: /etc/svc/certificate
  readOnly: true
{{- end }}
{{- with .Values.operator.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
