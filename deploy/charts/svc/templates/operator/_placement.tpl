{{- /* The nodes of the operator's pods. */ -}}
{{- define "svc.operatorPlacement" -}}
{{- with .Values.operator }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .affinity }}
affinity:
  {{- toYaml .affinity | nindent 2 }}
{{- else if .spread }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "svc.podLabels" (list $ "operator") | nindent 14 }}
{{- end }}
{{- if .spread }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "svc.podLabels" (list $ "operator") | nindent 8 }}
    # Without it, pods of the version that goes would keep those of the one that comes out of their zones.
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- end -}}
