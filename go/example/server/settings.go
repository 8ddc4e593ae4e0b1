package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const usage = `Usage: server [flags]

Shows over HTTP which secrets it was given, without showing them.

  -listen ADDRESS             where to listen; port 0 takes a free one, which is logged
                              (LISTEN_ADDR; default 127.0.0.1:8080)
  -keys NAME,NAME             secrets to show beside those in protected memory; without
                              svc-wrapper, the environment variables to show, of which
                              there are none by default (SERVER_KEYS)
  -shutdown-timeout DURATION  how long requests may take to finish after SIGTERM or SIGINT
                              (SHUTDOWN_TIMEOUT; default 5s)
  -help                       this text

A flag takes precedence over its variable; an empty variable is as good as none.

  GET /           names of the secrets, and their count
  GET /health     status, delivery (memfd_secret or env_vars), protection
  GET /protected  each secret: whether it is there, its first 2 and last 2 characters

Signals: SIGTERM and SIGINT finish running requests, a second one does not; SIGHUP takes over
new values (SVC_ROTATION=sighup). Exit status: 0 after a shutdown, 1 if the server failed
or had to cut requests off, 2 for wrong settings.
`

// settings are the inputs of the server.
type settings struct {
	listen          string
	keys            []string
	shutdownTimeout time.Duration
}

// lookupFunc finds an environment variable, as os.LookupEnv does.
type lookupFunc func(name string) (value string, ok bool)

// texts are settings as they were given.
type texts struct{ listen, keys, shutdownTimeout string }

// parseSettings reads flags, then variables, then defaults. The error joins everything that is
// wrong; it is flag.ErrHelp if help was asked for.
func parseSettings(args []string, lookup lookupFunc) (settings, error) {
	given := texts{
		listen:          variable(lookup, "LISTEN_ADDR", "127.0.0.1:8080"),
		keys:            variable(lookup, "SERVER_KEYS", ""),
		shutdownTimeout: variable(lookup, "SHUTDOWN_TIMEOUT", "5s"),
	}
	problems := given.parseFlags(args)
	if slices.ContainsFunc(problems, func(err error) bool { return errors.Is(err, flag.ErrHelp) }) {
		return settings{}, flag.ErrHelp
	}
	parsed := settings{listen: given.listen}
	var err error
	if err = checkAddress(given.listen); err != nil {
		problems = append(problems, fmt.Errorf("-listen (LISTEN_ADDR): %w", err))
	}
	if parsed.keys, err = parseKeys(given.keys); err != nil {
		problems = append(problems, fmt.Errorf("-keys (SERVER_KEYS): %w", err))
	}
	if parsed.shutdownTimeout, err = parseTimeout(given.shutdownTimeout); err != nil {
		problems = append(problems, fmt.Errorf("-shutdown-timeout (SHUTDOWN_TIMEOUT): %w", err))
	}
	return parsed, errors.Join(problems...)
}

func variable(lookup lookupFunc, name, otherwise string) string {
	if value, ok := lookup(name); ok && value != "" {
		return value
	}
	return otherwise
}

// parseFlags goes on behind the first wrong flag, at which package flag stops.
func (t *texts) parseFlags(args []string) (problems []error) {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&t.listen, "listen", t.listen, "")
	flags.StringVar(&t.keys, "keys", t.keys, "")
	flags.StringVar(&t.shutdownTimeout, "shutdown-timeout", t.shutdownTimeout, "")
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			problems = append(problems, err)
			args = flags.Args()
			continue
		}
		if args = flags.Args(); len(args) > 0 {
			problems = append(problems, fmt.Errorf("argument %q: there are none but flags", args[0]))
			args = args[1:]
		}
	}
	return problems
}

func checkAddress(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return fmt.Errorf("must be HOST:PORT: got %q", text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("must have a port from 0 to 65535: got %q", port)
	}
	return nil
}

// isName reports whether a variable can have that name.
func isName(key string) bool {
	return utf8.ValidString(key) && !strings.Contains(key, "=") && strings.IndexFunc(key, unicode.IsControl) < 0
}

func parseKeys(text string) ([]string, error) {
	keys := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	var wrong []string
	for _, key := range keys {
		if !isName(key) {
			wrong = append(wrong, strconv.Quote(key))
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("must be names of variables, parted by commas: got %s", strings.Join(wrong, ", "))
	}
	return keys, nil
}

const maxShutdownTimeout = time.Hour

func parseTimeout(text string) (time.Duration, error) {
	timeout, err := time.ParseDuration(text)
	if err != nil || timeout < 0 || timeout > maxShutdownTimeout {
		return 0, fmt.Errorf("must be a duration from 0s to 1h: got %q", text)
	}
	return timeout, nil
}
