{{- /* Everything that is wrong with the values, at once. */ -}}
{{- define "svc.refuseProblems" -}}
{{- $problems := concat
  (include "svc.missing" . | fromJsonArray)
  (include "svc.contradictions" . | fromJsonArray) -}}
{{- if $problems -}}
{{- fail (printf "\n%s" (join "\n" $problems)) -}}
{{- end -}}
{{- end -}}

{{- define "svc.missing" -}}
{{- $problems := list -}}
{{- if not (include "svc.registry" .) -}}
{{- $hint := "set registry to the one that `make push` has pushed the images to, or name the image" -}}
{{- if not .Values.operator.image -}}
{{- $problems = append $problems (printf "operator.image: must name an image that has /opt/svc/bin/svc-operator: it is empty, and so is registry (%s)" $hint) -}}
{{- end -}}
{{- if not .Values.operator.settings.wrapperImage -}}
{{- $problems = append $problems (printf "operator.settings.wrapperImage: must name an image that has /opt/svc: it is empty, and so is registry (%s)" $hint) -}}
{{- end -}}
{{- if and .Values.agent.enabled (not .Values.agent.image) -}}
{{- $problems = append $problems (printf "agent.image: must name an image with the agent if agent.enabled is true: it is empty, and so is registry (%s)" $hint) -}}
{{- end -}}
{{- end -}}
{{- with .Values.operator -}}
{{- if not .settings.annotationPrefix -}}
{{- $problems = append $problems "operator.settings.annotationPrefix: must be a DNS name, for example svc.internal: it is empty" -}}
{{- else if not (regexMatch "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" .settings.annotationPrefix) -}}
{{- $problems = append $problems (printf "operator.settings.annotationPrefix: must be a DNS name, for example svc.internal: got %q" .settings.annotationPrefix) -}}
{{- end -}}
{{- if and .hostNetwork (eq (include "svc.port" $) "10250") -}}
{{- $problems = append $problems "operator.port: must not be 10250 if operator.hostNetwork is true: the kubelet has that port of the node" -}}
{{- end -}}
{{- if and .networkPolicy.enabled (not .networkPolicy.apiServer) -}}
{{- $problems = append $problems "operator.networkPolicy.apiServer: must name the address of the API server: it is empty, and the operator could not ask it" -}}
{{- end -}}
{{- if and .settings.hintsVaultAddress .networkPolicy.enabled (not .networkPolicy.vault) -}}
{{- $problems = append $problems "operator.networkPolicy.vault: must have rules for the vault if operator.settings.hintsVaultAddress is set: it is empty, and the operator could not ask it" -}}
{{- end -}}
{{- if and .settings.hintsVaultAddress (not .hints.tokenAudience) -}}
{{- $problems = append $problems "operator.hints.tokenAudience: must be an audience that the vault's role accepts: it is empty" -}}
{{- end -}}
{{- $namespaces := .settings.registryLoginNamespaces -}}
{{- range $pattern, $source := .settings.registryLogins -}}
{{- if not (or (get $namespaces $pattern) (get $namespaces "*")) -}}
{{- $problems = append $problems (printf "operator.settings.registryLoginNamespaces: must name the namespaces that the login at %s is for, or \"*\" for all: it has none" $pattern) -}}
{{- end -}}
{{- if and (eq (toString $source) "docker-config") (not $.Values.operator.settings.dockerConfig) -}}
{{- $problems = append $problems (printf "operator.settings.dockerConfig: must be the path of docker's configuration if operator.settings.registryLogins has docker-config for %s: it is empty" $pattern) -}}
{{- end -}}
{{- end -}}
{{- if and (eq .pullSecrets.access "namespaces") (not .pullSecrets.namespaces) -}}
{{- $problems = append $problems "operator.pullSecrets.namespaces: must name namespaces if operator.pullSecrets.access is namespaces: it is empty" -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.certificate.source "secret") (not .Values.certificate.secret) -}}
{{- $problems = append $problems "certificate.secret: must name a Secret if certificate.source is secret: it is empty" -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}

{{- define "svc.contradictions" -}}
{{- $problems := list -}}
{{- if and (eq .Values.operator.settings.bundleSource "csi") (not .Values.agent.enabled) -}}
{{- $problems = append $problems "agent.enabled: must be true if operator.settings.bundleSource is csi: the agent is the CSI driver" -}}
{{- end -}}
{{- if eq .Values.operator.settings.tokenSource "agent" -}}
{{- if ne .Values.operator.settings.bundleSource "csi" -}}
{{- $problems = append $problems "operator.settings.tokenSource: must be file unless operator.settings.bundleSource is csi: the agent gives tokens in its volumes" -}}
{{- end -}}
{{- if eq .Values.operator.settings.tokenAudience "none" -}}
{{- $problems = append $problems "operator.settings.tokenSource: must be file if operator.settings.tokenAudience is \"none\": the agent gives tokens for an audience" -}}
{{- end -}}
{{- with .Values.agent.settings.csiTokenAudience -}}
{{- if ne . $.Values.operator.settings.tokenAudience -}}
{{- $problems = append $problems (printf "agent.settings.csiTokenAudience: must be operator.settings.tokenAudience if operator.settings.tokenSource is agent: it is %s" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.operator -}}
{{- if and .settings.hintsVaultAddress (not .settings.rotationPermits) -}}
{{- $problems = append $problems "operator.settings.hintsVaultAddress: must be empty unless operator.settings.rotationPermits is true: wrappers subscribe to hints at the server of permits" -}}
{{- end -}}
{{- if and .hints.caSecret (not .settings.hintsVaultAddress) -}}
{{- $problems = append $problems "operator.hints.caSecret: must be empty unless operator.settings.hintsVaultAddress is set: no other part uses it" -}}
{{- end -}}
{{- end -}}
{{- with .Values.certificate -}}
{{- range $name := list "secret" "authorityKey" -}}
{{- if and (get $.Values.certificate $name) (ne $.Values.certificate.source "secret") -}}
{{- $problems = append $problems (printf "certificate.%s: must be empty unless certificate.source is secret: it is set, and the source is %s" $name $.Values.certificate.source) -}}
{{- end -}}
{{- end -}}
{{- if and .issuer (ne .source "cert-manager") -}}
{{- $problems = append $problems (printf "certificate.issuer: must be empty unless certificate.source is cert-manager: it is set, and the source is %s" .source) -}}
{{- end -}}
{{- if and .issuer (not .issuer.name) -}}
{{- $problems = append $problems "certificate.issuer.name: must be the issuer's name: it is not set" -}}
{{- end -}}
{{- end -}}
{{- with .Values.operator.pullSecrets -}}
{{- if and .namespaces (ne .access "namespaces") -}}
{{- $problems = append $problems (printf "operator.pullSecrets.namespaces: must be empty unless operator.pullSecrets.access is namespaces: it is set, and the access is %q" .access) -}}
{{- end -}}
{{- end -}}
{{- toJson $problems -}}
{{- end -}}
