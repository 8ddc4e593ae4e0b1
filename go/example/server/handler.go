package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"svc.internal/secrets"
)

// The place of a secret, in the answer to GET /protected.
const (
	sourceMemory      = "memory"
	sourceEnvironment = "environment"
)

// names is the answer to GET /.
type names struct {
	Keys  []string `json:"keys"`
	Count int      `json:"count"`
}

// health is the answer to GET /health.
type health struct {
	Status string `json:"status"`
	// The memory of the values: memfd_secret, or memfd if the kernel has none, or env_vars if
	// the wrapper delivered into the environment, which Go's runtime copies to the heap.
	Delivery string `json:"delivery"`
	// How the kernel protects that memory: memfd_secret, or memfd if it has none; none for
	// env_vars.
	Protection secrets.Protection `json:"protection"`
}

// protected is the answer to GET /protected.
type protected struct {
	Secrets []maskedSecret `json:"secrets"`
}

type maskedSecret struct {
	Key       string `json:"key"`
	Available bool   `json:"available"`
	// Neither is there for a secret that is not.
	Source string `json:"source,omitempty"`
	Masked string `json:"masked,omitempty"`
}

// failure is the answer of every other status.
type failure struct {
	Error string `json:"error"`
}

// handler answers from a store: the secrets in it, and those of extra, be they there or not.
type handler struct {
	store *secrets.Store
	extra []string
	paths map[string]func() any
}

func newHandler(store *secrets.Store, extra []string) *handler {
	h := &handler{store: store, extra: extra}
	h.paths = map[string]func() any{
		"/":          func() any { return h.names() },
		"/health":    func() any { return h.health() },
		"/protected": func() any { return h.protected() },
	}
	return h
}

// ServeHTTP always answers in JSON.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, ok := h.paths[r.URL.Path]
	switch {
	case !ok:
		writeJSON(w, http.StatusNotFound, failure{"there is nothing here"})
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		writeJSON(w, http.StatusMethodNotAllowed, failure{"only GET and HEAD are allowed"})
	default:
		writeJSON(w, http.StatusOK, answer())
	}
}

func (h *handler) names() names {
	// Never nil, which JSON shows as null.
	keys := []string{}
	for _, key := range h.keys() {
		if h.look(key).Available {
			keys = append(keys, key)
		}
	}
	return names{Keys: keys, Count: len(keys)}
}

func (h *handler) health() health {
	delivery := "env_vars"
	if h.store != nil {
		delivery = string(h.store.Protection())
	}
	return health{Status: "ok", Delivery: delivery, Protection: h.store.Protection()}
}

func (h *handler) protected() protected {
	all := []maskedSecret{}
	for _, key := range h.keys() {
		all = append(all, h.look(key))
	}
	return protected{all}
}

// keys are sorted, each once.
func (h *handler) keys() []string {
	keys := slices.Concat(h.store.Keys(), h.extra)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// look lends the value for as long as it takes to mask it.
func (h *handler) look(key string) maskedSecret {
	seen := maskedSecret{Key: key}
	seen.Available = h.store.Use(key, func(value []byte) { seen.Masked = mask(value) })
	switch {
	case !seen.Available:
	case h.store != nil && h.store.Has(key):
		seen.Source = sourceMemory
	default:
		seen.Source = sourceEnvironment
	}
	return seen
}

func writeJSON(w http.ResponseWriter, status int, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	body = append(body, '\n')
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	// If it fails, the client has gone.
	_, _ = w.Write(body)
}
