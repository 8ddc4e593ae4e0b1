{{- /* An image: a list of the root, the name that a value gives, and the name that `make push` gives. */ -}}
{{- define "svc.image" -}}
{{- $root := index . 0 -}}
{{- index . 1 | default (printf "%s/%s:%s" (include "svc.registry" $root) (index . 2) $root.Chart.AppVersion) -}}
{{- end -}}

{{- /* The place of images; empty if no value says it. */ -}}
{{- define "svc.registry" -}}
{{- .Values.registry | default (.Values.global | default dict).registry | default "" | trimSuffix "/" -}}
{{- end -}}
