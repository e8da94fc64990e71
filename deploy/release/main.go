// Command release builds everything that is published of a version from the checkout in the working folder: archives
// of the program for six platforms, npm packages and Python wheels that contain it, and SHA256SUMS. The version and
// all times are those of the commit, so the same commit and the same Go produce the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	to := flag.String("to", "dist", "folder for what is published; what is in it is removed")
	python := flag.String("python", "", "a python with the package build, for the wheels; none: no wheels")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := release(ctx, *to, *python); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

// release builds and packs all platforms into a folder.
func release(ctx context.Context, to, python string) error {
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o750)); err != nil {
		return fmt.Errorf("empty the folder: %w", err)
	}
	built, err := os.MkdirTemp("", "memtree-release-")
	if err != nil {
		return fmt.Errorf("make a folder to build in: %w", err)
	}
	defer os.RemoveAll(built) //nolint:errcheck // a temporary folder
	v := &version{programs: map[platform]file{}}
	if v.common, err = commonFiles(ctx); err != nil {
		return err
	}
	here := ""
	for _, p := range platforms {
		fmt.Println("build", p.goos+"/"+p.goarch)
		name := filepath.Join(built, p.goos, p.goarch, p.program())
		if v.programs[p], v.stamp, err = build(ctx, name, p); err != nil {
			return err
		}
		if p.goos == runtime.GOOS && p.goarch == runtime.GOARCH {
			here = name
		}
	}
	if python == "" {
		fmt.Println("no wheels are made: name a python that has the package build with -python; make clients makes one")
	} else if v.wheel, err = pureWheel(ctx, python, built, here); err != nil {
		return err
	}
	files, err := v.pack()
	if err != nil {
		return err
	}
	return write(to, files)
}

// run runs a command and returns its standard output. An error includes its output and standard error.
func run(ctx context.Context, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), env...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", c, err, out, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}
