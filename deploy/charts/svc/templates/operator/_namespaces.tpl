{{- /* The namespaces whose pods the operator is asked about. */ -}}
{{- define "svc.webhookNamespaces" -}}
{{- with .Values.webhook -}}
{{- with .namespaceSelector.matchLabels -}}
matchLabels:
  {{- toYaml . | nindent 2 }}
{{ end -}}
matchExpressions:
  - key: kubernetes.io/metadata.name
    operator: NotIn
    values:
      {{- concat (list $.Release.Namespace "kube-system" "kube-public" "kube-node-lease") .excludedNamespaces | uniq | toYaml | nindent 6 }}
  {{- with .namespaceSelector.matchExpressions }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}
