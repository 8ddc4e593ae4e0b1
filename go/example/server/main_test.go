package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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

func TestRequestsThatTakeTooLongAreCutOff(t *testing.T) {
	begun := make(chan struct{})
	never := make(chan struct{})
	defer close(never)
	slow := http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-never
	})
	address := make(chan string, 1)
	log := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "address" {
				address <- a.Value.String()
			}
			return a
		},
	}))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	given := settings{listen: "127.0.0.1:0", shutdownTimeout: time.Millisecond}
	go func() { ended <- serve(ctx, given, slow, log) }()
	url := "http://" + <-address
	go func() {
		if response, err := http.Get(url); err == nil {
			response.Body.Close()
		}
	}()
	<-begun
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("got %v", err)
	}
}
