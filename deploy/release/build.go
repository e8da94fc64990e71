package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// platform is what one program runs on, by the names of Go, npm and Python.
type platform struct {
	goos, goarch string
	os, cpu      string // as npm names them
	tag          string // as Python names it; several with a dot between
}

// platforms are all that are published. Those of macOS are the oldest that Go supports; the program needs no libc, so
// the wheels of Linux fit each.
var platforms = []platform{
	{"linux", "amd64", "linux", "x64", "manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "linux", "arm64", "manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "darwin", "x64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win32", "x64", "win_amd64"},
	{"windows", "arm64", "win32", "arm64", "win_arm64"},
}

// program is the name of the program's file.
func (p platform) program() string {
	if p.goos == "windows" {
		return "memtree.exe"
	}
	return "memtree"
}

// stamp is what Go wrote into a program about its commit.
type stamp struct {
	version string    // without the v before it
	at      time.Time // of the commit
}

// build builds the program of a platform into a file, and returns it with its stamp.
func build(ctx context.Context, to string, p platform) (file, stamp, error) {
	env := []string{"CGO_ENABLED=0", "GOOS=" + p.goos, "GOARCH=" + p.goarch}
	if _, err := run(ctx, env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w", "-o", to,
		"./cmd/memtree"); err != nil {
		return file{}, stamp{}, err
	}
	program, err := os.ReadFile(to) //nolint:gosec // it was built just now
	if err != nil {
		return file{}, stamp{}, fmt.Errorf("read the program: %w", err)
	}
	s, err := stampOf(program)
	return file{p.program(), program, true}, s, err
}

// stampOf reads the stamp of a program.
func stampOf(program []byte) (stamp, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return stamp{}, fmt.Errorf("read the version of the program: %w", err)
	}
	s := stamp{version: strings.TrimPrefix(info.Main.Version, "v")}
	for _, x := range info.Settings {
		if x.Key == "vcs.time" {
			if s.at, err = time.Parse(time.RFC3339, x.Value); err != nil {
				return stamp{}, fmt.Errorf("read the time of the commit: %w", err)
			}
		}
	}
	if s.at.IsZero() {
		return stamp{}, errors.New(
			"the program names no commit; build with git in a clone, not in a worktree, which Go does not read",
		)
	}
	return s, nil
}

// commonFiles are the files beside each program: what it is, its licence, and those of what it is built from.
func commonFiles(ctx context.Context) ([]file, error) {
	var out []file
	for _, name := range []string{"LICENSE", "README.md"} {
		b, err := os.ReadFile(name) //nolint:gosec // of the two names
		if err != nil {
			return nil, fmt.Errorf("start this in the root of the checkout: %w", err)
		}
		out = append(out, file{name: name, data: b})
	}
	notices, err := notices(ctx)
	return append(out, file{name: "THIRD_PARTY.txt", data: notices}), err
}

// notices are the licences of Go and of the modules that the program is built from on any platform.
func notices(ctx context.Context) ([]byte, error) {
	root, err := run(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	lines := []string{"Go\t" + root}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		out, err := run(ctx, []string{"CGO_ENABLED=0", "GOOS=" + goos}, "go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/memtree")
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.Split(out, "\n")...)
	}
	slices.Sort(lines)
	var b bytes.Buffer
	for _, l := range slices.Compact(lines) {
		name, dir, _ := strings.Cut(l, "\t")
		texts, err := filepath.Glob(filepath.Join(dir, "LICENSE*"))
		if err != nil || len(texts) == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", name, dir)
		}
		for _, t := range texts {
			said, err := os.ReadFile(t) //nolint:gosec // found just now
			if err != nil {
				return nil, fmt.Errorf("read the licence of %s: %w", name, err)
			}
			fmt.Fprintf(&b, "==== %s\n\n%s\n\n", name, bytes.TrimSpace(said))
		}
	}
	return b.Bytes(), nil
}
