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
		{"replaced without a reader", "replace:back keep:late hold:late"},
		{"replaced while it is used", "hold replace keep:late hold:late letGo:back"},
		{"replaced while two use it", "hold hold replace letGo letGo:back"},
		{"kept, then replaced", "keep replace keep hold:late"},
		{"kept and used, then replaced", "hold keep replace letGo keep"},
		{"used, and replaced later", "hold letGo replace:back"},
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
	case "hold":
		return outcome(!v.hold(), "late")
	case "letGo":
		return outcome(v.letGo(), "back")
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
