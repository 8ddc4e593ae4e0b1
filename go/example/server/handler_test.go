package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc.internal/secrets"
)

const value = "canary-0123456789"

func get(t *testing.T, h http.Handler, method, path string) (*http.Response, string) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	request, err := http.NewRequest(method, server.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, strings.TrimSuffix(string(body), "\n")
}

// testBodies asks for each path.
func testBodies(t *testing.T, h http.Handler, want map[string]string) {
	t.Helper()
	for path, want := range want {
		response, body := get(t, h, http.MethodGet, path)
		if response.StatusCode != http.StatusOK || body != want {
			t.Errorf("GET %s: got %d\n%s, want 200\n%s", path, response.StatusCode, body, want)
		}
	}
}

func TestNilStoreShowsTheVariablesThatAreNamed(t *testing.T) {
	t.Setenv("THERE", value)
	t.Setenv("EMPTY", "")
	testBodies(t, newHandler(nil, []string{"THERE", "ABSENT", "EMPTY", "THERE"}), map[string]string{
		"/":       `{"keys":["THERE"],"count":1}`,
		"/health": `{"status":"ok","delivery":"env_vars","protection":"none"}`,
		"/protected": `{"secrets":[{"key":"ABSENT","available":false},{"key":"EMPTY","available":false},` +
			`{"key":"THERE","available":true,"source":"environment","masked":"ca****89"}]}`,
	})
}

func TestNilStoreShowsNothingUnlessNamed(t *testing.T) {
	t.Setenv("THERE", value)
	testBodies(t, newHandler(nil, nil), map[string]string{
		"/":          `{"keys":[],"count":0}`,
		"/protected": `{"secrets":[]}`,
	})
}

func TestClosedStoreShowsNothing(t *testing.T) {
	t.Setenv("THERE", value)
	testBodies(t, newHandler(&secrets.Store{}, []string{"THERE"}), map[string]string{
		"/":          `{"keys":[],"count":0}`,
		"/protected": `{"secrets":[{"key":"THERE","available":false}]}`,
	})
}

func TestStatuses(t *testing.T) {
	tests := []struct {
		name, method, path string
		status             int
		allow, body        string
	}{
		{"HEAD has no body", "HEAD", "/health", 200, "", ""},
		{"a query changes nothing", "GET", "/?a=1", 200, "", `{"keys":[],"count":0}`},
		{"POST is not allowed", "POST", "/", 405, "GET, HEAD", `{"error":"only GET and HEAD are allowed"}`},
		{"DELETE is not allowed", "DELETE", "/protected", 405, "GET, HEAD", `{"error":"only GET and HEAD are allowed"}`},
		{"another path", "GET", "/secrets", 404, "", `{"error":"there is nothing here"}`},
		{"another path, with POST", "POST", "/secrets", 404, "", `{"error":"there is nothing here"}`},
		{"a slash too many", "GET", "/health/", 404, "", `{"error":"there is nothing here"}`},
		{"two slashes", "GET", "//health", 404, "", `{"error":"there is nothing here"}`},
		{"a way up", "GET", "/x/../health", 404, "", `{"error":"there is nothing here"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response, body := get(t, newHandler(nil, nil), test.method, test.path)
			if response.StatusCode != test.status || body != test.body {
				t.Errorf("got %d %s", response.StatusCode, body)
			}
			want := map[string]string{
				"Allow":                  test.allow,
				"Cache-Control":          "no-store",
				"Content-Type":           "application/json",
				"X-Content-Type-Options": "nosniff",
			}
			for name, value := range want {
				if got := response.Header.Get(name); got != value {
					t.Errorf("%s: got %q, want %q", name, got, value)
				}
			}
		})
	}
}
