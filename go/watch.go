package secrets

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Watch calls Reload each time that the process gets SIGHUP, and once at its beginning, until ctx is done or
// the store is closed. Where something changed, or Reload failed, it calls f with what Reload returned; never
// twice at the same time. It does not wait: when it returns, the signal is caught.
//
// SIGHUP goes on to be caught after that, and with ctx done: a program that the wrapper tells of new values
// while it shuts down must not die of it. For a Store whose values are never replaced, nil ones included, Watch
// does nothing, and SIGHUP does what it did.
func (s *Store) Watch(ctx context.Context, f func(changed []string, err error)) {
	if s == nil {
		return
	}
	m := s.memory.Load()
	if m == nil || m.reloadable == nil {
		return
	}
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP)
	go s.watch(ctx, hangUps, f)
}

func (s *Store) watch(ctx context.Context, hangUps <-chan os.Signal, f func([]string, error)) {
	for {
		changed, err := s.Reload()
		if errors.Is(err, ErrClosed) {
			return
		}
		if len(changed) > 0 || err != nil {
			f(changed, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-hangUps:
		}
	}
}
