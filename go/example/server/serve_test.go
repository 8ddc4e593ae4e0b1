package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

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

// ask sends bytes to a server of newServer, and returns the first line of the answer.
func ask(t *testing.T, request string) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.Config = newServer(newHandler(nil, nil), slog.New(slog.DiscardHandler))
	server.Start()
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	// Where the server closes early, what was not read yet is refused.
	_, _ = io.WriteString(connection, request)
	answer := make([]byte, 64)
	count, _ := connection.Read(answer)
	line, _, _ := strings.Cut(string(answer[:count]), "\r\n")
	return line
}

func TestWhatIsNoOrdinaryRequest(t *testing.T) {
	const host = "Host: test\r\n"
	tests := []struct{ name, request, want string }{
		{"a header of 19 kB, with what net/http adds to the limit", "GET / HTTP/1.1\r\n" + host + "A: " + strings.Repeat("a", 19_000) + "\r\n\r\n", "HTTP/1.1 200 OK"},
		{"a header of 21 kB", "GET / HTTP/1.1\r\n" + host + "A: " + strings.Repeat("a", 21_000), "HTTP/1.1 431 Request Header Fields Too Large"},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", "HTTP/1.1 404 Not Found"},
		{"no host", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		{"no HTTP", "hello\r\n\r\n", "HTTP/1.1 400 Bad Request"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ask(t, test.request); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestEveryWaitHasAnEnd(t *testing.T) {
	server := newServer(nil, slog.New(slog.DiscardHandler))
	for name, limit := range map[string]time.Duration{
		"header": server.ReadHeaderTimeout, "request": server.ReadTimeout,
		"answer": server.WriteTimeout, "idle": server.IdleTimeout,
	} {
		if limit <= 0 || limit > time.Minute {
			t.Errorf("%s: %v", name, limit)
		}
	}
}
