package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// anywhere is the tag of a wheel without a program.
const anywhere = "any"

// wheel is the Python client as a wheel.
type wheel struct {
	name  string // memtree-VERSION, as the wheel's file and folders begin
	files []file
}

// file returns the name of the wheel for a platform.
func (w *wheel) file(tag string) string { return w.name + "-py3-none-" + tag + ".whl" }

// readWheel reads a wheel without a program, which fits every platform.
func readWheel(name string, data []byte) (*wheel, error) {
	w := &wheel{}
	var ok bool
	if w.name, ok = strings.CutSuffix(filepath.Base(name), "-py3-none-"+anywhere+".whl"); !ok {
		return nil, fmt.Errorf("%s is no wheel for each platform", name)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", f.Name, name, err)
		}
		b, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", f.Name, name, err)
		}
		w.files = append(w.files, file{name: f.Name, data: b})
	}
	return w, nil
}

// with returns the files of the wheel for a platform. The program is a script of the wheel, so pip puts it on the
// PATH.
func (w *wheel) with(tag string, program file) []file {
	info := w.name + ".dist-info/"
	var out []file
	for _, f := range w.files {
		switch f.name {
		case info + "RECORD":
			continue
		case info + "WHEEL":
			f.data = wheelTags(f.data, tag)
		}
		out = append(out, f)
	}
	program.name = w.name + ".data/scripts/" + program.name
	out = append(out, program)
	return append(out, record(info+"RECORD", out))
}

// wheelTags sets the platform in the file WHEEL.
func wheelTags(about []byte, tag string) []byte {
	s := strings.Replace(string(about), "Root-Is-Purelib: true", "Root-Is-Purelib: false", 1)
	var tags strings.Builder
	for t := range strings.SplitSeq(tag, ".") {
		tags.WriteString("Tag: py3-none-" + t + "\n")
	}
	return []byte(strings.Replace(s, "Tag: py3-none-"+anywhere+"\n", tags.String(), 1))
}

// record returns the list of the files of a wheel, with checksums for all but itself.
func record(name string, files []file) file {
	var b bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		b.WriteString(f.name + ",sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]) + "," +
			strconv.Itoa(len(f.data)) + "\n")
	}
	b.WriteString(name + ",,\n")
	return file{name: name, data: b.Bytes()}
}

// pureWheel builds the wheel of the Python client. It takes the version from a program for this machine.
func pureWheel(ctx context.Context, python, folder, program string) (*wheel, error) {
	out := filepath.Join(folder, "wheel")
	if _, err := run(ctx, []string{"MEMTREE_BIN=" + program}, python, "clients/python/pack.py", out); err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(out, "*.whl"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("clients/python/pack.py made %d wheels, not one", len(found))
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		return nil, fmt.Errorf("read the wheel: %w", err)
	}
	return readWheel(found[0], b)
}
