package transfer

import (
	"io"
	"iter"

	"github.com/memtree/memtree/tree"
)

// Names that are exported for the tests of the package only.
const (
	MaxNodes        = 250_000
	MaxLine         = 4 << 20
	SignatureSuffix = signatureSuffix
)

var (
	Canonical   = canonical
	Merge       = merge
	Conflicts   = contradictions
	ReadArchive = readArchive
	ReadFolder  = readFolder
	ReadSeed    = readSeed
	WriteSeed   = writeSeed
	Allowed     = allowed
)

// Limits of a file.
type Limits = limits

// AllowedNodes and AllowedBytes are smaller limits.
func AllowedNodes(n int) Limits   { l := allowed; l.nodes = n; return l }
func AllowedBytes(n int64) Limits { l := allowed; l.bytes = n; return l }

// WriteArchive writes a file of nodes to w.
func WriteArchive(w io.Writer, nodes iter.Seq2[tree.Node, error]) (Manifest, error) {
	out, err := newArchive(w)
	if err != nil {
		return Manifest{}, err
	}
	return write(out, nodes, Beside{})
}
