{{- /* The operator's flags, as a YAML list. An empty value is left to the operator, which has the defaults. */ -}}
{{- define "svc.operatorArguments" -}}
{{- $image := include "svc.image" (list . .Values.operator.settings.wrapperImage "svc-wrapper") -}}
{{- $settings := merge (dict "wrapperImage" $image "copyUser" (include "svc.copyUser" .)) .Values.operator.settings -}}
{{- range .Files.Get "files/operator-arguments.json" | fromJsonArray }}
{{- $value := get $settings .value }}
{{- $text := include "svc.flagText" (dict "value" $value "json" .json "empty" .empty) }}
{{- if $text }}
- {{ include "svc.argument" (printf "%s=%s" .flag $text) }}
{{- end }}
{{- end }}
{{- range include "svc.ownArguments" . | fromYamlArray }}
- {{ include "svc.argument" . }}
{{- end }}
{{- end -}}

{{- /* The kubelet takes $(NAME) in arguments for a variable, and $$ for a dollar. */ -}}
{{- define "svc.argument" -}}
{{- . | replace "$" "$$" | quote -}}
{{- end -}}

{{- /* A value as a flag has it; empty if the flag is left out. */ -}}
{{- define "svc.flagText" -}}
{{- if kindIs "invalid" .value -}}
{{- else if .json -}}
{{- if .value }}{{ toJson .value }}{{ end -}}
{{- else if kindIs "slice" .value -}}
{{- join "," .value | default (.empty | default "") -}}
{{- else if kindIs "map" .value -}}
{{- $entries := list -}}
{{- range $key, $given := .value -}}
{{- range kindIs "slice" $given | ternary $given (list $given) -}}
{{- $entries = append $entries (printf "%s=%s" $key (include "svc.plainText" .)) -}}
{{- end -}}
{{- end -}}
{{- join "," $entries | default (.empty | default "") -}}
{{- else -}}
{{- include "svc.plainText" .value -}}
{{- end -}}
{{- end -}}

{{- /* Helm reads whole numbers as fractions, and would write large ones with an exponent. */ -}}
{{- define "svc.plainText" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{- define "svc.ownArguments" -}}
{{- $name := include "svc.operator" . -}}
- --listen-addr=:{{ include "svc.port" . }}
- --namespace={{ .Release.Namespace }}
- --service={{ $name }}
- --lease={{ $name }}
- --image-secret={{ include "svc.imageSecret" . }}
- --webhook-configuration={{ $name }}
{{- if .Values.operator.settings.rotationPermits }}
- --permits-listen-addr=:{{ include "svc.permitsPort" . }}
- --permits-secret={{ include "svc.permitsSecret" . }}
{{- end }}
{{- if and .Values.operator.settings.hintsVaultAddress .Values.operator.hints.caSecret }}
- --hints-vault-ca-file=/etc/svc/hints/ca.crt
{{- end }}
{{- if eq .Values.certificate.source "self-made" }}
- --certificate-source=self-made
- --certificate-secret={{ include "svc.certificateSecret" . }}
{{- else }}
- --certificate-source=files
- --certificate-file=/etc/svc/certificate/tls.crt
- --certificate-key-file=/etc/svc/certificate/tls.key
{{- with .Values.certificate.authorityKey }}
- --certificate-ca-file=/etc/svc/certificate/{{ . }}
{{- end }}
{{- end }}
- --read-pull-secrets={{ ne .Values.operator.pullSecrets.access "none" }}
{{- end -}}
