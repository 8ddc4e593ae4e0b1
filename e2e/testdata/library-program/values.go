package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// list prints the hash of each value.
func list() {
	store := open()
	for _, name := range store.Keys() {
		store.Use(name, func(value []byte) {
			same := string(value) == store.Get(name) && store.Has(name)
			fmt.Printf("%s %x %t\n", name, sha256.Sum256(value), same)
		})
	}
}

// notUTF8 reads bytes that no vault delivers, from a separate region.
func notUTF8() {
	value := []byte("\xff\xfe=\x80\xc3=\xed\xa0\x80")
	fd := must(unix.MemfdCreate("region", 0))
	must(unix.Write(fd, append(append([]byte("BYTES="), value...), 0)))
	must(0, os.Setenv(descriptorVariable, fmt.Sprint(fd)))
	store := open()
	fmt.Println("the bytes are as they were:", store.Get("BYTES") == string(value))
}

// copies outlive their store, until they are wiped.
func copies() {
	store := open()
	secret := must(store.Copy(key))
	want := string(secret.Bytes())
	_ = store.Close()
	fmt.Println("after Close:", bytes.Equal(secret.Bytes(), []byte(want)), len(want) > 0)
	secret.Wipe()
	secret.Wipe()
	fmt.Println("after Wipe:", secret.Bytes() == nil)
	_, err := store.Copy(key)
	fmt.Println(err)
}
