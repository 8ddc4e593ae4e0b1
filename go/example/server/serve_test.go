package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// net/http drops connections on which nothing was sent after five seconds.
var impatient = settings{listen: "127.0.0.1:0", shutdownTimeout: 2 * time.Second}

func TestShutDownDoesNotWaitForConnectionsOnWhichNothingWasSent(t *testing.T) {
	address, stop, ended := startServing(t, impatient)
	for range 3 {
		connect(t, address)
	}
	// Accepted in their order: this one has been answered when those were accepted.
	expectAnswer(t, connect(t, address))
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// startServing returns its address, the function that ends it, and its result.
func startServing(t *testing.T, settings settings) (address string, stop func(), ended <-chan error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	said, log := io.Pipe()
	end := make(chan error, 1)
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	go func() { end <- serve(ctx, settings, handler, slog.New(slog.NewTextHandler(log, nil))) }()
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal(lines.Err())
	}
	_, address, found := strings.Cut(lines.Text(), "address=")
	if !found {
		t.Fatalf("no address: %s", lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return address, stop, end
}

func connect(t *testing.T, address string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

func expectAnswer(t *testing.T, connection net.Conn) {
	t.Helper()
	if _, err := io.WriteString(connection, "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Error(answer.Status)
	}
}
