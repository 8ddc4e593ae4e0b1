{{- /*
The template of a pod that runs a command of `svc secretstore`, of a dict with `root`, `command`, `account` and
`grace`, the seconds that it is given to end.
*/ -}}
{{- define "svc-secretstore.pod" -}}
{{- $pod := . -}}
{{- with .root -}}
metadata:
  labels:
    {{- include "svc-secretstore.podLabelsOf" (dict "root" . "component" $pod.command) | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    cluster-autoscaler.kubernetes.io/safe-to-evict: "false"
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ $pod.account | quote }}
  automountServiceAccountToken: true
  enableServiceLinks: false
  restartPolicy: Never
  terminationGracePeriodSeconds: {{ $pod.grace }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    {{- with .Values.runAsUser }}
    runAsUser: {{ . | int64 }}
    runAsGroup: {{ . | int64 }}
    fsGroup: {{ . | int64 }}
    {{- end }}
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: {{ $pod.command }}
      image: {{ include "svc-secretstore.image" . | quote }}
      imagePullPolicy: {{ .Values.imagePullPolicy }}
      command: [/opt/svc/bin/svc, secretstore, {{ $pod.command }}]
      env:
        {{- include "svc-secretstore.env" . | trim | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      # The last errors are in `kubectl describe pod`, too.
      terminationMessagePolicy: FallbackToLogsOnError
      {{- with include "svc-secretstore.volumeMounts" . | trim }}
      volumeMounts:
        {{- . | nindent 8 }}
      {{- end }}
  {{- with include "svc-secretstore.volumes" . | trim }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}
