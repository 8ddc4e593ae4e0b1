package secrets

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"text/template"
	"unsafe"
)

const canary = "cAnArY-4711-cAnArY"

// Values that a program may print by accident.
type holder struct {
	Store  *Store
	Secret *Secret
	Any    any
	hidden *Store
}

func newHolder(t *testing.T) holder {
	store, writer := openReloadable(t, "KEY="+canary+"0")
	publish(writer, "KEY="+canary+"1")
	expectReload(t, store, "KEY")
	secret, err := store.Copy("KEY")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(secret.Wipe)
	return holder{store, secret, store, store}
}

func TestNothingThatPrintsShowsAValue(t *testing.T) {
	held := newHolder(t)
	rows := map[string]func() string{
		"json": func() string { text, err := json.Marshal(held); return fmt.Sprint(string(text), err) },
		"xml":  func() string { text, err := xml.Marshal(held.Secret); return fmt.Sprint(string(text), err) },
		"gob": func() string {
			return encoded(func(b *bytes.Buffer) error { return gob.NewEncoder(b).Encode(held.Secret) })
		},
		"slog text": func() string {
			return logged(func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) }, held)
		},
		"slog json": func() string {
			return logged(func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) }, held)
		},
		"a template": func() string {
			return encoded(func(b *bytes.Buffer) error {
				return template.Must(template.New("").Parse("{{.}} {{.Store}} {{.Secret}}")).Execute(b, held)
			})
		},
		"a printer that follows all it can reach": func() string { return dump(reflect.ValueOf(held)) },
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T"} {
		rows["fmt "+verb] = func() string {
			return fmt.Sprintf(strings.Repeat(verb+" ", 4), held, &held, held.Store, held.Secret)
		}
	}
	for name, print := range rows {
		t.Run(name, func(t *testing.T) {
			text := print()
			if text == "" {
				t.Error("it prints nothing")
			}
			for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprint([]byte(canary))[1:40]} {
				if strings.Contains(text, form) {
					t.Errorf("it shows the value: %s", text)
				}
			}
		})
	}
}

func TestWhatIsPrintedOfAStoreAndACopy(t *testing.T) {
	held := newHolder(t)
	closed := openStore(t, "KEY=value")
	_ = closed.Close()
	var none *Store
	rows := map[string]string{
		fmt.Sprint(held.Store):           "secrets.Store(open, keys: 1, memfd_secret)",
		fmt.Sprintf("%+v", closed):       "secrets.Store(closed)",
		fmt.Sprintf("%s", none):          "secrets.Store(nil, environment variables)",
		fmt.Sprint(held.Secret):          "[secret]",
		fmt.Sprint((*Secret)(nil)):       "[secret]",
		marshalled(t, held.Store):        `{"protection":"memfd_secret","keys":["KEY"]}`,
		marshalled(t, closed):            `{"protection":"none","keys":null}`,
		marshalled(t, none):              `null`,
		marshalled(t, held.Secret) + " ": `"[secret]" `,
	}
	for got, want := range rows {
		expectEqual(t, "printed", got, want)
	}
}

func marshalled(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func encoded(encode func(*bytes.Buffer) error) string {
	var buffer bytes.Buffer
	err := encode(&buffer)
	return fmt.Sprint(buffer.String(), err)
}

func logged(handler func(*bytes.Buffer) slog.Handler, held holder) string {
	var buffer bytes.Buffer
	slog.New(handler(&buffer)).Info("held", "all", held, "store", held.Store, "secret", held.Secret)
	return buffer.String()
}

func TestThePrinterThatFollowsAllItCanReachFindsWhatAStructHides(t *testing.T) {
	hidden := struct {
		next *struct{ values map[string][]any }
	}{&struct{ values map[string][]any }{map[string][]any{"KEY": {canary}}}}
	if text := dump(reflect.ValueOf(hidden)); !strings.Contains(text, canary) {
		t.Error(text)
	}
}

// dump reads values as test libraries and debug printers do: it ignores methods, and makes
// unexported fields readable.
func dump(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return dump(v.Elem())
	case reflect.Struct:
		addressable := reflect.New(v.Type()).Elem()
		addressable.Set(readable(v))
		text := v.Type().Name() + "{"
		for i := range addressable.NumField() {
			text += v.Type().Field(i).Name + ":" + dump(readable(addressable.Field(i))) + " "
		}
		return text + "}"
	case reflect.Map:
		text := "map["
		for _, key := range v.MapKeys() {
			text += dump(key) + ":" + dump(v.MapIndex(key)) + " "
		}
		return text + "]"
	case reflect.Slice, reflect.Array:
		text := "["
		for i := range v.Len() {
			text += dump(v.Index(i)) + " "
		}
		return text + "]"
	default:
		return fmt.Sprintf("%v", readable(v))
	}
}

func readable(v reflect.Value) reflect.Value {
	if !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}
