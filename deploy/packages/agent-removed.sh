#!/bin/sh
# Before svc-agent is removed or upgraded (deb: prerm, rpm: preun).
set -e
case "$1" in
  remove | 0)
    if [ -d /run/systemd/system ]; then systemctl disable --now svc-agent.service; fi
    ;;
esac
