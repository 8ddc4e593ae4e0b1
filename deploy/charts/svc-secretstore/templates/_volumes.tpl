{{- /* The volumes for files from the cluster, by their names; each is mounted at /etc/svc/NAME. */ -}}
{{- define "svc-secretstore.files" -}}
{{- with .Values.ca }}
{{- if or .configMap .secret }}
ca:
  {{- if .secret }}
  secret:
    secretName: {{ .secret | quote }}
    defaultMode: 0440
  {{- else }}
  configMap:
    name: {{ .configMap | quote }}
  {{- end }}
    items:
      - key: {{ .key | quote }}
        path: {{ .key | quote }}
{{- end }}
{{- end }}
{{- with .Values.clientCertificate.secret }}
client:
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
{{- end }}
{{- with .Values.tokenReviewer.secret }}
reviewer:
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{- define "svc-secretstore.volumeMounts" -}}
{{- range $name, $_ := include "svc-secretstore.files" . | fromYaml }}
- name: {{ $name }}
  mountPath: /etc/svc/{{ $name }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "svc-secretstore.volumes" -}}
{{- range $name, $source := include "svc-secretstore.files" . | fromYaml }}
- name: {{ $name }}
  {{- toYaml $source | nindent 2 }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
