#!/bin/sh
# After an installation or an upgrade of svc-agent (deb: postinst, rpm: post).
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # An agent that runs is replaced by the new one; one that does not is left alone.
  systemctl try-restart svc-agent.service
fi
