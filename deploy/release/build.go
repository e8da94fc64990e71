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

// platform is an operating system and processor, by the names of Go, npm and Python.
type platform struct {
	goos, goarch string
	os, cpu      string // as npm names them
	tag          string // wheel tags of Python, joined with dots
}

// platforms are the published platforms. The macOS versions are the oldest that Go supports. The program needs no
// libc, so a Linux wheel fits every distribution.
var platforms = []platform{
	{"linux", "amd64", "linux", "x64", "manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "linux", "arm64", "manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "darwin", "x64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win32", "x64", "win_amd64"},
	{"windows", "arm64", "win32", "arm64", "win_arm64"},
}

// program returns the file name of the program.
func (p platform) program() string {
	if p.goos == "windows" {
		return "memtree.exe"
	}
	return "memtree"
}

// stamp is the version information that Go stores in a program.
type stamp struct {
	version string    // without the leading v
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

// commonFiles returns the files beside each program: licence, README and third-party licences.
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

// notices returns the licences of Go and of the modules in the program, for all platforms.
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
