package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout  = 5 * time.Second
	requestTimeout = 10 * time.Second
	answerTimeout  = 10 * time.Second
	idleTimeout    = time.Minute
	maxHeaderBytes = 16 << 10
)

// serve answers requests until ctx is done, and then those that have begun.
func serve(ctx context.Context, settings settings, handler http.Handler, log *slog.Logger) error {
	listener, err := net.Listen("tcp", settings.listen)
	if err != nil {
		return err
	}
	server := newServer(handler, log)
	spare := &unused{connections: map[net.Conn]bool{}}
	server.ConnState = spare.onState
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	log.Info("server listens", "address", listener.Addr().String())
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	log.Info("server shuts down", "timeout", settings.shutdownTimeout)
	spare.close()
	return shutDown(server, settings.shutdownTimeout)
}

// newServer has a limit on everything that a client could make last.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		// Also `OPTIONS *` is answered by the handler.
		DisableGeneralOptionsHandler: true,
	}
}

func shutDown(server *http.Server, timeout time.Duration) error {
	// The end of ctx must not cut off requests.
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		_ = server.Close()
		return fmt.Errorf("shut down: requests were still running after %v: cut off", timeout)
	}
	return err
}
