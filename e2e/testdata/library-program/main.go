// Command library-program uses package secrets in the ways that its argument names: most of them
// are odd. It depends on the library as programs of other modules do.
package main

import (
	"fmt"
	"os"

	"svc.internal/secrets"
)

const key = "DB_PASSWORD"

// Without an argument the program shows the delivery.
var stories = map[string]func(){
	"":                 show,
	"wait":             wait,
	"open-twice":       openTwice,
	"second-package":   secondPackage,
	"close-during-use": closeDuringUse,
	"keep-string":      keepString,
	"children":         children,
	"become-after":     becomeAfter,
	"become-before":    becomeBefore,
	"inherits":         inherits,
	"list":             list,
	"not-utf8":         notUTF8,
	"copies":           copies,
	"print":            printEverything,
	"panic":            panicWithValues,
	"fatal":            fatalWithValues,
	"use":              use,
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	story, ok := stories[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "library-program: story %q: there is none\n", name)
		os.Exit(64)
	}
	story()
}

// open ends the program if there is no store.
func open() *secrets.Store {
	store, err := secrets.Open()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if store == nil {
		fmt.Fprintln(os.Stderr, "the store is nil")
		os.Exit(3)
	}
	return store
}

// must ends the program if a step fails that the story does not test.
func must[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}
