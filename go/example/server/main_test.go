package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestExitStatus(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	tests := []struct {
		name, args, descriptor string
		want                   int
		stdout, stderr         string
	}{
		{"help", "-help", "", 0, "Usage: server", ""},
		{"wrong settings", "-bad x", "", 2, "", "server: flag provided but not defined: -bad\nserver: argument"},
		{"no store can be had", "", "9999", 1, "", "secrets: open: the descriptor is not open"},
		{"an address that is taken", "-listen " + taken.Listener.Addr().String(), "", 1, "", "address already in use"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.descriptor != "" {
				t.Setenv("SVC_SECRET_FD", test.descriptor)
			}
			var stdout, stderr strings.Builder
			if got := run(strings.Fields(test.args), lookupIn(nil), &stdout, &stderr); got != test.want {
				t.Errorf("got %d", got)
			}
			if !strings.Contains(stdout.String(), test.stdout) || !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("got %q and %q", stdout.String(), stderr.String())
			}
		})
	}
}
