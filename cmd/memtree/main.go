// Command memtree remembers how AI agents judged wrongly and hands them the
// lesson before the next run. See memtree --help.
//
// Where to look:
//   - root.go: the list of commands and the global flags; each command is a file, or a few that begin with its name;
//     app.go: what a command is given; exit.go: the exit codes
//   - manual/: what --help prints of each command, in English and Chinese; manual.go, help.go
//   - query.go, byhand.go, complete.go: flags that several commands share
//   - names.go, ids.go, evidence.go, lesson.go, risky.go, decide.go, tally.go: what several commands show or do
//   - packages internal/cli/say, input, model and access: sentences and tables, files and settings, the model, the door
//     to the store
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/memtree/memtree/internal/cli/say"
)

// closeWithin is how long an interrupted command may take to close the store. If it takes
// longer the process ends; nothing that was acknowledged is lost, but the next open is slower.
const closeWithin = 10 * time.Second

func main() {
	sampleNothing()
	collectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second Ctrl-C ends the process at once
		time.AfterFunc(closeWithin, func() { os.Exit(exitFailed) })
	})
	code := run(ctx, say.Process{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv})
	stop()
	os.Exit(code)
}
