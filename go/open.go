package secrets

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

// The wrapper's word to the program.
const descriptorVariable = "SVC_SECRET_FD"

// The result of the last Open, for later calls.
var opened struct {
	sync.Mutex
	memory *memory
}

// Open reads the number of the descriptor from SVC_SECRET_FD, maps its memory and reads the names
// of the secrets. Then it closes the descriptor and removes the variable from the process's
// environment: children inherit neither. Call it first in main, before anything starts a child.
//
// If SVC_SECRET_FD is not set or empty, and on other systems than Linux, it returns a nil Store and
// no error. There is nothing to protect then, and a nil Store reads environment variables. If it is
// set and no store is available, Open returns nil and an [*Error]. It leaves the variable and the
// descriptor as they are. A program should end then.
//
// It may be called again, by each package that reads secrets: every Store reads the same memory,
// which is given back when the last of them is closed. After that there is nothing to protect, as
// above.
func Open() (*Store, error) {
	if !supported {
		return nil, nil
	}
	opened.Lock()
	defer opened.Unlock()
	text := os.Getenv(descriptorVariable)
	if text == "" {
		if opened.memory != nil && opened.memory.holders.acquire() {
			return newStore(opened.memory), nil
		}
		return nil, nil
	}
	m, opErr := openVariable(text)
	if opErr != nil {
		opErr.Op = "open"
		return nil, opErr
	}
	opened.memory = m
	return newStore(m), nil
}

func openVariable(text string) (*memory, *Error) {
	number, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return nil, &Error{
			Code:   ErrVariable,
			Detail: quote(text),
			Hint:   "only the wrapper should set it",
		}
	}
	m, opErr := openDescriptor(int(number))
	if opErr != nil {
		opErr.Detail = join(fmt.Sprintf("descriptor %d", number), opErr.Detail)
		return nil, opErr
	}
	closeDescriptor(int(number))
	// It fails for invalid names.
	_ = os.Unsetenv(descriptorVariable)
	return m, nil
}

// openDescriptor maps and reads a region. The error has no Op.
func openDescriptor(fd int) (*memory, *Error) {
	region, protection, opErr := mapRegion(fd)
	if opErr != nil {
		return nil, opErr
	}
	m := &memory{region: region, protection: protection}
	m.arena.protection = protection
	m.holders.own()
	if opErr := m.read(); opErr != nil {
		_ = m.release()
		return nil, opErr
	}
	return m, nil
}

func (m *memory) read() *Error {
	region := m.region.bytes()
	generations, err := parseReloadable(region)
	if err != nil {
		return notRead(err)
	}
	m.reloadable = generations
	// A program that opens it late begins with the current values.
	if generations != nil && generations.generation() > 0 {
		first, opErr := m.readGeneration(&snapshot{})
		m.current.Store(first)
		return opErr
	}
	// The first generation stays where it is.
	if generations != nil {
		region = generations.slot(0)
	}
	first, err := readInPlace(region)
	if err != nil {
		return notRead(err)
	}
	m.current.Store(first)
	return nil
}

func notRead(err error) *Error {
	hint := "the descriptor is another's, or the wrapper and this package are of different versions"
	return &Error{Code: ErrFormat, Err: err, Hint: hint}
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}
