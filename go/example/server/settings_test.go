package main

import (
	"errors"
	"flag"
	"reflect"
	"strings"
	"testing"
	"time"
)

func lookupIn(environment map[string]string) lookupFunc {
	return func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
}

func TestParseSettings(t *testing.T) {
	defaults := settings{listen: "127.0.0.1:8080", shutdownTimeout: 5 * time.Second}
	tests := []struct {
		name        string
		args        string
		environment map[string]string
		want        settings
	}{
		{"defaults", "", nil, defaults},
		{
			"flags, with one dash and with two",
			"-listen :0 --keys=A,B --shutdown-timeout 1m",
			nil,
			settings{":0", []string{"A", "B"}, time.Minute},
		},
		{
			"variables",
			"",
			map[string]string{"LISTEN_ADDR": "[::1]:80", "SERVER_KEYS": "A, B,", "SHUTDOWN_TIMEOUT": "0s"},
			settings{"[::1]:80", []string{"A", "B"}, 0},
		},
		{
			"a flag takes precedence over its variable",
			"-listen localhost:1",
			map[string]string{"LISTEN_ADDR": "not one", "SHUTDOWN_TIMEOUT": "1s"},
			settings{"localhost:1", nil, time.Second},
		},
		{"an empty variable is as good as none", "", map[string]string{"LISTEN_ADDR": ""}, defaults},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseSettings(strings.Fields(test.args), lookupIn(test.environment))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.keys) == 0 {
				got.keys = nil
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestWrongSettingsAreAllReported(t *testing.T) {
	args := "-listen nowhere -bad A -keys a=b,1st,a-b,c\x7fd -shutdown-timeout never --worse"
	_, err := parseSettings(strings.Fields(args), lookupIn(nil))
	want := []string{
		"flag provided but not defined: -bad",
		`argument "A": there are none but flags`,
		"flag provided but not defined: -worse",
		`-listen (LISTEN_ADDR): must be HOST:PORT: got "nowhere"`,
		`-keys (SERVER_KEYS): must be names of variables, parted by commas: got "a=b", "c\x7fd"`,
		`-shutdown-timeout (SHUTDOWN_TIMEOUT): must be a duration from 0s to 1h: got "never"`,
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

func TestOneWrongSetting(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"a port that is too large", "-listen :65536", `port from 0 to 65535: got "65536"`},
		{"a port by name", "-listen :http", `got "http"`},
		{"no port", "-listen [::1]", `got "[::1]"`},
		{"a flag without its value", "-listen", "flag needs an argument"},
		{"a negative time", "-shutdown-timeout -1s", `got "-1s"`},
		{"a time for ever", "-shutdown-timeout 2h", `got "2h"`},
		{"a time without a unit", "-shutdown-timeout 5", `got "5"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseSettings(strings.Fields(test.args), lookupIn(nil))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %s", err, test.want)
			}
		})
	}
}

func TestHelpIsGivenWhateverElseIsWrong(t *testing.T) {
	for _, args := range []string{"-h", "--help", "-listen nowhere -bad -help"} {
		if _, err := parseSettings(strings.Fields(args), lookupIn(nil)); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s: got %v", args, err)
		}
	}
}
