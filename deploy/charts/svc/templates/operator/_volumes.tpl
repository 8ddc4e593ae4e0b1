{{- define "svc.operatorVolumes" -}}
{{- if ne .Values.certificate.source "self-made" }}
- name: certificate
  secret:
    secretName: {{ include "svc.certificateSecret" . | quote }}
    defaultMode: 0440
{{- end }}
{{- if .Values.operator.settings.hintsVaultAddress }}
- name: hints
  projected:
    sources:
      - serviceAccountToken:
          path: token
          audience: {{ .Values.operator.hints.tokenAudience | quote }}
          expirationSeconds: 3600
      {{- with .Values.operator.hints.caSecret }}
      - secret:
          name: {{ . | quote }}
          items:
            - key: {{ $.Values.operator.hints.caKey | quote }}
              path: ca.crt
      {{- end }}
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
{{- if .Values.operator.settings.hintsVaultAddress }}
- name: hints
  mountPath: /etc/svc/hints
  readOnly: true
{{- end }}
{{- with .Values.operator.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
