package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script replaces a program: it prints its arguments and exits with 3.
const script = "#!/bin/sh\necho \"told: $*\"\nexit 3\n"

func sample(t *testing.T) *version {
	t.Helper()
	v := &version{
		stamp:    stamp{version: "1.2.3+dirty", at: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)},
		programs: map[platform]file{},
		common:   []file{{name: "LICENSE", data: []byte("Apache\n")}, {name: "README.md", data: []byte("# memtree\n")}},
	}
	for _, p := range platforms {
		v.programs[p] = file{p.program(), []byte(script), true}
	}
	about := []file{
		{name: "memtree/__init__.py"},
		{name: "memtree-1.2.3.dist-info/METADATA", data: []byte("Metadata-Version: 2.1\nName: memtree\nVersion: 1.2.3\n")},
		{name: "memtree-1.2.3.dist-info/WHEEL",
			data: []byte("Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n\n")},
	}
	b, err := zipped(append(about, record("memtree-1.2.3.dist-info/RECORD", about)), v.at)
	require.NoError(t, err)
	v.wheel, err = readWheel("memtree-1.2.3-py3-none-any.whl", b)
	require.NoError(t, err)
	return v
}

// published packs the sample into a folder.
func published(t *testing.T) string {
	t.Helper()
	files, err := sample(t).pack()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, write(dir, files))
	return dir
}

// TestPack: each platform has an archive, an npm package and a wheel with correct checksums, and packing is
// deterministic.
func TestPack(t *testing.T) {
	files, err := sample(t).pack()
	require.NoError(t, err)
	again, err := sample(t).pack()
	require.NoError(t, err)
	require.Equal(t, files, again)
	require.Len(t, files, 3*len(platforms)+3, "the npm package that starts the others, the wheel without a program, sums")
	lines := strings.Split(strings.TrimSpace(string(files[len(files)-1].data)), "\n")
	require.Len(t, lines, len(files)-1)
	for i, l := range lines {
		sum := sha256.Sum256(files[i].data)
		require.Equal(t, hex.EncodeToString(sum[:])+"  "+files[i].name, l)
	}
	packed := find(t, files, "memtree-1.2.3+dirty-windows-arm64.zip")
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	require.NoError(t, err)
	require.Equal(t, "memtree-1.2.3+dirty-windows-arm64/memtree.exe", z.File[0].Name)
	r, err := z.File[0].Open()
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, script, string(b))
}

func find(t *testing.T, files []file, name string) []byte {
	t.Helper()
	for _, f := range files {
		if f.name == name {
			return f.data
		}
	}
	t.Fatalf("%s is not among what is published", name)
	return nil
}

// here returns the platform of this machine.
func here(t *testing.T) platform {
	t.Helper()
	for _, p := range platforms {
		if p.goos == runtime.GOOS && p.goarch == runtime.GOARCH && p.goos != "windows" { // the script needs a shell
			return p
		}
	}
	t.Skip("no program is published for this platform that the test can stand in for")
	return platform{}
}

// start runs a program. It skips the test if the program is not installed.
func start(t *testing.T, dir, name string, args ...string) (string, int) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not here", name)
	}
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "npm_config_cache="+filepath.Join(dir, "npm"), "npm_config_update_notifier=false")
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		require.NoError(t, err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// TestArchive: tar unpacks the archive into one folder, and the program in it runs.
func TestArchive(t *testing.T) {
	p, dir := here(t), published(t)
	name := "memtree-1.2.3+dirty-" + p.goos + "-" + p.goarch
	out, code := start(t, dir, "tar", "xzf", name+".tar.gz")
	require.Zero(t, code, out)
	out, code = start(t, dir, filepath.Join(dir, name, "memtree"), "demo")
	require.Equal(t, "told: demo\n", out)
	require.Equal(t, 3, code)
	require.FileExists(t, filepath.Join(dir, name, "LICENSE"))
}

// TestNpx: npx runs the program from the packed packages, without a network, and passes on arguments and exit code.
// Without the package of the platform it prints advice.
func TestNpx(t *testing.T) {
	p, dir := here(t), published(t)
	own := filepath.Join(dir, (&version{stamp: stamp{version: "1.2.3"}}).npmFile(p.npm()))
	main := filepath.Join(dir, "memtree-1.2.3.tgz")
	out, code := start(t, dir, "npx", "--offline", "--yes", "-p", own, "-p", main, "memtree", "demo", "--lang", "zh")
	require.Contains(t, out, "told: demo --lang zh\n")
	require.Equal(t, 3, code, out)
	out, code = start(t, dir, "npx", "--offline", "--yes", "-p", main, "memtree", "demo")
	require.Contains(t, out, p.npm()+" is not installed")
	require.Equal(t, 1, code)
}

// TestWheel: pip installs the wheel of the platform, with the program on the PATH.
func TestWheel(t *testing.T) {
	p, dir := here(t), published(t)
	out, code := start(t, dir, "python3", "-m", "venv", "v")
	if code != 0 {
		t.Skip("python3 has no venv: " + out)
	}
	out, code = start(t, dir, filepath.Join(dir, "v/bin/python"), "-m", "pip", "install", "--no-index",
		"--disable-pip-version-check", "memtree-1.2.3-py3-none-"+p.tag+".whl")
	require.Zero(t, code, out)
	out, code = start(t, dir, filepath.Join(dir, "v/bin/memtree"), "demo")
	require.Equal(t, "told: demo\n", out)
	require.Equal(t, 3, code)
}
