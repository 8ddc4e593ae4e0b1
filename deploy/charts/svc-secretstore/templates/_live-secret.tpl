{{- /*
What there is of the output Secret, as JSON; its data is not looked at. Empty where there is none, where it is not the
chart's concern, and without a cluster (helm template).
*/ -}}
{{- define "svc-secretstore.liveSecret" -}}
{{- $found := dict -}}
{{- if and .Values.createOutputSecret .Values.settings.outputSecret -}}
{{- with lookup "v1" "Secret" (include "svc-secretstore.storeNamespace" .) .Values.settings.outputSecret -}}
{{- $annotations := .metadata.annotations | default dict -}}
{{- $isKept := eq (get $annotations "helm.sh/resource-policy") "keep" -}}
{{- $isOurs := and (eq (get $annotations "meta.helm.sh/release-name") $.Release.Name) (eq (get $annotations "meta.helm.sh/release-namespace") $.Release.Namespace) -}}
{{- $found = dict "type" .type "isKept" $isKept "isOurs" $isOurs -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{- define "svc-secretstore.secretInTheWay" -}}
{{- $problems := list -}}
{{- $name := .Values.settings.outputSecret -}}
{{- $namespace := include "svc-secretstore.storeNamespace" . -}}
{{- with include "svc-secretstore.liveSecret" . | fromJson -}}
{{- if ne .type "svc.internal/store-keys" -}}
{{- $problems = append $problems (printf "settings.outputSecret: must not name something else: the Secret %q is there, and its type is %s" $name .type) -}}
{{- else if not (or .isKept .isOurs) -}}
{{- $problems = append $problems (printf "settings.outputSecret: the Secret %q must be safe from Helm: it has no annotation helm.sh/resource-policy\n  hint: kubectl -n %s annotate secret %s helm.sh/resource-policy=keep" $name $namespace $name) -}}
{{- end -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}
