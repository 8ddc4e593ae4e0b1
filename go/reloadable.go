package secrets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/cpu"
)

const (
	slotCount    = 3
	slotPage     = 4096
	trailerBytes = 32
	// The last byte of a reloadable region; a plain one ends in zero.
	reloadableMark = 1
	// No lifecycle counts that far.
	maxGeneration = 1<<53 - 1
	// Between two looks a generation is copied; the wrapper leaves seconds between two of them.
	maxCopies = 1000
)

// Written between a copy and the second look at the generation: a load that acquires (arm64's LDAR)
// does not by itself wait for the loads before it.
var fence atomic.Uint32

// A program reads a reloadable region while its values are replaced (SVC_ROTATION=sighup). It has
// slots 0, 1 and 2, each a plain region, and a page that ends in a trailer. Generation 0 is in slot
// 0 and stays; later ones take turns in slots 1 and 2, and become current by one store of their
// number. TypeScript and C read the same format: its cases are in
// formats/vectors/reloadable-region.
type reloadable struct {
	region    []byte
	slotBytes int
}

// parseReloadable returns nil for a plain region. It must start at a multiple of 8.
func parseReloadable(region []byte) (*reloadable, error) {
	if len(region) == 0 || region[len(region)-1] != reloadableMark {
		return nil, nil
	}
	slotBytes := (len(region) - slotPage) / slotCount
	if slotBytes <= 0 || slotBytes%slotPage != 0 || len(region) != slotCount*slotBytes+slotPage {
		return nil, errors.New("its length is not that of three slots and a page")
	}
	trailer := region[len(region)-trailerBytes:]
	if binary.LittleEndian.Uint64(trailer[8:]) != uint64(slotBytes) || !isZero(trailer[16:trailerBytes-1]) {
		return nil, errors.New("its trailer is not that of a reloadable region")
	}
	return &reloadable{region: region, slotBytes: slotBytes}, nil
}

// generation loads the number of the current generation. Go's atomic loads are sequentially
// consistent, which includes the acquire that the format asks for.
func (r *reloadable) generation() uint64 {
	at := &r.region[len(r.region)-trailerBytes]
	number := atomic.LoadUint64((*uint64)(unsafe.Pointer(at)))
	if cpu.IsBigEndian {
		return bits.ReverseBytes64(number)
	}
	return number
}

func (r *reloadable) slot(generation uint64) []byte {
	index := 0
	if generation > 0 {
		index = 2 - int(generation%2)
	}
	return r.region[index*r.slotBytes:][:r.slotBytes]
}

// copyCurrent copies the current slot, as a plain region, into memory that no writer can reach; the
// caller wipes it. It checks only the copy, because the original may change at any moment.
func (r *reloadable) copyCurrent(protection Protection) (copied mapping, generation uint64, err *Error) {
	for range maxCopies {
		generation = r.generation()
		if generation > maxGeneration {
			return mapping{}, 0, notRead(fmt.Errorf("generation %d is none", generation))
		}
		slot := r.slot(generation)
		used := usedBytes(slot)
		zeroFilled := isZero(slot[used:])
		if copied, err = newMemory(used, protection); err != nil {
			return mapping{}, 0, err
		}
		copy(copied.bytes(), slot)
		fence.Add(1)
		// With the next number the writer may be at the number after it already, in the slot just
		// copied.
		whole := r.generation() == generation
		if whole && zeroFilled {
			return copied, generation, nil
		}
		copied.wipe()
		if whole {
			return mapping{}, 0, notRead(fmt.Errorf("byte %d: something follows the first empty entry", used))
		}
	}
	return mapping{}, 0, &Error{Code: ErrBusy, Detail: fmt.Sprintf("%d times in a row", maxCopies)}
}

// usedBytes is how much of a slot the entries take, at least one byte: an empty region is one NUL.
func usedBytes(slot []byte) int {
	if slot[0] == 0 {
		return 1
	}
	if end := bytes.Index(slot, []byte{0, 0}); end >= 0 {
		return end + 1
	}
	return len(slot)
}
