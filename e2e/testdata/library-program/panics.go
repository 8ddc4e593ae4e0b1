package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"svc.internal/secrets"
)

// panicWithValues panics with objects that hold secrets, below functions that have values as
// arguments.
func panicWithValues() {
	store := open()
	holdInGoroutines(store)
	secret := must(store.Copy(key))
	defer func() { panic(fmt.Errorf("again, with %v: %w", store, errors.New(store.String()))) }()
	passOn(store.Get(key), secret, func() { panic(fmt.Sprint(store, secret, secret != nil)) })
}

// fatalWithValues ends by an error of the runtime that cannot be recovered from, which prints every
// stack.
func fatalWithValues() {
	store := open()
	holdInGoroutines(store)
	var lock sync.Mutex
	passOn(store.Get(key), nil, lock.Unlock)
}

// holdInGoroutines starts goroutines in whose frames the value is, as a string and as bytes.
func holdInGoroutines(store *secrets.Store) {
	var begun sync.WaitGroup
	for range 3 {
		begun.Add(2)
		go passOn(store.Get(key), nil, func() { begun.Done(); select {} })
		go store.Use(key, func(value []byte) { begun.Done(); select {} })
	}
	begun.Wait()
}

//go:noinline
func passOn(value string, secret *secrets.Secret, f func()) {
	f()
	runtime.KeepAlive(secret)
	if strings.HasPrefix(value, "never") {
		fmt.Println("never")
	}
}
