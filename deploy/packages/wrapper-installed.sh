#!/bin/sh
# After an installation or an upgrade of svc-wrapper (deb: postinst, rpm: post). Programs that run
# keep the wrapper that they were started with: you restart them when it suits you.
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
