package secrets

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestEveryWatchIsToldOfEveryChange(t *testing.T) {
	first, writer := openReloadable(t, "KEY=0")
	second, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	calls := make([]chan []string, 3)
	for i, store := range []*Store{first, second, second} {
		calls[i] = make(chan []string)
		store.Watch(context.Background(), func(changed []string, err error) {
			if err != nil {
				t.Error(err)
			}
			calls[i] <- changed
		})
	}
	for i := 1; i <= 50; i++ {
		publish(writer, fmt.Sprint("KEY=", i))
		hangUp(t)
		for _, call := range calls {
			expectEqual(t, "changed", fmt.Sprint(<-call), "[KEY]")
		}
	}
	expectReload(t, first, "KEY")
}

func TestAWatchEndsWithItsContextAndWithItsStore(t *testing.T) {
	rows := map[string]func(stop context.CancelFunc, store *Store){
		"context": func(stop context.CancelFunc, _ *Store) { stop() },
		"store":   func(_ context.CancelFunc, store *Store) { _ = store.Close() },
	}
	for name, end := range rows {
		t.Run(name, func(t *testing.T) {
			// Most of the times it is waiting by then.
			for range 50 {
				store, _ := openReloadable(t, "KEY=0")
				ctx, stop := context.WithCancel(context.Background())
				hangUps, ended := make(chan os.Signal), make(chan struct{})
				go func() {
					store.watch(ctx, hangUps, store.told, func([]string, error) { t.Error("called") })
					close(ended)
				}()
				hangUps <- syscall.SIGHUP
				for range 100 {
					runtime.Gosched()
				}
				end(stop, store)
				<-ended
				stop()
			}
		})
	}
}

func TestAWatchWhoseContextIsDoneCallsNobody(t *testing.T) {
	store, writer := openReloadable(t, "KEY=0")
	publish(writer, "KEY=1")
	ctx, stop := context.WithCancel(context.Background())
	stop()
	store.watch(ctx, nil, store.told, func([]string, error) { t.Error("called") })
}

func TestWatchCallsItsFunctionForEachChange(t *testing.T) {
	store, writer := openReloadable(t, "KEY=1")
	publish(writer, "KEY=2")
	calls := make(chan string)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	store.Watch(ctx, func(changed []string, err error) {
		calls <- fmt.Sprintf("%s %v %s", changed, err, store.Get("KEY"))
	})
	expectEqual(t, "the earlier call", <-calls, "[KEY] <nil> 2")
	publish(writer, "KEY=3")
	hangUp(t)
	expectEqual(t, "the next", <-calls, "[KEY] <nil> 3")
	publish(writer, "KEY")
	hangUp(t)
	if got := <-calls; !strings.Contains(got, "the entry has no =") || !strings.HasSuffix(got, " 3") {
		t.Error(got)
	}
	stop()
	hangUp(t)
}

func TestWatchOfWhatIsNeverReplacedLeavesTheSignalAlone(t *testing.T) {
	closed := openStore(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, store := range []*Store{nil, closed, openStore(t, "KEY=1")} {
		store.Watch(context.Background(), func([]string, error) { t.Error("called") })
	}
}

func hangUp(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}
