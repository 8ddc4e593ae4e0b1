// Teller says which value of DB_PASSWORD it has, as a digest: the digest does not give the value
// away.
//
//	teller serve   says it over HTTP, too: GET /digest. It takes TELLER_STARTS_FOR to begin.
//	teller once    says it and ends
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const address = ":8080"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: teller serve|once")
		os.Exit(2)
	}
	fmt.Println("digest", digest())
	switch os.Args[1] {
	case "once":
	case "serve":
		serve()
	default:
		fmt.Fprintln(os.Stderr, "teller: no such mode:", os.Args[1])
		os.Exit(2)
	}
}

func digest() string {
	value, found := os.LookupEnv("DB_PASSWORD")
	if !found {
		return "none"
	}
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

func serve() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		os.Exit(0)
	}()
	if takes, err := time.ParseDuration(os.Getenv("TELLER_STARTS_FOR")); err == nil {
		time.Sleep(takes)
	}
	http.HandleFunc("GET /digest", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(answer, digest())
	})
	http.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(address, nil))
	os.Exit(1)
}
