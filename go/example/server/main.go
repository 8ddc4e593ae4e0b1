// Command server is an example of a program that reads its secrets with package secrets, and shows
// over HTTP their state without showing them:
//
//	GET /           the names of the secrets there are, and their count
//	GET /health     that the server runs, and how its secrets were delivered and are protected
//	GET /protected  each secret with its first two and last two characters
//
// Under svc-wrapper it reads protected memory; without, environment variables: those that -keys
// names. With SVC_ROTATION=sighup it takes over new values while it runs. `server -help` lists its
// settings.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"svc.internal/secrets"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr)) }

// run is main with its surroundings as arguments; it returns the exit status.
func run(args []string, lookup lookupFunc, stdout, stderr io.Writer) int {
	settings, err := parseSettings(args, lookup)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return 0
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(stderr, "server:", strings.TrimSuffix(line, "\n"))
		}
		fmt.Fprintln(stderr, "server: hint: server -help lists the settings")
		return exitUsage
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if err := serveSecrets(settings, log); err != nil {
		log.Error("server ends", "error", err)
		return exitFailed
	}
	return 0
}

// serveSecrets runs from Open to Close.
func serveSecrets(settings settings, log *slog.Logger) error {
	// The first signal ends the server in good order; the second one, like any other program, at
	// once.
	signals, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// In this order: after the message about the shutdown a user may send a second signal, which
	// ends it.
	context.AfterFunc(signals, func() {
		stop()
		cancel()
	})

	store, err := secrets.Open()
	if err != nil {
		return err
	}
	defer store.Close()
	log.Info("secrets are open", "count", len(store.Keys()), "protection", string(store.Protection()))
	store.Watch(ctx, func(changed []string, err error) {
		if err != nil {
			log.Error("new values cannot be read, the old ones stay", "error", err)
			return
		}
		log.Info("secrets changed", "keys", changed)
	})
	return serve(ctx, settings, newHandler(store, settings.keys), log)
}
