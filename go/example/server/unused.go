package main

import (
	"net"
	"net/http"
	"sync"
)

// unused holds the connections on which nothing was sent yet: load balancers and browsers keep some
// for later. Server.Shutdown takes them for requests that are about to come, and waits for them.
type unused struct {
	mu          sync.Mutex
	closed      bool
	connections map[net.Conn]bool
}

// onState is for http.Server.ConnState.
func (u *unused) onState(connection net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.connections, connection)
	case u.closed:
		_ = connection.Close()
	default:
		u.connections[connection] = true
	}
}

// close closes those that there are, and those that come later.
func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for connection := range u.connections {
		_ = connection.Close()
	}
}
