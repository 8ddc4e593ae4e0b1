{{- /* Everything that is wrong with the values, at once. */ -}}
{{- define "svc-secretstore.refuseProblems" -}}
{{- $problems := concat
  (include "svc-secretstore.missing" . | fromJsonArray)
  (include "svc-secretstore.contradictions" . | fromJsonArray)
  (include "svc-secretstore.secretInTheWay" . | fromJsonArray) -}}
{{- if $problems -}}
{{- fail (printf "\n%s" (join "\n" $problems)) -}}
{{- end -}}
{{- end -}}

{{- define "svc-secretstore.missing" -}}
{{- $problems := list -}}
{{- if not (include "svc-secretstore.image" .) -}}
{{- $problems = append $problems "image: must name an image that has /opt/svc/bin/svc: it is empty, and so is registry (set registry to the one that `make push` has pushed the images to, or name the image)" -}}
{{- end -}}
{{- with .Values.settings -}}
{{- if not .storeAddr -}}
{{- $problems = append $problems "settings.storeAddr: must be the store's URL, for example https://vault.vault:8200: it is empty" -}}
{{- else if not (regexMatch (include "svc-secretstore.address" .) .storeAddr) -}}
{{- $problems = append $problems (printf "settings.storeAddr: must include scheme and port: got %q" .storeAddr) -}}
{{- end -}}
{{- if not .releaseName -}}
{{- $problems = append $problems "settings.releaseName: must be the name of the store's Helm release: it is empty" -}}
{{- end -}}
{{- if not .outputSecret -}}
{{- $problems = append $problems "settings.outputSecret: must name the Secret that keeps the keys: it is empty" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.apiServer) -}}
{{- $problems = append $problems "networkPolicy.apiServer: must name the address of the API server: it is empty, and nothing could be stored" -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}

{{- /* Scheme, host, port, and perhaps a path. */ -}}
{{- define "svc-secretstore.address" -}}
^https?://(?:\[[^]]+\]|[^:/]+):([0-9]+)(?:/.*)?$
{{- end -}}

{{- define "svc-secretstore.contradictions" -}}
{{- $problems := list -}}
{{- if and .Values.ca.configMap .Values.ca.secret -}}
{{- $problems = append $problems "ca.configMap, ca.secret: one of them must be empty: both are set" -}}
{{- end -}}
{{- $settings := .Values.settings -}}
{{- if and .Values.unseal.enabled (or $settings.pgpKeys $settings.ageRecipients) -}}
{{- $problems = append $problems "unseal.enabled: must be false if shares are encrypted to people: only they can unseal" -}}
{{- end -}}
{{- range $name, $_ := omit (include "svc-secretstore.derivedSettings" . | fromJson) "namespace" -}}
{{- if get $settings $name -}}
{{- $problems = append $problems (printf "settings.%s: must be empty if ca, clientCertificate or tokenReviewer sets it: it is set, too" $name) -}}
{{- end -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}
