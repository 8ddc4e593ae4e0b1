package secrets

import (
	"context"
	"errors"
	"os"
)

// Watch takes over new values as Reload does, each time that the process gets SIGHUP, and once at
// its beginning. It ends when ctx is done or the store is closed. After a change it calls f with
// the names of the secrets that are new, changed or gone since the last call. The first time they
// are those since Reload was last called on this store, or since it was opened. If new values are
// not available, it calls f with the error. It never calls f twice at the same time. Watch itself
// does not wait: when it returns, the signal is caught.
//
// SIGHUP goes on to be caught after that, and with ctx done: a program that the wrapper notifies of
// new values while it shuts down must not die of it. For a Store whose values are never replaced,
// nil ones included, Watch does nothing, and SIGHUP keeps its effect.
func (s *Store) Watch(ctx context.Context, f func(changed []string, err error)) {
	if s == nil {
		return
	}
	m := s.memory.Load()
	if m == nil || m.reloadable == nil {
		return
	}
	hangUps := make(chan os.Signal, 1)
	notifyHangUps(hangUps)
	s.reloading.Lock()
	told := s.told
	s.reloading.Unlock()
	go func() {
		defer stopHangUps(hangUps)
		s.watch(ctx, hangUps, told, f)
	}()
}

func (s *Store) watch(ctx context.Context, hangUps <-chan os.Signal, told *snapshot, f func([]string, error)) {
	for ctx.Err() == nil {
		changed, now, err := s.changedSince(told)
		if errors.Is(err, ErrClosed) {
			return
		}
		if err == nil {
			told = now
		}
		if len(changed) > 0 || err != nil {
			f(changed, err)
		}
		select {
		case <-ctx.Done():
		case <-s.closed:
		case <-hangUps:
		}
	}
}
