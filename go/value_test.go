package secrets

import (
	"strings"
	"testing"
	"unsafe"
)

// The allowed operations on a value in each state, and the one that releases it.
func TestAValueGoesBackOnceNobodyCanHaveIt(t *testing.T) {
	rows := []struct {
		name  string
		steps string
	}{
		{"replaced without a reader", "replace:back keep:late acquire:late"},
		{"replaced while it is used", "acquire replace keep:late acquire:late release:back"},
		{"replaced while two use it", "acquire acquire replace release release:back"},
		{"kept, then replaced", "keep replace keep acquire:late"},
		{"kept and used, then replaced", "acquire keep replace release keep"},
		{"used, and replaced later", "acquire release replace:back"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			v := &value{start: unsafe.Pointer(&nothing), home: &chunk{}}
			for step := range stepsOf(row.steps) {
				expectEqual(t, step.action, v.do(step.action), step.outcome)
			}
		})
	}
}

func (v *value) do(action string) string {
	switch action {
	case "keep":
		return outcome(!second(v.keep()), "late")
	case "acquire":
		return outcome(!v.acquire(), "late")
	case "release":
		return outcome(v.release(), "back")
	default:
		return outcome(v.replace(), "back")
	}
}

func second(_ string, ok bool) bool { return ok }

func outcome(happened bool, name string) string {
	if happened {
		return name
	}
	return ""
}

type step struct{ action, outcome string }

func stepsOf(text string) func(func(step) bool) {
	return func(yield func(step) bool) {
		for word := range strings.FieldsSeq(text) {
			action, outcome, _ := strings.Cut(word, ":")
			if !yield(step{action, outcome}) {
				return
			}
		}
	}
}
