{{- /* The whole seconds of a duration as Go writes it; nothing is 0. */ -}}
{{- define "svc.seconds" -}}
{{- $start := toDate "2006-01-02" "2000-01-01" -}}
{{- sub (mustDateModify (. | default "0s") $start | unixEpoch) (unixEpoch $start) -}}
{{- end -}}

{{- /* How long a pod of the operator may take to end: the time that it waits, and ten seconds of margin. */ -}}
{{- define "svc.gracePeriod" -}}
{{- $settings := .Values.operator.settings -}}
{{- add
  (include "svc.seconds" ($settings.shutdownDelay | default "5s") | int)
  (include "svc.seconds" ($settings.shutdownGrace | default "15s") | int)
  10 -}}
{{- end -}}
