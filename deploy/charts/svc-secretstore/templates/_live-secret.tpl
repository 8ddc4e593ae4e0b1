{{- /* The type of the output Secret that is there; empty if there is none, and without a cluster. */ -}}
{{- define "svc-secretstore.liveType" -}}
{{- if .Values.settings.outputSecret -}}
{{- get (lookup "v1" "Secret" (include "svc-secretstore.storeNamespace" .) .Values.settings.outputSecret) "type" | default "" -}}
{{- end -}}
{{- end -}}

{{- define "svc-secretstore.secretInTheWay" -}}
{{- $type := include "svc-secretstore.liveType" . -}}
{{- if and $type (ne $type "svc.internal/store-keys") -}}
{{- $problem := "settings.outputSecret: must not name something else: the Secret %q is there, and its type is %s" -}}
{{- list (printf $problem .Values.settings.outputSecret $type) | toJson -}}
{{- else -}}
[]
{{- end -}}
{{- end -}}
