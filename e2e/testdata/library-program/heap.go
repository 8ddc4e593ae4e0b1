package main

import (
	"crypto/aes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"syscall"

	"svc.internal/secrets"
)

// Uses of a secret in programs. Some copy it to the heap, in which other processes can read it.
var uses = map[string]func(*secrets.Store) any{
	"nothing": func(store *secrets.Store) any { return store.Get(key) },
	"compare": func(store *secrets.Store) any {
		equal := 0
		store.Use(key, func(value []byte) { equal = subtle.ConstantTimeCompare(value, []byte("guess")) })
		return equal
	},
	"hash": func(store *secrets.Store) any {
		var sum [sha256.Size]byte
		store.Use(key, func(value []byte) { sum = sha256.Sum256(value) })
		return sum
	},
	"cut":     func(store *secrets.Store) any { return strings.SplitN(strings.TrimSpace(store.Get(key)), "-", 3) },
	"compose": func(store *secrets.Store) any { return "Bearer " + store.Get(key) },
	"convert": func(store *secrets.Store) any { return []byte(store.Get(key)) },
	"format":  func(store *secrets.Store) any { return fmt.Sprintf("password=%s", store.Get(key)) },
	"write": func(store *secrets.Store) any {
		file := must(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
		store.Use(key, func(value []byte) { must(file.Write(value)) })
		return file
	},
	"parse-url": func(store *secrets.Store) any { return must(url.Parse(store.Get("URL"))) },
	"sql-open": func(store *secrets.Store) any {
		sql.Register("none", noDriver{})
		return must(sql.Open("none", store.Get("URL")))
	},
	"http-header": func(store *secrets.Store) any {
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		request := must(http.NewRequest(http.MethodGet, server.URL, http.NoBody))
		request.Header.Set("X-Api-Key", store.Get(key))
		must(io.ReadAll(must(http.DefaultClient.Do(request)).Body))
		return request
	},
	"hmac": func(store *secrets.Store) any {
		var sum []byte
		store.Use(key, func(value []byte) {
			mac := hmac.New(sha256.New, value)
			mac.Write([]byte("message"))
			sum = mac.Sum(nil)
		})
		return sum
	},
	"aes": func(store *secrets.Store) any {
		var block any
		store.Use(key, func(value []byte) { block = must(aes.NewCipher(value[:32])) })
		return block
	},
	"base64": func(store *secrets.Store) any { return must(base64.StdEncoding.DecodeString(store.Get("ENCODED"))) },
	"key-pair": func(store *secrets.Store) any {
		var pair tls.Certificate
		certificate := []byte(store.Get("CERTIFICATE"))
		store.Use("KEY", func(value []byte) { pair = must(tls.X509KeyPair(certificate, value)) })
		return pair
	},
}

// use does one of them, and waits with its result.
func use() {
	store := open()
	result := uses[os.Args[2]](store)
	fmt.Println("used")
	for {
		_ = syscall.Pause()
		runtime.KeepAlive(result)
	}
}

type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) { return nil, driver.ErrBadConn }
