package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"svc.internal/secrets"
)

const descriptorVariable = "SVC_SECRET_FD"

// children starts one child before Open, which is too early, and one after.
func children() {
	fmt.Print("before: ", startChild())
	open()
	fmt.Print("after: ", startChild())
}

func startChild() string {
	child := exec.Command("/proc/self/exe", "inherits")
	child.Stderr = os.Stderr
	return string(must(child.Output()))
}

// inherits reports which secrets it has.
func inherits() {
	_, hasVariable := os.LookupEnv(descriptorVariable)
	hasDescriptor := false
	for _, entry := range must(os.ReadDir("/proc/self/fd")) {
		target, _ := os.Readlink("/proc/self/fd/" + entry.Name())
		hasDescriptor = hasDescriptor || strings.Contains(target, "secretmem")
	}
	store, err := secrets.Open()
	fmt.Println("variable", hasVariable, "descriptor", hasDescriptor, "store", store != nil, err)
}

func becomeAfter() {
	open()
	become()
}

func becomeBefore() { become() }

func become() {
	panic(syscall.Exec("/proc/self/exe", []string{os.Args[0], "inherits"}, os.Environ()))
}
