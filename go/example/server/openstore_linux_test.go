package main

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"svc.internal/secrets"
)

// openStore opens a store of KEY=VALUE entries as the wrapper delivers them if the kernel has no
// memfd_secret.
func openStore(t *testing.T, entries ...string) *secrets.Store {
	t.Helper()
	fd, err := unix.MemfdCreate("region", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Write(fd, []byte(strings.Join(entries, "\x00")+"\x00")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SVC_SECRET_FD", strconv.Itoa(fd))
	store, err := secrets.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func TestOpenStoreShowsWhatIsInItAndWhatIsNamed(t *testing.T) {
	store := openStore(t, "B="+value, "A=short", "EMPTY=", "BYTES=\xff"+value, "HTML=<&>\u2028 "+value)
	t.Setenv("VARIABLE", value)
	t.Setenv("OTHER", value)
	testBodies(t, newHandler(store, []string{"VARIABLE", "ABSENT", "A"}), map[string]string{
		"/":       `{"keys":["A","B","BYTES","EMPTY","HTML","VARIABLE"],"count":6}`,
		"/health": `{"status":"ok","delivery":"memfd","protection":"memfd"}`,
		"/protected": `{"secrets":[` + strings.Join([]string{
			`{"key":"A","available":true,"source":"memory","masked":"sh****rt"}`,
			`{"key":"ABSENT","available":false}`,
			`{"key":"B","available":true,"source":"memory","masked":"ca****89"}`,
			`{"key":"BYTES","available":true,"source":"memory","masked":"****"}`,
			`{"key":"EMPTY","available":true,"source":"memory","masked":"****"}`,
			`{"key":"HTML","available":true,"source":"memory","masked":"\u003c\u0026****89"}`,
			`{"key":"VARIABLE","available":true,"source":"environment","masked":"ca****89"}`,
		}, ",") + `]}`,
	})
}
