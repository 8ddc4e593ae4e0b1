package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.test/library-program/second"
	"svc.internal/secrets"
)

func openTwice() {
	first, again := open(), open()
	fmt.Println("both read the same:", first.Get(key) == again.Get(key), len(first.Get(key)) > 0)
	_ = first.Close()
	fmt.Println("the closed one:", len(first.Get(key)), first.Has(key), first.Keys())
	fmt.Println("the other one:", len(again.Get(key)) > 0, again.Has(key), again.Keys())
	_ = again.Close()
	_ = again.Close()
	late, err := secrets.Open()
	fmt.Println("opened after both:", late == nil, err)
}

func secondPackage() {
	store := open()
	reader := must(second.New())
	length := len(store.Get(key))
	_ = reader.Close()
	fmt.Println("closed there, read here:", len(store.Get(key)) == length, length > 0)
	reader = must(second.New())
	_ = store.Close()
	fmt.Println("closed here, read there:", reader.Length(key) == length)
	_ = reader.Close()
	fmt.Println("closed both:", reader.Length(key))
}

// closeDuringUse opens and closes stores under 64 goroutines that read them, and at last the memory
// itself.
func closeDuringUse() {
	const readers = 64
	whole := open()
	want := strings.Clone(whole.Get(key))
	var current atomic.Pointer[secrets.Store]
	current.Store(whole)
	var wrong, reads, closed atomic.Int64
	var group sync.WaitGroup
	ended := make(chan struct{})
	for range readers {
		group.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				reads.Add(1)
				if !readWhole(current.Load(), want, &closed) {
					wrong.Add(1)
				}
			}
		})
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		next := open()
		before := current.Swap(next)
		if before != whole {
			_ = before.Close()
		}
		runtime.Gosched()
	}
	_ = current.Load().Close()
	_ = whole.Close()
	for seen := closed.Load(); closed.Load() < seen+readers; {
		runtime.Gosched()
	}
	close(ended)
	group.Wait()
	fmt.Println("wrong reads:", wrong.Load(), "read and closed:", reads.Load() > readers, closed.Load() > 0)
}

// readWhole reports false for anything but the whole value or that the store is closed.
func readWhole(store *secrets.Store, want string, closed *atomic.Int64) bool {
	right := true
	found := store.Use(key, func(value []byte) { right = string(value) == want })
	// Its bytes may be gone at any time; its length is of the string itself.
	length := len(store.Get(key))
	if !found || length == 0 {
		closed.Add(1)
	}
	return right && (length == 0 || length == len(want))
}

// keepString reads a string after Close, with other memory mapped meanwhile.
func keepString() {
	store := open()
	kept := store.Get(key)
	_ = store.Close()
	for range 64 {
		page := must(syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON))
		runtime.KeepAlive(page)
	}
	runtime.GC()
	fmt.Println("kept", len(kept))
	fmt.Println("read", kept[0])
}
