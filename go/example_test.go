package secrets_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"log"
	"os"
	"sync/atomic"

	"svc.internal/secrets"
)

// Started without the wrapper there is no store, and the same code reads environment variables.
func Example() {
	os.Setenv("DB_PASSWORD", "of the environment")

	store, err := secrets.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	fmt.Println(store.MustGet("DB_PASSWORD"))
	fmt.Println(store)
	// Output:
	// of the environment
	// secrets.Store(nil, environment variables)
}

// A key that is used in place: only hmac keeps a copy of it.
func ExampleStore_Use() {
	os.Setenv("SIGNING_KEY", "key")
	store, err := secrets.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	found := store.Use("SIGNING_KEY", func(key []byte) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("message"))
		fmt.Printf("%x\n", mac.Sum(nil)[:8])
	})
	fmt.Println(found)
	// Output:
	// 6e9ef29b75fffc5b
	// true
}

// A copy for a use that lives longer than the store.
func ExampleStore_Copy() {
	os.Setenv("API_TOKEN", "token")
	store, err := secrets.Open()
	if err != nil {
		log.Fatal(err)
	}
	token, err := store.Copy("API_TOKEN")
	if err != nil {
		log.Fatal(err)
	}
	defer token.Wipe()
	store.Close()

	fmt.Println(len(token.Bytes()), token)
	// Output: 5 [secret]
}

// With SVC_ROTATION=sighup a server takes new certificates without a restart.
func ExampleStore_Watch() {
	store, err := secrets.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	var current atomic.Pointer[tls.Certificate]
	load := func() {
		found := store.UseAll([]string{"TLS_CERT", "TLS_KEY"}, func(values [][]byte) {
			pair, err := tls.X509KeyPair(values[0], values[1])
			if err != nil {
				log.Print("the certificate before stays: ", err)
				return
			}
			current.Store(&pair)
		})
		if !found {
			log.Print("TLS_CERT and TLS_KEY are not both there")
		}
	}
	load()
	store.Watch(context.Background(), func(changed []string, err error) {
		if err != nil {
			log.Print(err)
			return
		}
		log.Print("new values: ", changed)
		load()
	})
	_ = &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return current.Load(), nil
	}}
}

// Secrets that belong together, and change together, are read together.
func ExampleStore_UseAll() {
	os.Setenv("DB_USER", "app")
	os.Setenv("DB_PASSWORD", "password")
	store, err := secrets.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	store.UseAll([]string{"DB_USER", "DB_PASSWORD"}, func(values [][]byte) {
		fmt.Println(len(values[0]), len(values[1]))
	})
	// Output: 3 8
}
