package transfer_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func someNodes(n int) []tree.Node {
	types := []string{"async_timing_error", "content_validation_error", "other_error"}
	out := make([]tree.Node, n)
	for i := range out {
		out[i] = aCase(fmt.Sprint("case-", i))
		out[i].ErrorType = types[i%len(types)]
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	b := packed(t, someNodes(2000)...)
	require.Equal(t, b, packed(t, someNodes(2000)...), "the same nodes give the same bytes")
	nodes, m, err := unpacked(b)
	require.NoError(t, err)
	require.Equal(t, 2000, m.Nodes)
	require.Len(t, m.Types, 3)
	require.Equal(t, b, packed(t, nodes...), "nothing is lost on the way")
	empty := packed(t)
	nodes, _, err = unpacked(empty)
	require.NoError(t, err)
	require.Empty(t, nodes)
}

// TestSchema: files are written as node.schema.json describes them.
func TestSchema(t *testing.T) {
	b, err := os.ReadFile("node.schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("node.schema.json", doc))
	schema, err := c.Compile("node.schema.json")
	require.NoError(t, err)
	f := forest{}
	one := aCase("one")
	f[one.ID] = one
	above := anExperience(f, one.ID)
	above.Elsewhere = &tree.Elsewhere{Cases: 2, Tests: 1, Runs: 2, IDs: []string{one.ID}}
	f[above.ID] = above
	for _, n := range f.nodes() {
		line, err := json.Marshal(transfer.Canonical(n))
		require.NoError(t, err)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(v))
		members, known := v.(map[string]any), doc.(map[string]any)["properties"].(map[string]any)
		for name := range members {
			require.Contains(t, known, name)
		}
	}
	bad, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"id":"x"}`))
	require.NoError(t, err)
	require.Error(t, schema.Validate(bad))
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(nodes ...tree.Node) transfer.Manifest {
		m, err := transfer.Write(dir, transfer.Folder, given(nodes...), transfer.Beside{})
		require.NoError(t, err)
		return m
	}
	read := func() ([]tree.Node, error) {
		root, err := os.OpenRoot(dir)
		require.NoError(t, err)
		defer root.Close()
		var nodes []tree.Node
		_, err = transfer.ReadFolder(root.FS(), transfer.Allowed, func(n tree.Node) error {
			nodes = append(nodes, n)
			return nil
		})
		return nodes, err
	}
	first, _, err := unpacked(packed(t, someNodes(30)...))
	require.NoError(t, err)
	m := write(first...)
	_, same, err := unpacked(packed(t, someNodes(30)...))
	require.NoError(t, err)
	require.Equal(t, same, m, "a file and a folder have the same manifest")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README.md"), []byte("ours"), 0o600))
	write(first[:1]...)
	nodes, err := read()
	require.NoError(t, err)
	require.Equal(t, first[:1], nodes)
	require.FileExists(t, filepath.Join(dir, "README.md"))
	files, err := os.ReadDir(filepath.Join(dir, "nodes"))
	require.NoError(t, err)
	require.Len(t, files, 1, "types that are gone are gone from the folder")

	path := filepath.Join(dir, "nodes", files[0].Name())
	require.NoError(t, os.Rename(path, filepath.Join(dir, "elsewhere")))
	require.NoError(t, os.Symlink("/etc/passwd", path))
	_, err = read()
	require.ErrorContains(t, err, "is not a plain file")
}

// forged packs entries as they are given.
func forged(t testing.TB, entries ...*tar.Header) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, h := range entries {
		content := h.PAXRecords["MEMTREE.content"]
		h.PAXRecords = nil
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(content))
		}
		if err := w.WriteHeader(h); err != nil {
			return nil // no archive can have this name
		}
		_, err := io.WriteString(w, content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return packer().EncodeAll(buf.Bytes(), nil)
}

var packer = sync.OnceValue(func() *zstd.Encoder {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<16))
	if err != nil {
		panic(err)
	}
	return z
})

func entry(name, content string) *tar.Header {
	return &tar.Header{Name: name, PAXRecords: map[string]string{"MEMTREE.content": content}}
}

func refused(t *testing.T, b []byte, says string) {
	t.Helper()
	_, _, err := unpacked(b)
	var file *transfer.UnusableError
	require.ErrorAs(t, err, &file)
	require.ErrorContains(t, err, says)
}

func TestHostileFiles(t *testing.T) {
	n := aCase("x")
	line, err := json.Marshal(transfer.Canonical(n))
	require.NoError(t, err)
	const at = "nodes/content_validation_error/00001.jsonl"
	good := string(line) + "\n"
	for _, c := range []struct {
		says    string
		entries []*tar.Header
	}{
		{"has no manifest", nil},
		{"has no manifest", []*tar.Header{entry(at, good)}},
		{"is not one of an export", []*tar.Header{entry("nodes/../x/00001.jsonl", good)}},
		{"is not one of an export", []*tar.Header{entry("nodes/a/00000.jsonl", good)}},
		{"is not one of an export", []*tar.Header{entry("nodes/a/1.jsonl", good)}},
		{"is not one of an export", []*tar.Header{entry("nodes/A/00001.jsonl", good)}},
		{"is not where it belongs", []*tar.Header{entry("nodes/a/00002.jsonl", "")}},
		{"is not where it belongs", []*tar.Header{entry("nodes/b/00001.jsonl", ""), entry("nodes/a/00001.jsonl", "")}},
		{"is not a plain file", []*tar.Header{{Name: at, Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}}},
		{"is not a plain file", []*tar.Header{{Name: at, Typeflag: tar.TypeLink, Linkname: "manifest.json"}}},
		{"is not a plain file", []*tar.Header{{Name: "nodes/", Typeflag: tar.TypeDir}}},
		{"is not a plain file", []*tar.Header{{Name: at, Typeflag: tar.TypeFifo}}},
		{"has a node of error type", []*tar.Header{entry("nodes/a/00001.jsonl", good)}},
		{"there twice or out of order", []*tar.Header{entry(at, good+good)}},
		{"is cut off", []*tar.Header{entry(at, string(line))}},
		{"is no node", []*tar.Header{entry(at, "{}}\n")}},
		{"is no node", []*tar.Header{entry(at, strings.Repeat("[", 1<<20)+"\n")}},
		{"has more than", []*tar.Header{entry(at, strings.Repeat("x", transfer.MaxLine+2)+"\n")}},
		{"does not fit what is in the file", []*tar.Header{entry(at, good),
			entry("manifest.json", `{"format":"memtree-transfer","major":1,"nodes":2}`)}},
		{"names the format", []*tar.Header{entry("manifest.json", `{}`)}},
		{"use a newer memtree", []*tar.Header{entry("manifest.json", `{"format":"memtree-transfer","major":2}`)}},
		{"is not JSON", []*tar.Header{entry("manifest.json", `{`)}},
		{"is too long", []*tar.Header{entry("manifest.json", strings.Repeat(" ", 13<<20))}},
		{"stands after the manifest", []*tar.Header{entry("manifest.json", `{"format":"memtree-transfer","major":1}`),
			entry("manifest.json", "{}")}},
	} {
		refused(t, forged(t, c.entries...), c.says)
	}
	refused(t, nil, "")
	refused(t, []byte("PK\x03\x04 something else altogether"), "is no export")
	refused(t, forged(t, entry(at, strings.Repeat("\n", 64<<20))), "") // a bomb
}

func TestBombs(t *testing.T) {
	var buf bytes.Buffer
	z, err := zstd.NewWriter(&buf)
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "manifest.json", Size: 200 << 20, Mode: 0o644}))
	for range 200 {
		_, err := w.Write(zeros)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	refused(t, buf.Bytes(), "is too long")

	b := packed(t, someNodes(50)...)
	_, _, err = unpackedUpTo(b, transfer.AllowedNodes(49))
	require.ErrorContains(t, err, "one node more than the 49")
	_, _, err = unpackedUpTo(b, transfer.AllowedBytes(4096))
	require.Error(t, err)
}

// TestTenMillionTinyNodes: a file with too many nodes is refused at the limit. Until then all its
// nodes are given, one by one.
func TestTenMillionTinyNodes(t *testing.T) {
	r, w := io.Pipe()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			panic(err)
		}
		archive := tar.NewWriter(z)
		for part, id := 1, 0; id < 10_000_000; part++ {
			var lines bytes.Buffer
			for range 10_000 {
				fmt.Fprintf(&lines, "{\"id\":\"e_%09d\",\"errorType\":\"a\"}\n", id)
				id++
			}
			h := &tar.Header{Typeflag: tar.TypeReg, Name: fmt.Sprintf("nodes/a/%05d.jsonl", part), Size: int64(lines.Len()),
				Mode: 0o644}
			if archive.WriteHeader(h) != nil {
				break
			}
			if _, err := archive.Write(lines.Bytes()); err != nil {
				break
			}
		}
		w.CloseWithError(errors.Join(archive.Close(), z.Close()))
	}()
	taken := 0
	_, err := transfer.ReadArchive(r, transfer.Allowed, func(tree.Node) error { taken++; return nil })
	require.NoError(t, r.Close())
	<-wrote
	require.ErrorContains(t, err, "one node more than the 250000 there may be")
	require.Equal(t, transfer.MaxNodes, taken)
}

// TestNestedBombs: a packed file inside a packed file is never unpacked.
func TestNestedBombs(t *testing.T) {
	b := bytes.Repeat([]byte{'\n'}, 64<<20)
	for range 3 {
		b = packer().EncodeAll(b, nil)
	}
	refused(t, forged(t, entry("nodes/a/00001.jsonl", string(b))), "")
	refused(t, packer().EncodeAll(packed(t, someNodes(3)...), nil), "is no export")
}

func TestEveryCutAndFlip(t *testing.T) {
	b := packed(t, someNodes(3)...)
	for i := range b {
		_, _, err := unpacked(b[:i])
		require.Error(t, err, "cut at %d", i)
	}
	want, _, err := unpacked(b)
	require.NoError(t, err)
	for i := 0; i < len(b)*8; i += 5 {
		c := bytes.Clone(b)
		c[i/8] ^= 1 << (i % 8)
		if got, _, err := unpacked(c); err == nil {
			require.Equal(t, want, got, "a flip of bit %d was not seen", i)
		}
	}
	_, _, err = unpacked(append(bytes.Clone(b), b...))
	require.ErrorContains(t, err, "goes on after its end")
}

// Other programs fill the last record of a tar archive with zeros.
func TestZerosAfterTheEnd(t *testing.T) {
	dec, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer dec.Close()
	plain, err := dec.DecodeAll(packed(t, someNodes(3)...), nil)
	require.NoError(t, err)
	want, _, err := unpacked(packer().EncodeAll(plain, nil))
	require.NoError(t, err)
	for zeros, ok := range map[int]bool{
		0: true, 512: true, 9216: true, 9217: false, 9728: false, 100: false, 1 << 20: false,
	} {
		got, _, err := unpacked(packer().EncodeAll(append(bytes.Clone(plain), make([]byte, zeros)...), nil))
		if ok {
			require.NoError(t, err, zeros)
			require.Equal(t, want, got)
			continue
		}
		require.ErrorContains(t, err, "goes on after its end", zeros)
	}
	hidden := append(bytes.Clone(plain), make([]byte, 1024)...)
	hidden[len(hidden)-1] = 'x'
	_, _, err = unpacked(packer().EncodeAll(hidden, nil))
	require.ErrorContains(t, err, "goes on after its end")
}

type failing struct{ after io.Reader }

var errDisk = errors.New("the disk failed")

func (f failing) Read(p []byte) (int, error) {
	if n, err := f.after.Read(p); err == nil {
		return n, nil
	}
	return 0, errDisk
}

func TestReadersErrorIsNotTheFiles(t *testing.T) {
	b := packed(t, someNodes(3)...)
	_, err := transfer.ReadArchive(failing{bytes.NewReader(b[:len(b)/2])}, transfer.Allowed, func(tree.Node) error {
		return nil
	})
	require.ErrorIs(t, err, errDisk)
}

// TestHostileNames reads archives whose entries have the names of attack lists.
func TestHostileNames(t *testing.T) {
	shared := os.Getenv("MEMTREE_SHARED")
	if shared == "" {
		shared = "../../shared"
	}
	total := 0
	for _, list := range []string{"archive_names.jsonl", "traversal_patt.jsonl"} {
		f, err := os.Open(filepath.Join(shared, "data", "security", list))
		if err != nil {
			t.Skip("the attack lists are not here; set MEMTREE_SHARED")
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			var x struct{ Name, Text string }
			require.NoError(t, json.Unmarshal(s.Bytes(), &x))
			if b := forged(t, entry(x.Name+x.Text, "x")); b != nil {
				refused(t, b, "")
				total++
			}
		}
	}
	t.Logf("%d archives with hostile names, all refused", total)
}

func FuzzRead(f *testing.F) {
	f.Add(packed(f, someNodes(3)...))
	f.Add(forged(f, entry("nodes/a/00001.jsonl", "{}\n")))
	f.Fuzz(func(t *testing.T, b []byte) {
		nodes, m, err := unpackedUpTo(b, transfer.AllowedBytes(32<<20))
		if err == nil {
			require.Equal(t, m.Nodes, len(nodes))
		}
	})
}

// FuzzLine fuzzes the lines of a folder, without the compression in the way.
func FuzzLine(f *testing.F) {
	n := aCase("x")
	line, err := json.Marshal(transfer.Canonical(n))
	require.NoError(f, err)
	f.Add(append(line, '\n'), []byte(`{"format":"memtree-transfer","major":1,"nodes":1}`))
	f.Fuzz(func(t *testing.T, lines, manifest []byte) {
		dir := fstest.MapFS{"nodes/content_validation_error.jsonl": {Data: lines}, "manifest.json": {Data: manifest}}
		_, err := transfer.ReadFolder(dir, transfer.Allowed, func(n tree.Node) error {
			once := transfer.Canonical(n)
			require.Equal(t, once, transfer.Canonical(once))
			transfer.Merge(n, n)
			return nil
		})
		_ = err
	})
}
