package access

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"time"
)

// protocol changes with the messages below. Processes with different numbers do not work together.
const protocol = 2

// Owner describes the process that holds a store. That process sends it as its first message.
type Owner struct {
	Protocol int    // version of the messages
	Version  string // version of its program
	PID      int
	Command  string // its command: serve or mcp
	Address  string // address of its HTTP service, "" if it has none
}

// commandLine is a command line with the screen it prints on. It is the first message to the holder.
type commandLine struct {
	Args   []string
	Env    map[string]string // the user's variables: language, editor, colour
	Dir    string            // base of relative file names
	DirID  [2]uint64         // identifies Dir; set by Run
	Width  int               // cells in a line of standard output
	Colour bool              // standard output supports colour
	Live   bool              // standard error is a terminal
}

// RemoteCommand is a command that another process has sent, to be run in this one.
type RemoteCommand struct {
	commandLine
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	SameFiles      bool            // both processes see the same file under the name Dir
	Ending         <-chan struct{} // closed when this process is about to end
}

// runCommand runs a request and returns its exit code. Its context ends on an interrupt of the user, or when the
// requesting process is gone.
type runCommand func(ctx context.Context, e *RemoteCommand) int

// The messages after the first ones. In answers the holder's Want.
type (
	toHolder struct {
		In     []byte
		End    bool   // standard input has ended after In
		Error  string // the error that ended standard input; "": the end of file
		Cancel bool   // interrupt the command
	}
	fromHolder struct {
		Out, Err []byte
		Want     int  // asks for standard input, at most so many bytes; 0: nothing
		Ended    bool // the command has ended
		Code     int  // its exit code, if Ended
	}
)

// Errors of Dial and Run.
var (
	errNobody    = errors.New("nobody answers at this store")
	errUntrusted = errors.New("others than the user may enter the folder through which the process is reached")
	errProtocol  = errors.New("the process that holds the store is of a version that speaks otherwise")
	errSilent    = errors.New("the process that holds the store does not answer")
	errEnded     = errors.New("the process that holds the store ended before the command did")
)

const (
	mostRead     = 64 << 10 // bytes of standard input in one message
	mostErrands  = 64       // concurrent commands
	helloWithin  = 2 * time.Second
	askWithin    = 5 * time.Second // from About to Command
	finishWithin = 5 * time.Second // for running commands, once the process ends
)

// seen returns the identity of a folder as this process sees it; zero if unknown.
func seen(dir string) [2]uint64 {
	info, err := os.Stat(dir)
	if err != nil {
		return [2]uint64{}
	}
	return fileID(info)
}

type wire struct {
	*gob.Encoder
	*gob.Decoder
}

func newWire(c io.ReadWriter) wire { return wire{gob.NewEncoder(c), gob.NewDecoder(c)} }
