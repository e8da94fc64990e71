package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file to publish, or one in an archive.
type file struct {
	name    string
	data    []byte
	program bool // executable
}

func (f *file) mode() os.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

// version is all content of a release.
type version struct {
	stamp
	programs map[platform]file
	common   []file // beside each program
	wheel    *wheel // the Python client; nil: no wheels
}

// pack returns the published files. It is deterministic.
func (v *version) pack() (out []file, err error) {
	add := func(name string, form func([]file, time.Time) ([]byte, error), files []file) {
		if err != nil {
			return
		}
		f := file{name: name}
		f.data, err = form(files, v.at)
		out = append(out, f)
	}
	for _, p := range platforms {
		name := fmt.Sprintf("memtree-%s-%s-%s", v.version, p.goos, p.goarch)
		all := within(name, append([]file{v.programs[p]}, v.common...))
		if p.goos == "windows" {
			add(name+".zip", zipped, all)
		} else {
			add(name+".tar.gz", tarred, all)
		}
		add(v.npmFile(p.npm()), tarred, v.npmPlatform(p))
		if v.wheel != nil {
			add(v.wheel.file(p.tag), zipped, v.wheel.with(p.tag, v.programs[p]))
		}
	}
	add(v.npmFile("memtree"), tarred, v.npmMain())
	if v.wheel != nil {
		add(v.wheel.file(anywhere), zipped, v.wheel.files)
	}
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return append(out, sums(out)), err
}

// within puts files into a folder.
func within(folder string, files []file) []file {
	out := slices.Clone(files)
	for i := range out {
		out[i].name = folder + "/" + out[i].name
	}
	return out
}

// tarred packs files as .tar.gz.
func tarred(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	w := tar.NewWriter(z)
	for _, f := range files {
		h := tar.Header{Name: f.name, Mode: int64(f.mode()), Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&h); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return out.Bytes(), nil
}

// zipped packs files as .zip.
func zipped(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(f.mode())
		to, err := w.CreateHeader(&h)
		if err == nil {
			_, err = to.Write(f.data)
		}
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return out.Bytes(), nil
}

// sums returns the checksums of files in the format of sha256sum --check.
func sums(files []file) file {
	var b bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(f.data), f.name)
	}
	return file{name: "SHA256SUMS", data: b.Bytes()}
}

// write writes files into a folder, and prints their sizes.
func write(folder string, files []file) error {
	for _, f := range files {
		name := filepath.Join(folder, f.name)
		if err := os.WriteFile(name, f.data, 0o644); err != nil { //nolint:gosec // to be published
			return fmt.Errorf("write what is published: %w", err)
		}
		fmt.Printf("%s %d bytes\n", name, len(f.data))
	}
	return nil
}
