// Command memtree remembers how AI agents judged wrongly and hands them the
// lesson before the next run. See memtree --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
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
	code := run(ctx, process{args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv})
	stop()
	os.Exit(code)
}
