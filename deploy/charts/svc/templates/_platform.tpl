{{- /*
The needs of a platform. A value of the user's takes precedence: the values below are empty by default,
because Helm does not tell a default from the same value of a user.
*/ -}}
{{- define "svc.port" -}}
{{- .Values.operator.port | default (ternary 10250 8443 (eq (toString .Values.platform) "gke")) | int -}}
{{- end -}}

{{- define "svc.replicas" -}}
{{- .Values.operator.replicas | default (ternary 1 2 (eq (toString .Values.platform) "kind")) | int -}}
{{- end -}}

{{- /* The user of the operator's pods; empty if the platform gives one. Helm removes a value that is null. */ -}}
{{- define "svc.runAsUser" -}}
{{- if hasKey .Values.operator "runAsUser" -}}
{{- if kindIs "invalid" .Values.operator.runAsUser -}}
{{- else if ne (toString .Values.operator.runAsUser) "" -}}
{{- int64 .Values.operator.runAsUser -}}
{{- else if ne (toString .Values.platform) "openshift" -}}
65532
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The value of operator.settings.copyUser; empty for the operator's own default. */ -}}
{{- define "svc.copyUser" -}}
{{- .Values.operator.settings.copyUser | default (ternary "none" "" (eq (toString .Values.platform) "openshift")) | include "svc.plainText" -}}
{{- end -}}

{{- define "svc.dnsPolicy" -}}
{{- .Values.operator.dnsPolicy | default (ternary "ClusterFirstWithHostNet" "" .Values.operator.hostNetwork) -}}
{{- end -}}

{{- /*
The annotations of the webhook configuration, as YAML. The admission enforcer of AKS adds a condition to it, and
again after each upgrade of the release.
*/ -}}
{{- define "svc.webhookAnnotations" -}}
{{- $annotations := deepCopy .Values.webhook.annotations -}}
{{- if eq (toString .Values.platform) "aks" -}}
{{- $annotations = merge $annotations (dict "admissions.enforcer/disabled" "true") -}}
{{- end -}}
{{- if eq .Values.certificate.source "cert-manager" -}}
{{- $_ := set $annotations "cert-manager.io/inject-ca-from" (printf "%s/%s" .Release.Namespace (include "svc.operator" .)) -}}
{{- end -}}
{{- with $annotations -}}
{{- toYaml . -}}
{{- end -}}
{{- end -}}
