// Command memtree remembers how AI agents judged wrongly and hands them the
// lesson before the next run. See memtree --help.
//
// Where to look:
//   - run.go: the list of commands and the global flags; each command is a file, or a few that begin
//     with its name
//   - open.go, model.go: a store for reading or writing, and which commands need a model
//   - config.go, config_file.go: settings of flags, variables and the config file
//   - intake.go, stdin.go: input files, and lines that are refused
//   - find.go, query.go: the flags that choose runs and memories, and those of a question
//   - errors.go, mistakes.go: exit codes, and errors as sentences
//   - speech.go, texts.go: the language, and texts/zh.po with the Chinese
//   - package internal/cli/screen: what a terminal shows; help.go: the help of a command
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second Ctrl-C ends the process at once
		time.AfterFunc(closeWithin, func() { os.Exit(exitFailed) })
	})
	code := run(ctx, say.Process{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv})
	stop()
	os.Exit(code)
}
