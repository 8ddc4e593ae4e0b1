package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"svc.internal/secrets"
)

// holder is like a program's own struct that the program logs as a whole.
type holder struct {
	Store   *secrets.Store
	Secret  *secrets.Secret
	private *secrets.Store
	hidden  *secrets.Secret
	Any     any
}

// printEverything prints objects that hold secrets in every way that there is.
func printEverything() {
	store := open()
	secret := must(store.Copy(key))
	_, notFound := store.Copy("ABSENT")
	all := []any{
		store, &secrets.Store{}, &store, secret, &secret, notFound,
		holder{store, secret, store, secret, secret},
		&holder{store, secret, store, secret, []any{store, secret}},
		map[string]any{"store": store, "secret": secret},
		[]*secrets.Secret{secret},
		errors.Join(notFound, fmt.Errorf("with %v and %+v", store, secret)),
	}
	text := slog.New(slog.NewTextHandler(os.Stdout, nil))
	asJSON := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	for _, one := range all {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%c", "%08.3f"} {
			fmt.Printf(verb+"\n", one)
		}
		encode(json.Marshal(one))
		encode(json.MarshalIndent(one, "", " "))
		encode(xml.Marshal(one))
		text.Info("text", "one", one, slog.Group("group", "one", one))
		asJSON.Info("json", "one", one, slog.Group("group", "one", one))
		reflectOn(os.Stdout, one)
	}
	_, _ = io.WriteString(os.Stdout, "printed all\n")
}

func encode(encoded []byte, err error) { fmt.Println(string(encoded), err) }
