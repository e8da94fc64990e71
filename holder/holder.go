// Package holder lets several processes work on one store, of which one at a time may write.
//
// A process that holds a store for long, such as a service, listens in the store's folder ([Listen]).
// A command that finds it there ([Dial]) has its command line run in that process ([Conn.Run]), on
// the memory that is open. So every command does what it does alone, by the same code. What belongs to the user
// stays with the user: standard input, the screen, files and the editor are those of the process that asked (see
// [Desk]), and an interrupt there ends the command here.
//
// Only the owner of the holding process may ask it: the socket is in a folder that nobody else may enter, and both
// sides refuse one that others may (place.go). There is no secret on disk.
//
// Where to look:
//   - listen.go, dial.go: both sides; frame.go: messages; desk.go: files of the asking process;
//     place.go: the socket
package holder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"
)

// protocol is the number of what the two processes say to each other (frame.go). Processes of different numbers
// do not work together.
const protocol = 1

// About says who holds a store.
type About struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of its program
	PID      int    `json:"pid"`
	Command  string `json:"command"`           // serve or mcp
	Address  string `json:"address,omitempty"` // where it is reached besides
}

// Command is a command line, and what the screen before it can show.
type Command struct {
	Args   []string          `json:"args"`
	Env    map[string]string `json:"env"`    // what of the environment says how to speak
	Width  int               `json:"width"`  // cells in a line of standard output
	Colour bool              `json:"colour"` // standard output takes colour
	Live   bool              `json:"live"`   // standard error is a terminal
}

// Errand is a command of another process, to be run in this one.
type Errand struct {
	Command
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Desk           Desk
	Ending         <-chan struct{} // is closed when this process is about to end: what has no end of its own ends now
}

// Desk is where the user of a command sits: files by the names that the user gives, and an editor.
// An error about a file is an *fs.PathError.
type Desk interface {
	Open(name string) (io.ReadCloser, error)
	Stat(name string) (fs.FileInfo, error)

	// Path returns a path by which this process reads the file of that name.
	Path(name string) (string, error)

	// Same reports whether two names are of one file.
	Same(a, b string) bool

	// Write makes b the whole content of a file.
	Write(name string, b []byte) error

	// Edit lets the user edit a text, in a file of that name.
	Edit(ctx context.Context, name string, b []byte) ([]byte, error)
}

// Streams are what a command uses of the process that asked.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Desk           Desk
}

// Why a command is not run elsewhere.
var (
	ErrNobody    = errors.New("nobody answers at this store")
	ErrUntrusted = errors.New("others than the user may enter the folder through which the process is reached")
	ErrProtocol  = errors.New("the process that holds the store is of a version that speaks otherwise")
	ErrSilent    = errors.New("the process that holds the store does not answer")
	ErrEnded     = errors.New("the process that holds the store ended before the command did")
)

// Limits. Both sides are processes of one user, so they are there for mistakes more than for malice.
const (
	mostFrame    = 4 << 20  // bytes of one
	mostRead     = 64 << 10 // bytes of standard input or a file at one time
	mostWhole    = 64 << 20 // bytes of a file that is written or edited
	mostFiles    = 64       // open at one time for one command
	mostErrands  = 64       // run at one time
	helloWithin  = 2 * time.Second
	askWithin    = 5 * time.Second // between the two saying who they are and the command
	finishWithin = 5 * time.Second // commands under way, once the process ends
)
