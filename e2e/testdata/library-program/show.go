package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// show prints the value, and whether it is anywhere in the environment. The value is not secret
// here.
func show() {
	store := open()
	fmt.Printf("%s=%s\n", key, store.Get(key))
	block := must(os.ReadFile("/proc/self/environ"))
	store.Use(key, func(value []byte) {
		fmt.Printf("%q %t\n", os.Getenv(key), bytes.Contains(block, value))
	})
}

// wait holds the value, and copies it nowhere.
func wait() {
	value := open().Get(key)
	fmt.Println("holds", len(value))
	for {
		_ = syscall.Pause()
	}
}
