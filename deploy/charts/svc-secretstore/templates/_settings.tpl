{{- /* The settings that other values determine, as JSON. */ -}}
{{- define "svc-secretstore.derivedSettings" -}}
{{- $settings := dict "namespace" (include "svc-secretstore.storeNamespace" .) -}}
{{- if or .Values.ca.configMap .Values.ca.secret -}}
{{- $_ := set $settings "vaultCacert" (printf "/etc/svc/ca/%s" .Values.ca.key) -}}
{{- end -}}
{{- if .Values.clientCertificate.secret -}}
{{- $_ := set $settings "vaultClientCert" "/etc/svc/client/tls.crt" -}}
{{- $_ := set $settings "vaultClientKey" "/etc/svc/client/tls.key" -}}
{{- end -}}
{{- if .Values.tokenReviewer.secret -}}
{{- $_ := set $settings "kubernetesCaCert" "/etc/svc/reviewer/ca.crt" -}}
{{- $_ := set $settings "tokenReviewerJwtFile" "/etc/svc/reviewer/token" -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{- /* An empty value is left to the command, which has the defaults. */ -}}
{{- define "svc-secretstore.env" -}}
{{- $derived := include "svc-secretstore.derivedSettings" . | fromJson -}}
{{- $settings := .Values.settings -}}
{{- range $variable, $name := .Files.Get "files/settings.json" | fromJson }}
{{- $value := hasKey $derived $name | ternary (get $derived $name) (get $settings $name) }}
{{- if kindIs "slice" $value }}{{ $value = join "," $value }}{{ end }}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
- name: {{ $variable }}
  value: {{ toString $value | quote }}
{{- end }}
{{- end }}
{{- end -}}
